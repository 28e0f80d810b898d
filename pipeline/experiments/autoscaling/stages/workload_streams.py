"""Streams of autoscaling: a load profile per (experiment, replicate), or a recorded workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.workloads import partition_splits
from pipeline.experiments.autoscaling.kernels import Plans, workload_kernel
from pipeline.experiments.autoscaling.stages import scaling_plans
from pipeline.experiments.autoscaling.workloads import recorded_workloads
from pipeline.experiments.autoscaling.workloads.workload import Workload
from pipeline.experiments.streams.stream import EVENTS, Drawn, Stream
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.settings import split_field

if TYPE_CHECKING:
    from pipeline.inputs.traces import Trace
    from pipeline.settings.run_config import RunConfig
    from pipeline.settings.scaling_experiment import ScalingExperiment


def streams(config: RunConfig, traces: Mapping[str, Trace]) -> Iterator[Stream]:
    """All streams of a run."""
    for experiment in config.autoscaling:
        if experiment.trace is None:
            yield from profiles(experiment, config.seed)
        else:
            yield _recorded(experiment, config.seed, traces[experiment.trace])


def draws(config: RunConfig) -> Drawn:
    """What makes the rates of load profiles."""
    return partial(_draw, scaling_plans.plans(config))


def _draw(plans: Plans, row: Mapping[str, Any]) -> Floats:
    return workload_kernel.rates_of(plans[row["experiment"]].profile, row["seed"])


def profiles(experiment: ScalingExperiment, root: int) -> Iterator[Stream]:
    """Generated streams of an experiment, one per replicate.

    The seed depends on the workload alone, so that experiments with other groups have the same
    streams.
    """
    how, weights = split_field.arguments(experiment.split)
    shape = (experiment.profile, experiment.partitions, how, experiment.iterations)
    for replicate in range(1, experiment.replicates + 1):
        yield Stream(
            stream_id=f"{experiment.name}-r{replicate:04d}",
            experiment=experiment.name,
            source="profile",
            delta=None,
            replicate=replicate,
            seed=derive_seed(root, "workload", *shape, *(weights or ()), replicate),
            n_iterations=experiment.iterations,
            layout=(Topic("", experiment.partitions),),
            capacity=experiment.mu,
            consumer_capacity=experiment.mu,
            step_s=experiment.step_s,
            unit=EVENTS,
            name=experiment.workload,
        )


def workload_of(experiment: ScalingExperiment, trace: Trace) -> Workload:
    """The recorded workload of an experiment, in recorded steps."""
    workload = recorded_workloads.laid_out(Path(trace.name), trace, trace, experiment.step_s)
    if not trace.is_total:
        return workload
    rates = _split(experiment, workload.rates[:, 0])
    return workload._replace(rates=rates, topics=())


def _split(experiment: ScalingExperiment, total: Floats) -> Floats:
    if experiment.last_rate is not None:
        total = np.append(total[:-1], experiment.last_rate)
    how, weights = split_field.arguments(experiment.split)
    return partition_splits.split(
        total, experiment.partitions, how, weights, rounding=experiment.rounding
    )


def _recorded(experiment: ScalingExperiment, root: int, trace: Trace) -> Stream:
    workload = workload_of(experiment, trace)
    return Stream(
        stream_id=f"{experiment.name}-r0001",
        experiment=experiment.name,
        source="trace",
        delta=None,
        replicate=1,
        # As in other commands: the only stream of a file has the seed that the user sets.
        seed=root,
        n_iterations=len(workload.rates),
        layout=workload.topics or (Topic("", experiment.partitions),),
        capacity=experiment.mu,
        consumer_capacity=experiment.mu,
        step_s=experiment.step_s,
        unit=workload.unit,
        partitions=workload.labels,
        name=workload.name,
        digest=workload.digest,
        started_at=workload.started_at,
        rates=workload.rates,
    )
