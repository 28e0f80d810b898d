"""Verdicts on the paper's figures as rows of `published_figures`, and read back from them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from pipeline.experiments.assignment.results import studies
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.figure_verdict import Verdict
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import EXACT, NOT_COMPARABLE

SOURCE = "Landau et al. 2024, arXiv 2402.06085"

Row = dict[str, Any]


def rows(found: Iterable[Verdict]) -> list[Row]:
    """Rows of `published_figures`, without ``run_id``, in the order of the verdicts."""
    return [_row(one) for one in found]


def _row(one: Verdict) -> Row:
    return {
        "figure_key": one.key,
        "source": SOURCE,
        "location": one.location,
        "its_workload": one.workload,
        "its_strategy": one.subject,
        "candidate": one.subject,
        "figure": one.figure,
        "unit": one.unit,
        "published": one.published,
        "published_value": _known(one.published_value),
        "ours": one.ours,
        "our_value": _known(one.ours_value),
        "low": _known(one.low),
        "high": _known(one.high),
        "interval_text": None if one.interval == numbers.MISSING else one.interval,
        "difference": "=" if one.verdict == EXACT else None,
        "verdict": one.verdict,
        "note": one.note,
    }


def verdicts(results: Results) -> list[Verdict]:
    """The stored verdicts of a run, in the paper's order; none if it stored none."""
    stored = results["published_figures"].to_dict("records")
    return [_verdict({str(name): value for name, value in row.items()}) for row in stored]


def _verdict(row: Row) -> Verdict:
    return Verdict(
        key=row["figure_key"],
        figure=row["figure"],
        published=row["published"],
        ours=row["ours"],
        unit=row["unit"],
        published_value=_number(row["published_value"]),
        ours_value=_number(row["our_value"]),
        low=_number(row["low"]),
        high=_number(row["high"]),
        verdict=row["verdict"],
        note=row["note"],
        interval=numbers.MISSING if pd.isna(row["interval_text"]) else row["interval_text"],
        location=row["location"],
        workload=row["its_workload"],
        subject=row["its_strategy"],
    )


def frame(results: Results) -> pd.DataFrame:
    """The stored verdicts, one row per figure; columns are the fields of `Verdict`."""
    return pd.DataFrame(verdicts(results), columns=list(Verdict._fields))


def applies(results: Results) -> bool:
    """Whether the paper's figures say anything about a run: not about somebody's own trace."""
    found = verdicts(results)
    recorded = all(studies.is_recorded(results, name) for name in results.experiments)
    return bool(found) and (not recorded or any(one.verdict != NOT_COMPARABLE for one in found))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _number(value: Any) -> float:
    return math.nan if pd.isna(value) else float(value)
