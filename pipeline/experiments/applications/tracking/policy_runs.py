"""MLflow content of a run: policies with their means, and curves of the first replicate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from pipeline.experiments.applications.results.application_study import Row, Study, studies
from pipeline.experiments.applications.results.crossing_points import RESTARTS, later_at
from pipeline.experiments.applications.sections.application_sections import written
from pipeline.reporting.sections import published_section
from pipeline.reporting.tracking import run_content
from pipeline.reporting.tracking.content import Content, RunInfo, Step, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import APPLICATIONS

CURVES = {"instances": "series/instances", "mean": "series/response"}
"""Columns of `application_steps` that become stepped metrics, and the names of these."""

MOST_STEPS = 50
"""Points per curve. Each is a row of MLflow's database."""

SETTINGS = ("decision_s", "startup_s", "replace", "receiver_queue", "r_max")


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per experiment and policy.

    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info, every = RunInfo.of(results, warehouse), results.once(studies)
    metrics = published_section.metrics(written(results).published.tally)
    for study in every:
        for row in study.means:
            name = run_content.spelt(f"{study.name}/{row['policy']}")
            metrics |= {f"{key}/{name}": value for key, value in _metrics(row).items()}
        metrics |= _crossings(study)
    count = sum(len(study.means) for study in every)
    words = f"{count} policies in {len(every)} experiments on applications."
    parent = run_content.parent(info, None, words, {}, metrics)
    return TrackedRun(info, parent, partial(_children, info, every))


def _crossings(study: Study) -> dict[str, float]:
    """The least backlog at which seamless scaling responds later, where there is one."""
    points = {
        f"later_from/{study.name}/{restart}/{queue}": later_at(study.later, queue, restart)
        for queue in sorted({cell.receiver_queue for cell in study.later})
        for restart in RESTARTS
    }
    return {run_content.spelt(name): float(point[0]) for name, point in points.items() if point}


def _metrics(row: Row) -> dict[str, float]:
    """Means of a policy by their names in MLflow."""
    values = {item.tracked: float(row[item.column]) for item in APPLICATIONS}
    return {name: value for name, value in values.items() if not math.isnan(value)}


def _children(info: RunInfo, every: Sequence[Study], parent_id: str) -> Iterator[Content]:
    for study in every:
        for row in study.means:
            names = {"experiment": study.name, "policy": str(row["policy"])}
            params = {"replicates": str(row["replicates"])}
            params |= {key: run_content.text(study.setting[key]) for key in SETTINGS}
            name, curves = "/".join(names.values()), list(_curves(study, row["policy"]))
            yield run_content.child(info, parent_id, name, names, params, _metrics(row), curves)


def _curves(study: Study, policy: str) -> Iterator[Step]:
    """The first replicate, thinned out evenly; steps without completed events have no response."""
    rows = study.steps[study.steps["policy"] == policy]
    kept = rows.iloc[:: max(1, -(-len(rows) // MOST_STEPS))]
    for column, key in CURVES.items():
        for step, value in zip(kept["step"], kept[column], strict=True):
            if not math.isnan(value):
                yield Step(key, int(step), float(value))
