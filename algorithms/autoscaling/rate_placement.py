"""Placement of partitions by rate with few moves, for any strategy that decides on a count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import action_delays, balanced_members, largest_first, smoothed_rates
from algorithms.autoscaling.action_delays import Delays
from algorithms.autoscaling.balanced_members import Balanced
from algorithms.autoscaling.dispatch import COUNT, IDS, NO_ANSWER, Seen
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.smoothed_rates import Smoothed
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

UNEVEN = 1.15
"""Largest load, over that of a packing, above which partitions move at the same count."""

EVEN_FOR_S = 60.0
"""Time between moves at the same count, and before the first ones, in seconds."""

_SAME_INSTANT_S = 1e-9
_SETTLES, _EVENED = 0, 1


class Placement(NamedTuple):
    """State of the placement."""

    smoothed: Smoothed
    """Rates of the partitions."""
    weights: Floats
    """float64[P]: loads of the partitions: their smoothed rates, or ones without events."""
    members: Balanced
    """The members."""
    packed: Floats
    heap: Longs
    """`packed`, `heap`: float64[M], int64[M]: loads of a packing, and space for it."""
    times: Floats
    """float64[2]: when the last action has settled, and when partitions were last moved at the same
    count, in seconds."""
    delays: Delays
    """How long actions take."""
    min_replicas: int
    max_replicas: int
    """`min_replicas`, `max_replicas`: bounds of the group."""


def create(group: Group) -> Placement:
    """The placement before the first decision. Memory is O(P + replicas)."""
    p = group.partitions
    return Placement(
        smoothed=smoothed_rates.create(p, group.decision_s),
        weights=np.empty(p),
        members=balanced_members.create(p, group.max_replicas, group.initial_replicas),
        packed=np.empty(group.max_replicas),
        heap=np.empty(group.max_replicas, np.int64),
        times=np.array([-np.inf, 0.0]),
        delays=action_delays.delays_of(group),
        min_replicas=group.min_replicas,
        max_replicas=group.max_replicas,
    )


@kernel
def place(placement: Placement, seen: Seen, count: int, after: Longs) -> tuple[int, int]:
    """Place the partitions for a number of replicas, `NO_ANSWER` for the present one.

    placement: Must get every decision.
    count: Replicas that the strategy decided on; limited to the bounds of the group.
    after: int64[P], filled with consumer ids.
    Returns: replicas and kind; see `algorithms.autoscaling.dispatch.decides`.

    - More replicas: partitions move as in `balanced_members.even_out`.
    - Fewer: the least loaded members leave, and only their partitions move.
    - As many: at most once a minute, and if the largest load is above 1.15 times that of a
      largest-first packing, partitions move as for more replicas.
    - During an action of its own there is no answer. It is taken to last as long as the settings of
      the group say.

    O(P) without an action; see `balanced_members` for the rest.
    """
    smoothed_rates.observe(placement.smoothed, seen.rates)
    if is_settling(placement, seen.time):
        return NO_ANSWER, COUNT
    replicas = seen.replicas if count == NO_ANSWER else count
    replicas = min(max(replicas, placement.min_replicas), placement.max_replicas)
    if replicas == 0:
        return (0 if seen.replicas > 0 else NO_ANSWER), COUNT
    if replicas == seen.replicas and not _has_orphans(seen.owners, placement.members):
        return even_out(placement, seen, after)
    return _resize(placement, seen, replicas, after)


@kernel
def _resize(placement: Placement, seen: Seen, replicas: int, after: Longs) -> tuple[int, int]:
    """Place for another number of replicas, or partitions that no member has."""
    members, weights = placement.members, placement.weights
    smoothed_rates.fill_weights(placement.smoothed, weights)
    balanced_members.take_stock(members, seen.owners, seen.replicas, weights)
    before = members.number[0]
    balanced_members.resize(members, seen.owners, replicas, weights)
    balanced_members.place_orphans(members, weights)
    if replicas >= before:
        balanced_members.even_out(members, weights)
    balanced_members.name_owners(members, seen.owners, after)
    begin(placement, seen.time, before, replicas)
    return replicas, IDS


@kernel
def even_out(placement: Placement, seen: Seen, after: Longs) -> tuple[int, int]:
    """Move partitions between the present members if that is due; see `place`."""
    if seen.time < placement.times[_EVENED] + EVEN_FOR_S - _SAME_INSTANT_S:
        return NO_ANSWER, COUNT
    members, weights = placement.members, placement.weights
    total = smoothed_rates.fill_weights(placement.smoothed, weights)
    balanced_members.take_stock(members, seen.owners, seen.replicas, weights)
    if members.number[0] != seen.replicas:
        return _resize(placement, seen, seen.replicas, after)
    if not _is_uneven(placement, total):
        return NO_ANSWER, COUNT
    balanced_members.even_out(members, weights)
    if not balanced_members.name_owners(members, seen.owners, after):
        return NO_ANSWER, COUNT
    begin(placement, seen.time, seen.replicas, seen.replicas)
    placement.times[_EVENED] = seen.time
    return seen.replicas, IDS


@kernel
def _is_uneven(placement: Placement, total: float) -> bool:
    """Whether the largest load is far above that of a packing into as many members."""
    members, weights = placement.members, placement.weights
    n = members.number[0]
    largest = balanced_members.largest_load(members)
    # No packing is below the largest partition, or the mean load.
    least = total / n
    for weight in weights:
        least = max(least, weight)
    if largest <= UNEVEN * least:
        return False
    sorting.descending(weights, members.order, members.spare)
    packed = largest_first.fill_loads(weights, members.order, n, placement.packed, placement.heap)
    return largest > UNEVEN * packed


@kernel
def begin(placement: Placement, time: float, before: int, after: int) -> None:
    """Note that an action begins, with the members before and after it."""
    delay = action_delays.settled_after(placement.delays, before, after)
    placement.times[_SETTLES] = time + delay


@kernel
def is_settling(placement: Placement, time: float) -> bool:
    """Whether an action of the placement's own is under way."""
    return bool(time < placement.times[_SETTLES] - _SAME_INSTANT_S)


@kernel
def _has_orphans(owners: Longs, members: Balanced) -> bool:
    """Whether a partition has no owner, or one with an id that no member can have."""
    orphans = False
    for owner in owners:
        orphans = orphans or not 0 <= owner < members.places.shape[0]
    return orphans
