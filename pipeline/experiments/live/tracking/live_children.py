"""MLflow content of a run: parameters, tags and metrics from its tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd

from pipeline.experiments.live.sections.live_sections import written
from pipeline.reporting.sections import published_section
from pipeline.reporting.tracking import run_content, section_metrics
from pipeline.reporting.tracking.content import Content, RunInfo, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import LIVE
from schemas.tables.live.live_agreement import AGREES

SETTINGS = ("mode", "speeds", "n_partitions", "iteration_seconds", "capacity", "consumer_rate")

TIMES = ("speeds_known_s", "decided_s", "handed_s", "created_s", "moved_s", "gap_p50_s")
"""Columns of `live_plans`, whose medians are metrics."""


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per stream and strategy.

    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    rows = results["live_agreement"]
    agreeing = int((rows["verdict"] == AGREES).sum())
    words = f"{agreeing} of {len(rows)} figures agree with the simulators."
    metrics = {"figures": float(len(rows)), "figures.agreeing": float(agreeing)}
    parts = written(results)
    metrics |= published_section.metrics(parts.published.tally)
    metrics |= section_metrics.metrics(parts.experiments)
    parent = run_content.parent(info, None, words, {}, metrics)
    return TrackedRun(info, parent, partial(_children, info, results))


def _children(info: RunInfo, results: Results, parent_id: str) -> Iterator[Content]:
    keys = ["stream_id", "strategy"]
    tables = {
        name: dict(iter(results[name].groupby(keys)))
        for name in ("live_latency", "live_plans", "live_agreement")
    }
    for row in results["live_runs"].to_dict("records"):
        key = (row["stream_id"], row["strategy"])
        latency = tables["live_latency"][key].iloc[0]
        metrics = {
            item.tracked: value
            for item in LIVE
            if (value := _number((row if item.table == "live_runs" else latency)[item.column]))
            is not None
        }
        metrics |= _plan_times(tables["live_plans"].get(key))
        metrics |= _predictions(tables["live_agreement"].get(key))
        names = {name: str(row[name]) for name in ("experiment", "stream_id", "strategy")}
        params = {name: run_content.text(row[name]) for name in SETTINGS}
        name = f"{row['stream_id']}/{row['strategy']}"
        yield run_content.child(info, parent_id, name, names, params, metrics)


def _plan_times(plans: pd.DataFrame | None) -> dict[str, float]:
    """Medians of the times of plans that have them."""
    if plans is None:
        return {}
    medians = {name: _number(plans[name].astype(float).median()) for name in TIMES}
    return {f"plans.{name}": value for name, value in medians.items() if value is not None}


def _predictions(rows: pd.DataFrame | None) -> dict[str, float]:
    """Predictions and whether they agree, by quantity."""
    metrics: dict[str, float] = {}
    for row in [] if rows is None else rows.to_dict("records"):
        if row["verdict"] is not None:
            metrics[f"agrees.{row['quantity']}"] = float(row["verdict"] == AGREES)
        for which in ("a", "b"):
            value = _number(row[f"predicted_{which}"])
            if value is not None:
                metrics[f"predicted_{which}.{row['quantity']}"] = value
    return metrics


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)
