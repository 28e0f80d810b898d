"""Streams of live experiments: random walks of the family `assignment`, or a recorded trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed, stream_seed
from algorithms.workloads import random_walk
from pipeline.base.errors import InputError
from pipeline.inputs import traces
from pipeline.inputs.traces import Trace, partition_layout, stream_columns
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.run_config import RunConfig

START = "uniform"
"""Start condition: speeds drawn from 0 to 100 % of the capacity."""


def names(experiment: LiveExperiment) -> list[str]:
    """Ids of the streams, one per replicate."""
    middle = "" if experiment.delta is None else f"d{experiment.delta:g}-{START}-"
    return [f"{experiment.name}-{middle}r{r:04d}" for r in range(1, experiment.replicates + 1)]


def specify(experiment: LiveExperiment, config: RunConfig) -> Iterator[dict[str, Any]]:
    """One row of `streams` per replicate, without ``run_id``.

    Seeds and names of random walks are those of an experiment on assignment with the same δ.

    Raises InputError if the trace has changed since the run was configured.
    """
    trace = _trace(experiment, config)
    for replicate, stream_id in enumerate(names(experiment), 1):
        yield {
            "stream_id": stream_id,
            "experiment": experiment.name,
            "source": "generated" if trace is None else "trace",
            "delta": experiment.delta,
            "replicate": replicate,
            "seed": _seed(experiment, trace, config.seed, replicate),
            "initial_rate": START if trace is None else None,
            "partitions": [str(p) for p in range(experiment.partitions)]
            if trace is None
            else list(trace.partitions),
            "n_iterations": experiment.iterations,
            "capacity": experiment.capacity,
            "consumer_capacity": experiment.consumer_rate,
            "name": None if trace is None else trace.name,
            "digest": None if trace is None else trace.digest,
            **stream_columns.described(
                (Topic("", experiment.partitions),)
                if trace is None
                else partition_layout.named_topics(trace.partitions),
                experiment.iteration_seconds,
                stream_columns.BYTES,
                None if trace is None else trace.started_at,
            ),
        }


def rates_of(experiment: LiveExperiment, config: RunConfig, seed: int) -> Floats:
    """Rates of a stream, ``float64[N, P]``, bytes/s; a partition that a trace lacks has none.

    Raises InputError as `specify`.
    """
    trace = _trace(experiment, config)
    if trace is not None:
        rates = np.nan_to_num(trace.rates[: experiment.iterations], nan=0.0)
        return np.ascontiguousarray(rates * experiment.scale)
    return random_walk.generate(
        experiment.partitions,
        experiment.iterations,
        0.0 if experiment.delta is None else experiment.delta,
        experiment.capacity,
        None,
        seed,
        experiment.clip,
    )


def _seed(experiment: LiveExperiment, trace: Trace | None, root: int, replicate: int) -> int:
    if trace is not None or experiment.delta is None:
        return derive_seed(root, "trace", "" if trace is None else trace.digest)
    return stream_seed(root, experiment.delta, replicate)


def _trace(experiment: LiveExperiment, config: RunConfig) -> Trace | None:
    """The recorded trace, in iterations of the experiment's length."""
    if experiment.trace is None:
        return None
    source = next(each for each in config.traces if each.stream_id == experiment.trace)
    trace = traces.resampled(source.reading.load(source.path), source.path, source.step_seconds)
    if trace.digest != source.digest:
        raise InputError(f"--trace {source.path}: changed after the run was configured")
    return trace
