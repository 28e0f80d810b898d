"""Replicas for the recent peak, with a margin and the imbalance of the assignment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment.assignors import assignor_names, placement
from algorithms.assignment.assignors.placement import Scratch
from algorithms.autoscaling import (
    assigned_loads,
    largest_first,
    recent_values,
    smoothed_rates,
    totals,
)
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.recent_values import Recent
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.smoothed_rates import Smoothed
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner, kernel

# Far above the error of as many roundings as there are partitions.
_SURELY = 1.0 - 1e-9


class Headroom(NamedTuple):
    """State of the strategy ``headroom``."""

    partitions: int
    recent: Recent
    """Total rates of the last seconds."""
    members: Longs
    """int64[M]: ids from 0: the members of a group that an assignor places."""
    loads: Floats
    """float64[M]: rate of each member under an assignment."""
    weights: Floats
    whole_lags: Floats
    """`weights`, `whole_lags`: float64[P]: rates by which shares are computed, and lags without
    fractions."""
    scratch: Scratch
    """Work arrays of the assignor."""
    smoothed: Smoothed
    """Rates by which partitions are packed."""
    capacity: float
    """Rate that one member may have, events/s."""
    assignor: int
    max_replicas: int
    h: float
    hold: float
    largest_first: bool
    """`assignor`, `max_replicas`, `h`, `hold`, `largest_first`: code of the assignor, a setting of
    the group, and the arguments of `start`."""


def start(group: Group, *, h: float, hold: float, largest_first: bool) -> Headroom:
    """Start ``headroom``: the least n with ``h * max * top_n <= C``, at most ``max_replicas``.

    ``max`` is the greatest total rate observed in the last `hold` seconds, ``top_n`` the largest
    share of the total rate that one of n members would get from the group's assignor, and C the
    rate of one consumer: ``mu``, or for bursts ``mu (wsla_s - 1 / (2 mu))``, which it serves in
    time.

    h: Margin over the peak, as a factor.
    hold: Seconds for which a peak counts: while its age is strictly below.
    largest_first: Whether ``top_n`` is that of a largest-first packing of the smoothed rates
        instead of the assignor's, for a group whose partitions are placed by rate.
    Raises InvalidParameterError if too many decisions are made in `hold` seconds.

    The assignor starts from the present owners; members have the ids ``0 .. n-1``, as in a group
    that only this strategy scales. While no events arrive, all partitions have equal shares.
    Numbers n are tried in ascending order, except those that the mean load rules out. O(T P) for T
    tried numbers.
    """
    largest = max(group.partitions, group.max_replicas)
    return Headroom(
        partitions=group.partitions,
        recent=recent_values.covering("hold", hold, group.decision_s),
        members=np.arange(group.max_replicas),
        loads=np.empty(largest),
        weights=np.empty(group.partitions),
        whole_lags=np.empty(group.partitions),
        scratch=placement.scratch(group.partitions, largest, group.topics or None),
        smoothed=smoothed_rates.create(group.partitions, group.decision_s),
        capacity=group.capacity,
        assignor=assignor_names.code_of(group.assignor),
        max_replicas=group.max_replicas,
        h=h,
        hold=hold,
        largest_first=largest_first,
    )


@decides(Headroom)
@kernel
def _decide(state: Headroom, seen: Seen, after: Longs) -> tuple[int, int]:
    total = totals.total(seen.rates)
    recent_values.forget(state.recent, seen.time, state.hold)
    peak = recent_values.greatest(state.recent, seen.time, state.hold, total)
    recent_values.record(state.recent, seen.time, total)
    weight = _weigh(state, seen, total)
    largest = 0.0
    for p in range(state.partitions):
        largest = max(largest, state.weights[p])
    planned = state.h * peak
    # Some member has the largest partition, however many members there are.
    if planned * (largest / weight) > state.capacity:
        return state.max_replicas, 0
    for n in range(_first(state, planned), state.max_replicas):
        load = _largest_load(state, seen.owners, n, planned, weight, after)
        if planned * (load / weight) <= state.capacity:
            return n, 0
    return state.max_replicas, 0


@inner
def _weigh(state: Headroom, seen: Seen, total: float) -> float:
    """Fill in what the assignment of partitions goes by; return the total weight."""
    if state.largest_first:
        smoothed_rates.observe(state.smoothed, seen.rates)
        weight = smoothed_rates.fill_weights(state.smoothed, state.weights)
        sorting.descending(state.weights, state.scratch.order, state.scratch.spare)
        return weight
    for p in range(state.partitions):
        state.weights[p] = seen.rates[p] if total > 0.0 else 1.0
        state.whole_lags[p] = np.floor(seen.lags[p])
    return totals.total(state.weights)


@inner
def _first(state: Headroom, planned: float) -> int:
    """Number of members below which even equal loads exceed the capacity."""
    needed = planned / state.capacity * _SURELY
    if not needed > 1.0:
        return 1
    return int(np.ceil(min(needed, float(state.max_replicas))))


@inner
def _largest_load(
    state: Headroom, owners: Longs, n: int, planned: float, weight: float, after: Longs
) -> float:
    """Greatest load of a member if n members get the partitions, or a bound that is too much."""
    if state.largest_first:
        least = largest_first.least_possible(state.weights, state.scratch.order, n) * _SURELY
        if planned * (least / weight) > state.capacity:
            return least
        return largest_first.fill_loads(
            state.weights, state.scratch.order, n, state.loads, state.scratch.sizes
        )
    # A load above it exceeds the capacity, however the comparison is rounded.
    bound = state.capacity * weight / planned / _SURELY
    loads, scratch = state.loads[:n], state.scratch
    if state.assignor in assigned_loads.BY_BLOCKS:
        return assigned_loads.greatest_of_blocks(scratch.starts, state.weights, bound, loads)
    members = state.members[:n]
    placement.settle(state.assignor, members, owners, state.whole_lags, after, scratch)
    return assigned_loads.greatest(after, state.weights, bound, loads)
