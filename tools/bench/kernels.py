"""How fast the paper's algorithms assign, from 32 to 100,000 partitions, beside the reference.

A time is that of `algorithms.scores.sweep.run` on a generated stream, divided by its iterations:
sorting
or shuffling, assigning, and counting consumers, migrations and Rscore. The reference is the plain
implementation of the tests, `tests.naive`, which is given its orders and has to count the same.
Both must agree, or there is nothing to compare. Algorithms with passes and sticky repair have no
such reference; they are measured alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from algorithms.assignment import registry
from algorithms.core import shuffle
from algorithms.core.arrays import Floats
from algorithms.scores import sweep
from algorithms.workloads import random_walk
from tests import naive
from tools.bench import kernel_summary, results_file
from tools.bench.timing import median_seconds
from tools.console import say

BEYOND = ("BFD+M+P", "SR_0.4", "SR_1", "SR_inf")
"""Algorithms beyond the paper's, which have no plain reference."""

SIZES = (32, 200, 1_000, 10_000, 100_000)
FITTED = (1_000, 100_000)

CAPACITY, DELTA, SEED = 1e8, 10.0, 7
# Partitions times iterations of a stream, and its fewest iterations: the first one has no past.
CELLS, FEWEST_ITERATIONS = 40_000, 4
SECONDS = 0.3
REFERENCE_ITERATIONS, REFERENCE_SECONDS = 2, 2.5


def main(file: Path) -> None:
    """Measure everything, print the table and write `kernels` and `exponents` to a file."""
    rows = list(measure())
    fitted = kernel_summary.exponents(rows, *FITTED)
    print("microseconds per assignment, and how many times longer the plain reference took\n")
    print(kernel_summary.table(rows, fitted))
    parts = {"kernels": [row._asdict() for row in rows], "exponents": fitted}
    results_file.update(file, parts)
    print(f"\n{file}")


def measure() -> Iterator[kernel_summary.Row]:
    """Measure each of the paper's algorithms, and `BEYOND`, at each size."""
    # By algorithm, the reference's last size and time, from which the next one is estimated.
    last: dict[str, tuple[int, float]] = {}
    for partitions in SIZES:
        say(f"bench: {partitions:,} partitions")
        rates = stream(partitions)
        for name in (*registry.reference_set(), *BEYOND):
            ours = kernel_seconds(name, rates)
            theirs = None
            if name not in BEYOND and affordable(partitions, last.get(name)):
                theirs = reference_seconds(name, rates[:REFERENCE_ITERATIONS])
                last[name] = partitions, theirs
            yield kernel_summary.Row(
                name, partitions, _us(ours), None if theirs is None else _us(theirs)
            )


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
    # Compiles, or loads what has been compiled before.
    sweep.run(name, rates[:2], CAPACITY, SEED)
    seconds = median_seconds(
        lambda: sweep.run(name, rates, CAPACITY, SEED), SECONDS, fewest=3, most=50
    )
    return seconds / len(rates)


def affordable(partitions: int, last: tuple[int, float] | None) -> bool:
    """Whether the reference, quadratic as it is, will be quick enough to be measured.

    Parameters
    ----------
    partitions : int
        Number of partitions to decide about.
    last : (int, float) or None
        Partitions and seconds per assignment as measured last; the first measurement is free.
    """
    if last is None:
        return True
    expected = last[1] * (partitions / last[0]) ** 2
    return expected * REFERENCE_ITERATIONS <= REFERENCE_SECONDS


def reference_seconds(name: str, rates: Floats) -> float:
    """Seconds per assignment of the reference, which must find what the kernel finds."""
    rows = [[None if np.isnan(cell) else float(cell) for cell in row] for row in rates]
    orders = [shuffle.permutation(rates.shape[1], SEED, k).tolist() for k in range(len(rows))]

    def run() -> tuple[list[int], list[int], list[float]]:
        assigned = naive.assign(name, rows, CAPACITY, orders)
        used = [naive.consumers_used(assignment) for assignment in assigned]
        return used, naive.migrations(assigned), naive.rscore(rows, assigned, CAPACITY)

    found = sweep.run(name, rates, CAPACITY, SEED)
    numbers = found.n_consumers.tolist(), found.n_migrations.tolist(), found.rscore.tolist()
    if run() != numbers:
        raise RuntimeError(f"{name} and its reference differ on {rates.shape[1]} partitions")
    return median_seconds(run, seconds=0.1, fewest=1, most=20) / len(rows)


def _us(seconds: float) -> float:
    return seconds * 1e6
