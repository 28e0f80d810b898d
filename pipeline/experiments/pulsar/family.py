"""The family `pulsar`: its stages, in the order in which they run."""

from __future__ import annotations

from pipeline.warehouse.runs.experiment_family import Family
from pipeline.warehouse.runs.stage import Made, Rows, Stage

_STAGES = "pipeline.experiments.pulsar.stages"

_FOLDERS = Made("folders", "pipeline.experiments.pulsar.running.pulsar_folders:of_stage")
"""Where Pulsar and the load leave evidence."""

FAMILY = Family(
    name="pulsar",
    kernels="pipeline.experiments.pulsar.kernels",
    results=tuple(
        map(
            Rows,
            (
                "pulsar_runs",
                "pulsar_intervals",
                "pulsar_steps",
                "pulsar_changes",
                "published_figures",
            ),
        )
    ),
    report="pipeline.experiments.pulsar.sections.pulsar_page:build",
    tracked="pipeline.experiments.pulsar.tracking.pulsar_children:tracked",
    sections="pipeline.experiments.pulsar.sections.pulsar_sections:written",
    admitted="pipeline.experiments.pulsar.running.pulsar_admission:check",
    timed="pipeline.experiments.pulsar.running.pulsar_admission:check_time",
    gated=False,
    stages=(
        Stage(
            "measure_functions",
            "policies and executors on a Pulsar, next to simulations",
            f"{_STAGES}.measure_functions",
            reads=(_FOLDERS,),
            writes=("pulsar_runs", "pulsar_intervals", "pulsar_steps", "pulsar_changes"),
            mapped=True,
        ),
        Stage(
            "judge_functions",
            "claims on interruption and on policies, with verdicts",
            f"{_STAGES}.judge_functions",
            reads=(Rows("pulsar_changes"), Rows("pulsar_runs"), Rows("pulsar_steps")),
            writes=("published_figures",),
        ),
    ),
)
"""Pulsar Functions."""
