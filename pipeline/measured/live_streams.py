"""Streams of live experiments: the random walks of the family `assignment`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from algorithms.core.arrays import Floats
from algorithms.core.seeds import stream_seed
from algorithms.workloads import random_walk
from pipeline.config.live_experiment import LiveExperiment

START = "uniform"
"""Start condition: speeds drawn from 0 to 100 % of the capacity."""


def specify(experiment: LiveExperiment, root: int) -> Iterator[dict[str, Any]]:
    """One row of `streams` per replicate, without ``run_id``.

    Seeds and names are those of an experiment on assignment with the same δ.
    """
    for replicate in range(1, experiment.replicates + 1):
        yield {
            "stream_id": f"{experiment.name}-d{experiment.delta:g}-{START}-r{replicate:04d}",
            "experiment": experiment.name,
            "source": "generated",
            "delta": experiment.delta,
            "replicate": replicate,
            "seed": stream_seed(root, experiment.delta, replicate),
            "initial_rate": START,
            "partitions": [str(p) for p in range(experiment.partitions)],
            "n_iterations": experiment.iterations,
            "capacity": experiment.capacity,
            "consumer_capacity": experiment.consumer_rate,
            "name": None,
            "digest": None,
        }


def rates_of(experiment: LiveExperiment, seed: int) -> Floats:
    """Rates of a stream, ``float64[N, P]``, bytes/s."""
    return random_walk.generate(
        experiment.partitions,
        experiment.iterations,
        experiment.delta,
        experiment.capacity,
        None,
        seed,
        experiment.clip,
    )
