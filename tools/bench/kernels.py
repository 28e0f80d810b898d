"""Measures the algorithms' time per assignment, from 32 to 100,000 partitions.

A time is that of `algorithms.scores.sweep.run` on a generated stream, divided by its iterations:
sorting or shuffling, assigning, and counting consumers, migrations and Rscore.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from algorithms.assignment import registry
from algorithms.core.arrays import Floats
from algorithms.scores import sweep
from algorithms.workloads import random_walk
from tools.bench import kernel_summary, results_file
from tools.bench.timing import median_seconds
from tools.console import say

BEYOND = ("BFD+M+P", "SR_0.4", "SR_1", "SR_inf")
"""Algorithms beyond the paper's."""

SIZES = (32, 200, 1_000, 10_000, 100_000)
FITTED = (1_000, 100_000)

CAPACITY, DELTA, SEED = 1e8, 10.0, 7
# Partitions × iterations of a stream, and its fewest iterations: the first one has no predecessor.
CELLS, FEWEST_ITERATIONS = 40_000, 4
SECONDS = 0.3


def main(file: Path) -> None:
    """Measure everything, print the table and write `kernels` and `exponents` to a file."""
    rows = list(measure())
    fitted = kernel_summary.exponents(rows, *FITTED)
    print("microseconds per assignment\n")
    print(kernel_summary.table(rows, fitted))
    parts = {"kernels": [row._asdict() for row in rows], "exponents": fitted}
    results_file.update(file, parts)
    print(f"\n{file}")


def measure() -> Iterator[kernel_summary.KernelTime]:
    """Measure each of the paper's algorithms, and `BEYOND`, at each size."""
    for partitions in SIZES:
        say(f"bench: {partitions:,} partitions")
        rates = stream(partitions)
        for name in (*registry.reference_set(), *BEYOND):
            microseconds = kernel_seconds(name, rates) * 1e6
            yield kernel_summary.KernelTime(name, partitions, microseconds)


def stream(partitions: int) -> Floats:
    """Stream of the paper's kind, shorter for more partitions."""
    return random_walk.generate(
        partitions=partitions,
        iterations=max(FEWEST_ITERATIONS, CELLS // partitions),
        delta=DELTA,
        capacity=CAPACITY,
        initial_rate=None,
        seed=SEED,
        clip=True,
    )


def kernel_seconds(name: str, rates: Floats) -> float:
    """Seconds per assignment of a compiled algorithm."""
    # Compiles, or loads from the cache.
    sweep.run(name, rates[:2], CAPACITY, SEED)
    seconds = median_seconds(
        lambda: sweep.run(name, rates, CAPACITY, SEED), SECONDS, fewest=3, most=50
    )
    return seconds / len(rates)
