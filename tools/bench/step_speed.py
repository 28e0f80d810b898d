"""Measures the time of a single step from Python, as a controller makes one."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from algorithms.assignment import Observation, registry
from algorithms.core.arrays import Floats
from algorithms.workloads import random_walk
from tools.bench import kernels, results_file
from tools.console import say

PARTITIONS, ITERATIONS = 32, 1_000
DELTAS = (5.0, 15.0, 25.0)
GOAL_US = 50.0


class StepTime(NamedTuple):
    """Median microseconds of a step, the state kept, on a stream with a given δ."""

    algorithm: str
    delta: float
    us_per_step: float


def main(file: Path) -> None:
    """Measure everything, print the slowest steps and write `steps` to a file."""
    say(f"bench: single steps, {PARTITIONS} partitions")
    rows = list(measure())
    print(f"microseconds per step from Python, P = {PARTITIONS}, the slowest (goal: {GOAL_US:g})\n")
    for row in sorted(rows, key=lambda row: -row.us_per_step)[:8]:
        print(f"{row.algorithm:12} δ = {row.delta:<4g} {row.us_per_step:6.1f}")
    results_file.update(file, {"steps": [row._asdict() for row in rows]})
    print(f"\n{file}")


def measure() -> Iterator[StepTime]:
    """Measure each registered algorithm, and those beyond the paper's, on each stream."""
    for delta in DELTAS:
        rates = random_walk.generate(
            PARTITIONS, ITERATIONS, delta, kernels.CAPACITY, None, kernels.SEED, True
        )
        for name in dict.fromkeys((*registry.names(), *kernels.BEYOND)):
            yield StepTime(name, delta, step_seconds(name, rates) * 1e6)


def step_seconds(name: str, rates: Floats) -> float:
    """Median seconds of a step of an algorithm through a stream."""
    algorithm = registry.get(name)
    observations = [Observation(rates=row) for row in rates]
    # Compiles, or loads from the cache.
    algorithm.step(algorithm.start(rates.shape[1], kernels.CAPACITY, kernels.SEED), observations[0])
    state = algorithm.start(rates.shape[1], kernels.CAPACITY, kernels.SEED)
    durations: list[float] = []
    for observation in observations:
        start = time.perf_counter()
        algorithm.step(state, observation)
        durations.append(time.perf_counter() - start)
    return statistics.median(durations)
