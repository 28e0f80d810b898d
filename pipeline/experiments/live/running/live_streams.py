"""Streams of live experiments: random walks of the family `assignment`, or a recorded trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from pipeline.experiments.streams import random_walks
from pipeline.experiments.streams.random_walks import UNIFORM
from pipeline.experiments.streams.stream import BYTES, Drawn, Stream
from pipeline.inputs.traces import Trace, partition_layout
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
        yield _recorded(experiment, root, traces[experiment.trace])
    elif experiment.delta is not None:
        for replicate in range(1, experiment.replicates + 1):
            yield random_walks.walk(
                experiment, experiment.consumer_rate, root, experiment.delta, UNIFORM, replicate
            )


def _recorded(experiment: LiveExperiment, root: int, trace: Trace) -> Stream:
    """A partition that the trace lacks has no rate, as producers know no other absence."""
    rates = np.nan_to_num(trace.rates[: experiment.iterations], nan=0.0)
    (stream_id,) = names(experiment)
    return Stream(
        stream_id=stream_id,
        experiment=experiment.name,
        source="trace",
        delta=None,
        replicate=1,
        seed=derive_seed(root, "trace", trace.digest),
        n_iterations=experiment.iterations,
        layout=partition_layout.named_topics(trace.partitions),
        capacity=experiment.capacity,
        consumer_capacity=experiment.consumer_rate,
        step_s=experiment.iteration_seconds,
        unit=BYTES,
        partitions=trace.partitions,
        name=trace.name,
        digest=trace.digest,
        started_at=trace.started_at,
        rates=np.ascontiguousarray(rates * experiment.scale),
    )
