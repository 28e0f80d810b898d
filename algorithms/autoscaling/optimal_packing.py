"""The least-loaded packing by rates alone, at every decision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import least_loaded
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.least_loaded import Bins
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel


class Optimal(NamedTuple):
    """State of the strategy ``optimal``."""

    partitions: int
    work: Bins
    """Work arrays of the packing."""
    no_lags: Floats
    """float64[P]: zeros."""
    capacity: float
    """Rate that a replica may have, events/s."""


def start(group: Group, *, capacity: float) -> Optimal:
    """Start ``optimal``: pack by rates, whatever the present assignment is.

    capacity: Rate of a full replica, events/s.

    Ezzeddine 2024, the reference "Optimal". It is meant to see the rates of the present step
    (``observe = now``) in a group without delays. A partition fits if the remaining rate exceeds
    its own; an empty bin takes any partition. Rates are cut to the capacity, and ties go as in
    `algorithms.autoscaling.least_loaded.pack`.
    """
    return Optimal(
        partitions=group.partitions,
        work=least_loaded.create(group.partitions, 1),
        no_lags=np.zeros(group.partitions),
        capacity=capacity,
    )


@decides(Optimal)
@kernel
def _decide(state: Optimal, seen: Seen, after: Longs) -> tuple[int, int]:
    capacity = state.capacity
    replicas = least_loaded.fill(state.work, seen.rates, state.no_lags, capacity, 0.0, 1, True)
    least_loaded.copy_bins(state.work.bins, after)
    return replicas, 1
