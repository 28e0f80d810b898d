"""Random partitions with related rates and lags, packed by the least-loaded packing and exactly."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import least_loaded
from algorithms.autoscaling.least_loaded_scaling import lag_capacity
from algorithms.bounds.effort import effort
from algorithms.bounds.rate_and_lag import fewest_replicas
from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed

PARTITIONS = (9, 16, 32, 64)
CORRELATIONS = (0.9, 0.0, -0.9)
"""Of the logarithms of rates and lags: lag where the rate is high, anywhere, where it is low."""

MU, WSLA_S, FACTOR = 200.0, 0.5, 0.9
"""A replica of Ezzeddine 2024, at the factor for scaling up."""

SHARE = 0.25
"""Mean rate and mean lag of a partition, in what a replica may have."""

SPREAD = 0.6
"""Standard deviation of the logarithms."""

_DECIMALS = 6
EFFORT = effort(0.3)._replace(guard=1.0)
"""Of one instance; the integer program may take a second."""


class Cell(NamedTuple):
    """Instances of one kind."""

    partitions: int
    correlation: float


class Packed(NamedTuple):
    """Replicas of one instance."""

    cell: Cell
    least_loaded: int
    lower: int
    upper: int
    """`lower`, `upper`: interval that contains the fewest."""
    seconds: float
    """Time of the exact packing."""

    @property
    def is_proved(self) -> bool:
        """Whether the fewest are known."""
        return self.lower == self.upper

    @property
    def gap(self) -> int:
        """Replicas that the least-loaded packing surely has too many."""
        return self.least_loaded - self.upper

    @property
    def most(self) -> int:
        """Replicas that it may have too many."""
        return self.least_loaded - self.lower


def drawn(cell: Cell, number: int) -> tuple[Floats, Floats]:
    """Rates and lags of an instance."""
    seed = derive_seed(0, "packing", cell.partitions, str(cell.correlation), number)
    first, second = np.random.default_rng(seed).standard_normal((2, cell.partitions))
    other = cell.correlation * first + np.sqrt(1.0 - cell.correlation**2) * second
    rates, lags = (np.exp(SPREAD * logarithms) for logarithms in (first, other))
    return tuple(
        np.round(amounts / amounts.mean() * SHARE * capacity, _DECIMALS)
        for amounts, capacity in zip((rates, lags), capacities(), strict=True)
    )


def capacities() -> tuple[float, float]:
    """Rate and lag that a replica may have."""
    return MU * FACTOR, lag_capacity(MU, WSLA_S, FACTOR)


def packed(cell: Cell, number: int) -> Packed:
    """Pack an instance both ways."""
    rates, lags = drawn(cell, number)
    count = len(least_loaded.pack(rates, lags, *capacities()))
    begun = time.perf_counter()
    bound = fewest_replicas(rates, lags, *capacities(), EFFORT)
    seconds = time.perf_counter() - begun
    return Packed(cell, count, int(bound.lower), int(bound.upper), seconds)
