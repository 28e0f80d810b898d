"""Configurations of runs on the published workloads, whose files are not here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.inputs.traces.published_workloads import W1, WORKLOADS, PublishedWorkload
from pipeline.settings.run_config import RunConfig
from pipeline.settings.scaling_experiment import RECORDED, ScalingExperiment
from pipeline.settings.scaling_presets import PAPERS
from pipeline.settings.trace_source import TraceSource

LINEAR = "linear:cooldown_s=10.0:heartbeat_s=3.0"
"""A candidate whose replica-minutes on W1 follow from the workload: 25.517, printed as 25.5."""


def config(*names: str, **settings: object) -> RunConfig:
    """Preset `autoscaling-papers` with these of its experiments, in other settings."""
    return RunConfig(
        preset="autoscaling-papers",
        autoscaling=tuple(_experiment(name, settings) for name in names),
        traces=tuple(map(_source, WORKLOADS)),
    )


def figures(experiment: str, label: str, **values: float) -> dict[str, Any]:
    """A simulation as `compare_figures` reads it."""
    strategy, _, setting = label.partition(":")
    where = {"experiment": experiment, "strategy": strategy, "setting": setting}
    fixed = {"sla_percent": 90.0, "replica_minutes": 1.0, "n_up": 1, "n_down": 1, "max": 9.0}
    return {**where, **fixed, **values}


def _experiment(name: str, settings: Mapping[str, object]) -> ScalingExperiment:
    trace = f"trace-{name.partition('-')[0]}"
    recorded = {"profile": RECORDED, "trace": trace, "replicates": 1, "poisson": False}
    return ScalingExperiment.model_validate({"name": name, **recorded, **PAPERS[name], **settings})


def _source(workload: PublishedWorkload) -> TraceSource:
    return TraceSource(
        path=Path(f"/none/{workload.name}.csv"),
        stream_id=f"trace-{workload.name}",
        digest=workload.digest,
        partitions=1,
        iterations=W1.steps,
        step_seconds=1.0,
    )
