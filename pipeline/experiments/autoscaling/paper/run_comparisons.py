"""Published figures beside those of a run: its simulations, found by workload and strategy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from pipeline.experiments.autoscaling.paper.comparison_row import Comparison
from pipeline.experiments.autoscaling.paper.reproduce_scaling import comparisons
from pipeline.inputs.traces.published_workloads import (
    WORKLOADS,
    Partitioning,
    PublishedWorkload,
    recognised,
)
from pipeline.settings import split_field
from pipeline.settings.run_config import RunConfig
from pipeline.settings.scaling_experiment import GROUP_FIELDS, ScalingExperiment
from pipeline.settings.scaling_presets import PUBLISHED_GROUP

Rows = Sequence[Mapping[str, Any]]


def of_run(config: RunConfig, simulations: Rows) -> list[Comparison]:
    """Comparisons with the run's simulations of each published workload that it has.

    Parameters
    ----------
    simulations
        Rows of table `simulations`.
    """
    by_workload: dict[str, dict[str, Any]] = {}
    workloads = {trace.stream_id: recognised(trace.digest) for trace in config.traces}
    for experiment in config.autoscaling:
        workload = workloads.get(str(experiment.trace))
        if workload is not None and _is_published(experiment):
            keys = by_workload.setdefault(workload.name, {})
            keys.update(_results(workload, experiment, simulations))
    return [
        comparison
        for workload in WORKLOADS
        if workload.name in by_workload
        for comparison in comparisons(workload, by_workload[workload.name])
    ]


def _is_published(experiment: ScalingExperiment) -> bool:
    """Whether its group is that of the published figures; others are compared with none of them."""
    fields = type(experiment).model_fields
    wanted = {name: fields[name].default for name in GROUP_FIELDS} | dict(PUBLISHED_GROUP)
    return all(getattr(experiment, name) == value for name, value in wanted.items())


def _results(
    workload: PublishedWorkload, experiment: ScalingExperiment, simulations: Rows
) -> Iterator[tuple[str, Any]]:
    """Figures of an experiment's simulations by `reproduce_scaling.simulation_key`."""
    as_read = experiment.last_rate is not None
    where = Partitioning(split_field.text(experiment.split), experiment.partitions, as_read)
    for row in simulations:
        if row["experiment"] == experiment.name:
            label = ":".join(filter(None, (str(row["strategy"]), str(row["setting"]))))
            yield f"{workload.name}, {where.label}: {label}", SimpleNamespace(**row)
