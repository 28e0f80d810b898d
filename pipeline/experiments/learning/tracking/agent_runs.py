"""MLflow content of a run: agents with their scores, and learning curves by training episode."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd

from pipeline.experiments.learning.results.learning_study import Study
from pipeline.experiments.learning.sections.learning_sections import Written, written
from pipeline.reporting.sections import published_section
from pipeline.reporting.tracking import run_content, section_metrics
from pipeline.reporting.tracking.content import Content, RunInfo, Step, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import LEARNING

CURVES = (
    *("total_reward", "loss", "epsilon", "greedy_reward"),
    *("score", "brokers", "over_slo_percent", "moves"),
)
"""Columns of `trainings` whose medians over seeds are metrics by episode."""

CELL = ("agent", "reward", "variant")

_OF_GROUP = ("regret", "regret_low", "regret_high", "replicas", "late_percent")


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per agent, reward and variant.

    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    parts = written(results)
    counts = parts.published.tally
    # `claims.…` are the same counts under their first name.
    metrics = published_section.metrics(counts) | published_section.metrics(counts, "claims")
    metrics |= section_metrics.metrics(parts.experiments)
    words = f"{sum(counts.values())} claims on learning were judged."
    parent = run_content.parent(info, None, words, {}, metrics)
    return TrackedRun(info, parent, partial(_all_children, info, parts))


def _all_children(info: RunInfo, parts: Written, parent_id: str) -> Iterator[Content]:
    yield from _children(info, parts.studies, parent_id)
    for study in parts.group_studies:
        for row, trainings in study.agents():
            names = {"experiment": study.name, "agent": row["policy"], "variant": row["parameters"]}
            metrics = {key: float(row[key]) for key in _OF_GROUP}
            metrics["learning_share"] = float(row["share"])
            yield _child(info, parent_id, names, row, metrics, trainings)


def _children(info: RunInfo, every: list[Study], parent_id: str) -> Iterator[Content]:
    for study in every:
        groups = dict(iter(study.trainings.groupby(list(CELL), sort=False)))
        for row in study.scores.to_dict("records"):
            key = tuple(row[name] for name in CELL)
            names = {"experiment": study.name, **{name: str(row[name]) for name in CELL}}
            metrics = {item.tracked: float(row[item.column]) for item in LEARNING}
            metrics |= {"learning_successes": float(row["successes"])}
            yield _child(info, parent_id, names, row, metrics, groups[key])


def _child(
    info: RunInfo,
    parent_id: str,
    names: dict[str, str],
    row: dict[str, Any],
    metrics: dict[str, float],
    trainings: pd.DataFrame,
) -> Content:
    name, params = "/".join(names.values()), {"seeds": str(row["seeds"])}
    curves = list(_curves(trainings))
    return run_content.child(info, parent_id, name, names, params, metrics, curves)


def _curves(rows: pd.DataFrame) -> Iterator[Step]:
    """Medians over seeds by training episode."""
    for name in CURVES:
        medians = rows.groupby("episode")[name].median().dropna()
        for episode, value in medians.items():
            yield Step(f"{name}.median", int(str(episode)), float(value))
