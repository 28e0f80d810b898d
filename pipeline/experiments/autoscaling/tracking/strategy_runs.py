"""MLflow content of a run: parameters, tags and metrics from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from pipeline.experiments.autoscaling.paper.paired_claims import ALL_DRIFTS
from pipeline.experiments.autoscaling.sections.scaling_study import label
from pipeline.experiments.autoscaling.sections.strategy_sections import latencies
from pipeline.reporting.sections import published_section
from pipeline.reporting.tracking import run_content
from pipeline.reporting.tracking.content import Content, RunInfo, Step, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import SCALING

CURVES = {"replicas": "series/replicas", "lag": "series/lag"}
"""Columns of trajectories that become stepped metrics, and the names of these."""

IN_EVENTS = ("late_events", "greatest_age_s", "lag_gone_after_s", "added_minutes")
"""Columns of `bad_hour_effects` that become metrics of a strategy, one per event."""

MOST_STEPS = 50
"""Points per curve. Each is a row of MLflow's database."""

SETTINGS = ("partitions", "iterations", "protocol", "arrivals", "mu", "wsla_s", "startup_s")


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per experiment and strategy with parameters.

    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    rows = results["trade_offs"].to_dict("records")
    fronts = [f"{name(row)}" for row in rows if row["on_front"]]
    words = f"{len(fronts)} of {len(rows)} strategies with parameters are on a front."
    metrics = {
        f"{item.tracked}/{run_content.spelt(name(row))}": value
        for row in rows
        for item in SCALING
        if (value := _number(row.get(item.name))) is not None
    }
    verdicts = results["published_figures"]["verdict"]
    metrics |= published_section.metrics(published_section.tally(verdicts))
    metrics |= dict(_claims(results)) | dict(_bad_hours(results))
    parent = run_content.parent(info, results["differences"], words, {}, metrics)
    return TrackedRun(info, parent, partial(_children, info, results))


def _claims(results: Results) -> Iterator[tuple[str, float]]:
    """Differences over all drifts that claims come to."""
    rows = results["claim_differences"]
    for row in rows[rows["swept"] == ALL_DRIFTS].to_dict("records"):
        value = _number(row["difference"])
        if value is not None:
            words = "/".join(str(row[key]) for key in ("experiment", "claim", "quantity"))
            yield f"claim/{run_content.spelt(words)}", value


def _bad_hours(results: Results) -> Iterator[tuple[str, float]]:
    """Times until the lag is gone after events at the busiest hour."""
    for row in results["bad_hour_effects"].to_dict("records"):
        value = _number(row["lag_gone_after_s"])
        if value is not None:
            words = f"{name(row)}/{row['event']}"
            yield f"bad_hour/lag_gone_after_s/{run_content.spelt(words)}", value


def _events(rows: pd.DataFrame | None) -> Iterator[tuple[str, float]]:
    """What events at the busiest hour cost one candidate."""
    for row in [] if rows is None else rows.to_dict("records"):
        for column in IN_EVENTS:
            value = _number(row[column])
            if value is not None:
                yield f"bad_hour/{column}/{run_content.spelt(str(row['event']))}", value


def name(row: Mapping[str, Any]) -> str:
    """Experiment and strategy of a row of `trade_offs`."""
    return f"{row['experiment']}/{label(row)}"


def _children(info: RunInfo, results: Results, parent_id: str) -> Iterator[Content]:
    keys = ["experiment", "strategy", "setting"]
    streams = dict(iter(results["simulations"].groupby(keys)))
    curves = dict(iter(results["trajectories"].groupby(keys)))
    events = dict(iter(results["bad_hour_effects"].groupby(keys)))
    for row in results["trade_offs"].to_dict("records"):
        key = tuple(row[each] for each in keys)
        metrics = {
            f"{item.name}{end}": value
            for item in SCALING
            for end in ("", "_low", "_high")
            if (value := _number(row.get(f"{item.name}{end}"))) is not None
        }
        metrics |= {k: v for k, v in latencies(streams[key]).items() if v is not None}
        names = {each: str(row[each]) for each in ("experiment", "workload", "strategy", "setting")}
        setting = info.experiments.get(str(row["experiment"]), {})
        params = {"replicates": str(row["replicates"])}
        params |= {each: run_content.text(setting[each]) for each in SETTINGS if each in setting}
        metrics |= {"on_front": float(bool(row["on_front"]))} | dict(_events(events.get(key)))
        steps = _curves(curves.get(key))
        yield run_content.child(info, parent_id, name(row), names, params, metrics, steps)


def _curves(rows: pd.DataFrame | None) -> list[Step]:
    """The trajectory of one candidate, thinned out evenly."""
    if rows is None:
        return []
    ordered = rows.sort_values("iteration")
    kept = ordered.iloc[:: -(-len(ordered) // MOST_STEPS)]
    return [
        Step(key, int(iteration), float(value))
        for column, key in CURVES.items()
        for iteration, value in zip(kept["iteration"], kept[column], strict=True)
    ]


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)
