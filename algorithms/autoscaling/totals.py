"""Sums over partitions, and numbers of replicas from quotients, as every strategy takes them."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.compiled import kernel

_SLACK = 1e-9
# Beyond any number of replicas, and within the integers.
_MOST = 2.0**31


@kernel
def total(values: Floats) -> float:
    """Sum in the order of the partitions."""
    result = 0.0
    for value in values:
        result += value
    return result


@kernel
def count_of(quotient: float) -> int:
    """Replicas for a quotient of rates: ``ceil(quotient - 1e-9)``, at least 1."""
    return max(int(np.ceil(min(quotient, _MOST) - _SLACK)), 1)
