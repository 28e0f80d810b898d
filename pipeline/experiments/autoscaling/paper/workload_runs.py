"""Published workloads of a run, and its simulations of them by workload and candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from pipeline.experiments.autoscaling.paper import group_claims
from pipeline.inputs.traces.published_workloads import Partitioning, PublishedWorkload, recognised
from pipeline.settings import split_field
from pipeline.settings.run_config import RunConfig
from pipeline.settings.scaling_experiment import GROUP_FIELDS, ScalingExperiment
from pipeline.settings.scaling_presets import PUBLISHED_GROUP


def workloads(config: RunConfig) -> set[PublishedWorkload]:
    """Published workloads that the run has an experiment on, with the published group."""
    return {workload for workload, _ in _published(config)}


def simulations(config: RunConfig, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Figures of runs of published workloads in `simulations`, by workload and candidate."""
    places = {experiment.name: _place(one, experiment) for one, experiment in _published(config)}
    return {
        f"{places[row['experiment']]}: {_candidate(row)}": SimpleNamespace(**row)
        for row in rows
        if row["experiment"] in places
    }


def claimed(config: RunConfig) -> Iterator[tuple[ScalingExperiment, str | None]]:
    """Experiments that claims are judged on, with the paper's names of their workloads."""
    by_stream = _recorded(config)
    for one in config.autoscaling:
        if one.claim_seeds:
            yield one, group_claims.workload_of(one, by_stream.get(str(one.trace)))


def _recorded(config: RunConfig) -> Mapping[str, PublishedWorkload | None]:
    return {trace.stream_id: recognised(trace.digest) for trace in config.traces}


def _published(config: RunConfig) -> Iterator[tuple[PublishedWorkload, ScalingExperiment]]:
    by_stream = _recorded(config)
    for experiment in config.autoscaling:
        workload = by_stream.get(str(experiment.trace))
        is_claimed = experiment.claim_seeds > 0
        if workload is not None and not is_claimed and _has_published_group(experiment):
            yield workload, experiment


def _has_published_group(experiment: ScalingExperiment) -> bool:
    """Whether its group is that of the published figures; others are compared with none of them."""
    fields = type(experiment).model_fields
    group = {name: fields[name].default for name in GROUP_FIELDS} | dict(PUBLISHED_GROUP)
    return all(getattr(experiment, name) == value for name, value in group.items())


def _place(workload: PublishedWorkload, experiment: ScalingExperiment) -> str:
    as_read = experiment.last_rate is not None
    split = Partitioning(split_field.text(experiment.split), experiment.partitions, as_read)
    return f"{workload.name}, {split.label}"


def _candidate(row: Mapping[str, Any]) -> str:
    return ":".join(filter(None, (str(row["strategy"]), str(row["setting"]))))
