"""Published figures of a run, for its report."""

from __future__ import annotations

import math
from typing import Any

from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.figure_verdict import Verdict
from pipeline.warehouse.runs.run_results import Results


def verdicts(results: Results) -> list[Verdict]:
    """Published figures with ours, in the order of the papers; none if the run has none."""
    rows = results["published_figures"].to_dict("records")
    return [_verdict({str(name): value for name, value in row.items()}) for row in rows]


def _verdict(row: dict[str, Any]) -> Verdict:
    unit = f"{numbers.SPACE}{row['unit']}" if row["unit"] else ""
    words = [row["note"], _SIGNS.get(row["difference"], "")]
    return Verdict(
        key=row["figure_key"],
        figure=f"{row['location']}, {row['its_workload']}, {row['its_strategy']}: {row['figure']}",
        published=f"{row['published']}{unit}",
        ours=f"{row['ours']}{unit}",
        unit=row["unit"],
        published_value=_number(row["published_value"]),
        ours_value=_number(row["our_value"]),
        low=math.nan,
        high=math.nan,
        verdict=row["verdict"],
        note="; ".join(filter(None, words)),
        interval=numbers.MISSING,
    )


_SIGNS = {"+": "ours is higher", "-": "ours is lower", "=": "ours is printed alike"}


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
