"""Rows of `trade_offs` with figures that a test can write down."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from pipeline.warehouse.runs.run_results import Results
from schemas.tables.autoscaling.trade_offs import AVERAGED
from tests.pipeline.experiments.autoscaling.sections import report_inputs

NO_EVENTS: dict[str, Any] = dict.fromkeys(("sla_percent", "sla_percent_low", "sla_percent_high"))


def row(
    label: str, sla: float, minutes: float, moved: float, width: float = 0.5, **others: Any
) -> dict[str, Any]:
    """A row of experiment `calm`, on the front, whose intervals are ``width`` on either side."""
    strategy, _, setting = label.partition(":")
    means = dict.fromkeys(AVERAGED, 1.0)
    means |= {"sla_percent": sla, "replica_minutes": minutes, "partitions_moved": moved}
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
    every = {"trade_offs": frame.astype(dict.fromkeys(ends, float)), "simulations": _streams(frame)}
    settings = [{"name": name, **report_inputs.GROUP} for name in frame["experiment"].unique()]
    run = {"config": json.dumps({"autoscaling": settings})}
    return Results({**every, **tables}, run)


def _streams(rows: pd.DataFrame) -> pd.DataFrame:
    """Two streams of each row, whose means are the row's."""
    fixed = dict.fromkeys(("n_up", "n_down", "n_reassign", "p99", "max"), 1.0)
    names = ["experiment", "strategy", "setting", "replica_minutes"]
    return pd.concat([rows[names].assign(replicate=number, **fixed) for number in (1, 2)])
