"""Streams of assignment: a walk per (experiment, δ, start condition, replicate), or traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from algorithms.core.seeds import derive_seed
from pipeline.experiments.streams import random_walks
from pipeline.experiments.streams.stream import BYTES, EVENTS, Drawn, Stream
from pipeline.inputs import traces as recorded
from pipeline.inputs.traces import partition_layout

if TYPE_CHECKING:
    from pipeline.inputs.traces import Trace
    from pipeline.settings.assignment_experiment import Experiment
    from pipeline.settings.run_config import RunConfig
    from pipeline.settings.trace_source import TraceSource


def streams(config: RunConfig, traces: Mapping[str, Trace]) -> Iterator[Stream]:
    """All streams of a run."""
    for experiment in config.experiments:
        yield from walks(experiment, config.seed)
        for replicate, source in enumerate(config.traces, start=1):
            yield _recorded(experiment, config.seed, replicate, source, traces[source.stream_id])


def draws(config: RunConfig) -> Drawn:
    """What makes the rates of walks."""
    return partial(random_walks.draw, {one.name: one.clip for one in config.experiments})


def walks(experiment: Experiment, root: int) -> Iterator[Stream]:
    """Generated streams of an experiment; one on traces has no δ."""
    starts = [str(rate) for rate in experiment.initial_rates]
    replicates = range(1, experiment.replicates + 1)
    for delta, start, replicate in product(experiment.deltas, starts, replicates):
        yield random_walks.walk(
            experiment, experiment.consumer_capacity, root, delta, start, replicate
        )


def _recorded(
    experiment: Experiment, root: int, replicate: int, source: TraceSource, trace: Trace
) -> Stream:
    return Stream(
        stream_id=source.stream_id,
        experiment=experiment.name,
        source="trace",
        delta=None,
        replicate=replicate,
        # The online algorithms shuffle by it: the same trace is always shuffled the same way.
        seed=derive_seed(root, "trace", trace.digest),
        n_iterations=len(trace.rates),
        layout=partition_layout.named_topics(trace.partitions),
        capacity=experiment.capacity,
        consumer_capacity=experiment.consumer_capacity,
        step_s=source.step_seconds or experiment.iteration_seconds,
        unit=EVENTS if trace.unit == recorded.MESSAGES else BYTES,
        partitions=trace.partitions,
        name=trace.name,
        digest=trace.digest,
        started_at=trace.started_at,
        rates=trace.rates,
    )
