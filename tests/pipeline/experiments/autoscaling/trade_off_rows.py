"""Rows of `trade_offs` with figures that a test can write down."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.warehouse.runs.run_results import Results

AVERAGED = ("sla_percent", "replica_minutes", "partitions_moved")
NO_EVENTS: dict[str, Any] = dict.fromkeys(("sla_percent", "sla_percent_low", "sla_percent_high"))


def row(
    label: str, sla: float, minutes: float, moved: float, width: float = 0.5, **others: Any
) -> dict[str, Any]:
    """A row of experiment `calm`, on the front, whose intervals are ``width`` on either side."""
    strategy, _, setting = label.partition(":")
    means = dict(zip(AVERAGED, (sla, minutes, moved), strict=True))
    return {
        "experiment": "calm",
        "workload": "diurnal, 4 partitions, equal",
        "strategy": strategy,
        "setting": setting,
        "replicates": 2,
        **means,
        **{f"{name}_low": value - width for name, value in means.items()},
        **{f"{name}_high": value + width for name, value in means.items()},
        "eligible": True,
        "on_front": True,
        **others,
    }


def results(*rows: dict[str, Any], **tables: pd.DataFrame) -> Results:
    """A run with these trade-offs; null is NaN, as where tables are read."""
    frame = pd.DataFrame(rows)
    ends = [f"{name}{end}" for name in AVERAGED for end in ("", "_low", "_high")]
    return Results({"trade_offs": frame.astype(dict.fromkeys(ends, float)), **tables})
