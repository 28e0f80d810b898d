"""Generated streams: random walks, the same in assignment and on a broker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from algorithms.core.arrays import Floats
from algorithms.core.seeds import stream_seed
from algorithms.workloads import random_walk
from pipeline.experiments.streams.stream import BYTES, Stream
from pipeline.inputs.traces.partition_layout import Topic

if TYPE_CHECKING:
    from pipeline.settings.assignment_experiment import Experiment
    from pipeline.settings.live_experiment import LiveExperiment

UNIFORM = "uniform"
"""Start condition: speeds drawn from 0 to 100 % of the capacity."""


def stream_id(experiment: str, delta: float, start: str, replicate: int) -> str:
    """Name of a walk in its run."""
    return f"{experiment}-d{delta:g}-{start}-r{replicate:04d}"


def walk(
    experiment: Experiment | LiveExperiment,
    consumer_capacity: float,
    root: int,
    delta: float,
    start: str,
    replicate: int,
) -> Stream:
    """A stream of an experiment.

    The seed does not depend on the start condition, so that start conditions are compared on the
    same increments.
    """
    return Stream(
        stream_id=stream_id(experiment.name, delta, start, replicate),
        experiment=experiment.name,
        source="generated",
        delta=delta,
        replicate=replicate,
        seed=stream_seed(root, float(delta), replicate),
        n_iterations=experiment.iterations,
        layout=(Topic("", experiment.partitions),),
        capacity=experiment.capacity,
        consumer_capacity=consumer_capacity,
        step_s=experiment.iteration_seconds,
        unit=BYTES,
        initial_rate=start,
    )


def draw(clips: Mapping[str, bool], row: Mapping[str, Any]) -> Floats:
    """Rates of a walk, ``float64[N, P]``, by whether speeds of its experiment are clipped."""
    start = row["initial_rate"]
    return random_walk.generate(
        partitions=row["n_partitions"],
        iterations=row["n_iterations"],
        delta=row["delta"],
        capacity=row["capacity"],
        initial_rate=None if start == UNIFORM else float(start),
        seed=row["seed"],
        clip=clips[row["experiment"]],
    )
