"""All that is written about the results of a run on Pulsar."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.experiments.pulsar.results.pulsar_study import Study, studies
from pipeline.experiments.pulsar.sections.figures import FIGURES
from pipeline.experiments.pulsar.sections.pulsar_answer import answer
from pipeline.reporting.sections import family_page
from pipeline.reporting.sections.family_page import Written
from pipeline.reporting.sections.section import (
    Experiment,
    Row,
    Section,
    Table,
    charts,
    measured,
    number,
    text,
)
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import metric


def written(results: Results) -> Written:
    """For page, terminal, JSON and MLflow: computed once per run."""
    return results.once(_written)


def _written(results: Results) -> Written:
    return family_page.written(results, studies, answer, _experiment, "candidate")


def _experiment(study: Study) -> Experiment:
    figures = Section(charts=charts(FIGURES, study))
    sections = [_runs(study), figures, _intervals(study), _changes(study), _conditions(study)]
    return Experiment(study.name, study.words, sections)


_RUNS = (
    text("executor", "executor", terminal=True),
    measured(metric("pulsar_response"), "mean_s"),
    number("simulated", "simulated_mean_s", 2),
    number("99 %", "p99_s", 2, terminal=True, metric="pulsar_p99"),
    measured(metric("pulsar_instances"), "mean_instances"),
    number("simulated", "simulated_instances", 1),
    text("lost", "lost", terminal=True, metric="pulsar_lost"),
    text("again", "repeated", terminal=True, metric="pulsar_repeated"),
)


def _runs(study: Study) -> Section:
    """Policies and executors, run by run."""
    rows = [
        Row(
            row["policy"], row, f"{study.name}/{row['policy']}/{row['executor']}/{row['replicate']}"
        )
        for row in study.runs.to_dict("records")
    ]
    note = "Simulated: the same events, service times, policy and buffers."
    return Section("Policies", tables=[Table("", "Policy", _RUNS, rows)], notes=[note])


_INTERVALS = (
    text("executor", "executor"),
    text("interval", "interval"),
    number("events/s", "rate", 1),
    number("instances", "instances", 1),
    number("simulated", "simulated_instances", 1),
    number("mean s", "mean_s", 3),
    number("simulated", "simulated_mean_s", 3),
    text("verdict", "verdict"),
)


def _intervals(study: Study) -> Section:
    """Intervals of the first replicate."""
    first: list[dict[str, Any]] = study.intervals[study.intervals["replicate"] == 1].to_dict(
        "records"
    )
    if not first:
        return Section()
    rows = [Row(row["policy"], row | {"verdict": row["verdict"] or "–"}) for row in first]
    table = Table("", "Policy", _INTERVALS, rows, folded="All intervals of the first replicate.")
    return Section("Intervals of constant load", tables=[table])


_CHANGES = (
    text("executor", "executor"),
    text("change", "kind"),
    text("number", "n"),
    number("mean gap s", "gap_s", 3),
    number("longest s", "longest_s", 3),
    text("went on", "kept"),
    text("restarted", "restarted"),
    text("lost", "lost"),
    text("again", "repeated"),
)


def _changes(study: Study) -> Section:
    """Changes by executor, policy and direction."""
    if study.changes.empty:
        return Section()
    rows = [
        Row(str(policy), _summary(own) | {"executor": executor, "kind": kind})
        for (policy, executor, kind), own in study.changes.groupby(
            ["policy", "executor", "kind"], sort=False
        )
    ]
    note = (
        "Gap: longest time without output of the function in the window from a change on. Went on "
        "and restarted: instances with output before, summed over changes."
    )
    return Section(
        "Changes of instances", tables=[Table("", "Policy", _CHANGES, rows)], notes=[note]
    )


def _summary(rows: pd.DataFrame) -> dict[str, Any]:
    sums = {name: int(rows[name].sum()) for name in ("kept", "restarted", "lost", "repeated")}
    gaps = rows["gap_s"].astype(float)
    return {"n": len(rows), "gap_s": float(gaps.mean()), "longest_s": float(gaps.max()), **sums}


_CONDITIONS = (
    text("executor", "executor"),
    text("replicate", "replicate"),
    text("guarantee", "guarantee"),
    text("hold", "hold"),
    number("load", "load", 1),
    number("image ms", "image_s", 1, 1000.0),
    text("late", "late_sends"),
    text("events", "acknowledged"),
    text("changes", "changes"),
    text("recoveries", "recoveries"),
)


def _conditions(study: Study) -> Section:
    """How each run went, and on what machine."""
    records = study.runs.to_dict("records")
    first = records[0]
    machine = f"Pulsar {first['pulsar_version']}, {first['cores']} cores."
    rows = [Row(row["policy"], row) for row in records]
    return Section("Conditions", [machine], [Table("", "Policy", _CONDITIONS, rows)])
