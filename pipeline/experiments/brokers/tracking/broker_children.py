"""MLflow content of a run: parameters, tags and metrics from its tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from pipeline.experiments.brokers.results.broker_study import Study, studies
from pipeline.experiments.brokers.sections.elastic_sections import written
from pipeline.reporting.sections import published_section
from pipeline.reporting.tracking import run_content, section_metrics
from pipeline.reporting.tracking.content import Content, RunInfo, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import BROKERS

SETTINGS = (
    *("least_brokers", "most_brokers", "planner", "replication", "partitions", "records_per_s"),
    *("preload_mib", "throttle_mib_s"),
)


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per experiment and kind of scaling.

    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    every = results.once(studies)
    totals = {
        name: float(sum(one.runs[name].sum() for one in every))
        for name in ("acknowledged", "lost", "repeated", "disordered")
    }
    words = f"{totals['lost']:,.0f} of {totals['acknowledged']:,.0f} records were lost."
    parts = written(results)
    metrics = {f"records.{name}": value for name, value in totals.items()}
    metrics |= published_section.metrics(parts.published.tally)
    metrics |= section_metrics.metrics(parts.experiments)
    parent = run_content.parent(info, None, words, {}, metrics)
    return TrackedRun(info, parent, partial(_children, info, every))


def _children(info: RunInfo, every: list[Study], parent_id: str) -> Iterator[Content]:
    for study in every:
        for kind, own in study.scalings.groupby("kind", sort=False):
            values = {item.tracked: own[item.column].astype(float).mean() for item in BROKERS}
            metrics = {name: float(v) for name, v in values.items() if not pd.isna(v)}
            metrics |= {name: float(own[name].sum()) for name in ("moves", "bound")}
            names = {"experiment": study.name, "kind": str(kind)}
            params = {name: run_content.text(study.setting[name]) for name in SETTINGS}
            name = "/".join(names.values())
            yield run_content.child(info, parent_id, name, names, params, metrics)
