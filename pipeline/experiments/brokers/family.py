"""The family `brokers`: its stages, in the order in which they run."""

from __future__ import annotations

from pipeline.warehouse.runs.experiment_family import Family
from pipeline.warehouse.runs.stage import Made, Rows, Stage

_STAGES = "pipeline.experiments.brokers.stages"

_FOLDERS = Made("folders", "pipeline.experiments.brokers.running.broker_folders:of_stage")
"""Where the cluster and the load leave evidence."""

TABLES = ("broker_runs", "broker_scalings", "broker_pauses", "broker_episodes")
"""What stage `scale_brokers` writes."""

FAMILY = Family(
    name="brokers",
    kernels="pipeline.experiments.brokers.kernels",
    results=tuple(map(Rows, (*TABLES, "published_figures"))),
    report="pipeline.experiments.brokers.sections.broker_page:build",
    tracked="pipeline.experiments.brokers.tracking.broker_children:tracked",
    sections="pipeline.experiments.brokers.sections.elastic_sections:written",
    admitted="pipeline.experiments.brokers.running.broker_admission:check",
    timed="pipeline.experiments.brokers.running.broker_admission:check_time",
    gated=False,
    stages=(
        Stage(
            "scale_brokers",
            "brokers join a cluster and leave it while records flow",
            f"{_STAGES}.scale_brokers",
            reads=(_FOLDERS,),
            writes=TABLES,
            mapped=True,
        ),
        Stage(
            "judge_brokers",
            "the claims on loss and moves, with verdicts",
            f"{_STAGES}.judge_brokers",
            reads=tuple(map(Rows, ("broker_runs", "broker_scalings"))),
            writes=("published_figures",),
        ),
    ),
)
"""Kafka brokers that join and leave."""
