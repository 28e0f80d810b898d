"""MLflow content of a run: parameters, tags and metrics from its tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from pipeline.experiments.pulsar.results.pulsar_study import studies
from pipeline.experiments.pulsar.sections.pulsar_sections import written
from pipeline.reporting.sections import published_section
from pipeline.reporting.tracking import run_content, section_metrics
from pipeline.reporting.tracking.content import Content, RunInfo, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import PULSAR

SETTINGS = (
    *("graph", "spacing", "decision_s", "receiver_queue", "guarantee", "hold"),
    "image_width",
)
COUNTS = ("lost", "repeated", "changes", "recoveries")


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per run of an application.

    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    pairs = [study.agreeing for study in results.once(studies)]
    agreeing, judged = (sum(pair) for pair in zip(*pairs, strict=True))
    words = f"{agreeing} of {judged} intervals agree with the simulator."
    metrics = {"intervals": float(judged), "intervals.agreeing": float(agreeing)}
    parts = written(results)
    metrics |= published_section.metrics(parts.published.tally)
    metrics |= section_metrics.metrics(parts.experiments)
    parent = run_content.parent(info, None, words, {}, metrics)
    return TrackedRun(info, parent, partial(_children, info, results))


def _children(info: RunInfo, results: Results, parent_id: str) -> Iterator[Content]:
    for row in results["pulsar_runs"].to_dict("records"):
        metrics = {
            item.tracked: float(row[item.column])
            for item in PULSAR
            if not pd.isna(row[item.column])
        }
        metrics |= {name: float(row[name]) for name in COUNTS}
        names = {name: str(row[name]) for name in ("experiment", "policy", "executor")}
        params = {name: run_content.text(row[name]) for name in (*SETTINGS, "replicate")}
        name = "/".join((*names.values(), params["replicate"]))
        yield run_content.child(info, parent_id, name, names, params, metrics)
