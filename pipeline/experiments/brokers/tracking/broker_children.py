"""MLflow content of a run: parameters, tags and metrics from its tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from pipeline.experiments.brokers.results.broker_study import Study, studies
from pipeline.experiments.brokers.results.deciding_study import (
    Course,
    DecidingStudy,
    deciding_studies,
)
from pipeline.experiments.brokers.sections import deciding_sections
from pipeline.experiments.brokers.sections.elastic_sections import written
from pipeline.reporting.sections import published_section
from pipeline.reporting.tracking import run_content, section_metrics
from pipeline.reporting.tracking.content import Content, RunInfo, Step, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import BROKERS

SETTINGS = (
    *("least_brokers", "most_brokers", "planner", "replication", "partitions", "records_per_s"),
    *("preload_mib", "throttle_mib_s"),
)

DECIDING = (
    *("least_brokers", "most_brokers", "records_per_s", "live_episodes", "live_steps"),
    *("decision_s", "learns", "input_margin"),
)


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per experiment and kind of scaling.

    Experiments with decisions have one per decider, reward, cluster and phase.
    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    every = results.once(studies)
    totals = {
        name: float(sum(one.runs[name].sum() for one in every))
        for name in ("acknowledged", "lost", "repeated", "disordered")
    }
    decided = results.once(deciding_studies)
    lost = f"{totals['lost']:,.0f} of {totals['acknowledged']:,.0f} records were lost."
    words = " ".join([lost] * bool(every) + deciding_sections.answer(decided))
    parts = written(results)
    metrics = {f"records.{name}": value for name, value in totals.items()}
    metrics |= published_section.metrics(parts.published.tally)
    metrics |= section_metrics.metrics(parts.experiments)
    parent = run_content.parent(info, None, words, {}, metrics)
    return TrackedRun(info, parent, partial(_all_children, info, every, decided))


def _all_children(
    info: RunInfo, every: list[Study], decided: list[DecidingStudy], parent_id: str
) -> Iterator[Content]:
    yield from _children(info, every, parent_id)
    for study in decided:
        for course in study.courses():
            yield _course(info, study, course, parent_id)


def _course(info: RunInfo, study: DecidingStudy, course: Course, parent_id: str) -> Content:
    """Episodes of a decider, with the return of each as a metric by episode."""
    names = {"experiment": study.name, **dict(zip(course._fields, course[:4], strict=False))}
    params = {name: run_content.text(study.setting[name]) for name in DECIDING}
    returns = [float(own["reward_value"].sum()) for own in course.episodes]
    curves = [Step("return", episode, value) for episode, value in enumerate(returns, start=1)]
    metrics = {"brokers": float(course.decisions["after"].iloc[-1])}
    metrics["refused"] = float(course.decisions["refusal"].notna().sum())
    return run_content.child(
        info, parent_id, "/".join(names.values()), names, params, metrics, curves
    )


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
