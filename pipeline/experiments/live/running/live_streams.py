"""Streams of live experiments: random walks of the family `assignment`, profiles, or a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.workloads import load_profiles, partition_splits
from algorithms.workloads.published_shapes import SHAPES
from pipeline.experiments.streams import random_walks
from pipeline.experiments.streams.random_walks import UNIFORM
from pipeline.experiments.streams.stream import BYTES, Drawn, Stream
from pipeline.inputs.traces import Trace, partition_layout
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.settings import split_field
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.run_config import RunConfig


def streams(config: RunConfig, traces: Mapping[str, Trace]) -> Iterator[Stream]:
    """All streams of a run."""
    for experiment in config.live:
        yield from _of_experiment(experiment, config.seed, traces)


def draws(config: RunConfig) -> Drawn:
    """What makes the rates of walks."""
    return partial(random_walks.draw, {one.name: one.clip for one in config.live})


def names(experiment: LiveExperiment) -> list[str]:
    """Ids of the streams, one per replicate; those of walks as in assignment with the same δ."""
    replicates = range(1, experiment.replicates + 1)
    if experiment.delta is None:
        return [f"{experiment.name}-r{replicate:04d}" for replicate in replicates]
    return [
        random_walks.stream_id(experiment.name, experiment.delta, UNIFORM, replicate)
        for replicate in replicates
    ]


def with_rates(experiment: LiveExperiment, config: RunConfig) -> Iterator[tuple[Stream, Floats]]:
    """Streams of an experiment before its run begins, with rates ``float64[N, P]``, bytes/s.

    Raises InputError if the trace has changed since the run was configured.
    """
    draw = draws(config)
    for stream in _of_experiment(experiment, config.seed, config.recorded):
        yield stream, draw(stream.made_of) if stream.rates is None else stream.rates


def _of_experiment(
    experiment: LiveExperiment, root: int, traces: Mapping[str, Trace]
) -> Iterator[Stream]:
    if experiment.trace is not None:
        for replicate in range(1, experiment.replicates + 1):
            yield _recorded(experiment, root, traces[experiment.trace], replicate)
    elif experiment.delta is not None:
        for replicate in range(1, experiment.replicates + 1):
            yield random_walks.walk(
                experiment, experiment.consumer_rate, root, experiment.delta, UNIFORM, replicate
            )
    else:
        for replicate in range(1, experiment.replicates + 1):
            yield _profile(experiment, root, replicate)


def _profile(experiment: LiveExperiment, root: int, replicate: int) -> Stream:
    """Replicates of `SHAPES` have the same rates, and random numbers of their own."""
    shape = (experiment.profile, experiment.partitions, experiment.iterations)
    seed = derive_seed(root, "live profile", *shape, replicate)
    high, iterations = experiment.high * experiment.capacity, experiment.iterations
    if experiment.profile in SHAPES:
        total = SHAPES[experiment.profile].rates(iterations, high)
    else:
        total = load_profiles.generate(experiment.profile, iterations, 0.0, high, seed)
    return Stream(
        stream_id=names(experiment)[replicate - 1],
        experiment=experiment.name,
        source="profile",
        delta=None,
        replicate=replicate,
        seed=seed,
        n_iterations=iterations,
        layout=(Topic("", experiment.partitions),),
        capacity=experiment.capacity,
        consumer_capacity=experiment.consumer_rate,
        step_s=experiment.iteration_seconds,
        unit=BYTES,
        name=experiment.profile,
        rates=_split(experiment, total),
    )


def _split(experiment: LiveExperiment, total: Floats) -> Floats:
    how, weights = split_field.arguments(experiment.split)
    return partition_splits.split(total, experiment.partitions, how, weights)


def _rates(experiment: LiveExperiment, trace: Trace) -> Floats:
    """Rates of a trace, bytes/s; 0 where it lacks one, as producers know no other absence."""
    rates = np.nan_to_num(trace.rates[: experiment.iterations], nan=0.0) * experiment.scale
    if not trace.is_total:
        return np.ascontiguousarray(rates)
    # A total counts records, unless the file says otherwise.
    size = 1 if trace.unit == BYTES else experiment.record_bytes
    return _split(experiment, rates[:, 0] * size)


def _recorded(experiment: LiveExperiment, root: int, trace: Trace, replicate: int) -> Stream:
    """Repeats have the same rates, and random numbers of their own."""
    repeat = () if replicate == 1 else (replicate,)
    layout: tuple[Topic, ...] = (Topic("", experiment.partitions),)
    if not trace.is_total:
        layout = partition_layout.named_topics(trace.partitions)
    return Stream(
        stream_id=names(experiment)[replicate - 1],
        experiment=experiment.name,
        source="trace",
        delta=None,
        replicate=replicate,
        seed=derive_seed(root, "trace", trace.digest, *repeat),
        n_iterations=experiment.iterations,
        layout=layout,
        capacity=experiment.capacity,
        consumer_capacity=experiment.consumer_rate,
        step_s=experiment.iteration_seconds,
        unit=BYTES,
        partitions=None if trace.is_total else trace.partitions,
        name=trace.name,
        digest=trace.digest,
        started_at=trace.started_at,
        rates=_rates(experiment, trace),
    )
