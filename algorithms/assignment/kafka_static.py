"""Kafka's static assignment to a fixed number of consumers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment.stepping import makes_steps
from algorithms.core.arrays import Floats, Ints, check_count
from algorithms.core.compiled import kernel


class Static(NamedTuple):
    """State of a static assignment of P partitions."""

    before: Ints
    """int32[P]: consumers after the last step, -1 = absent."""
    home: Ints
    """int32[P]: consumer of each partition while it is present."""


def start(partitions: int, capacity: float, seed: int, *, n: int) -> Static:
    """Start kd_n: partition ``i`` is assigned to consumer ``i mod n`` and stays there.

    capacity, seed: Not used: this assignment ignores speeds.
    n: Number of consumers, ``1 .. P``. Their load can exceed any capacity.

    The baseline "Kafka default" of Landau, Saurabh, Andrade, Barbosa 2024, Section VI-C. A
    partition that departs and arrives again returns to the same consumer. O(P) per step.

    >>> from algorithms.assignment import registry
    >>> rates = np.array([[1.0, 2.0, 3.0], [1.0, np.nan, 3.0]])
    >>> registry.get("kd_2").assign(rates, 10.0, 0).tolist()
    [[0, 1, 0], [0, -1, 0]]
    """
    n = check_count("n of kd_n", n, 1, partitions)
    home = np.arange(partitions, dtype=np.int32) % np.int32(n)
    return Static(before=np.full(partitions, -1, dtype=np.int32), home=home)


@makes_steps(Static)
@kernel
def _step(state: Static, rates: Floats, after: Ints) -> None:
    for j in range(rates.shape[0]):
        after[j] = state.home[j] if rates[j] >= 0.0 else -1
