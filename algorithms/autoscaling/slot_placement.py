"""Placement of partitions on the pods of a StatefulSet, which removes the highest ordinals first.

A pod's ordinal is its slot, and its consumer's id.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import balanced_members, rate_placement, smoothed_rates
from algorithms.autoscaling.dispatch import COUNT, IDS, NO_ANSWER, Seen
from algorithms.autoscaling.rate_placement import Placement
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel


class Slots(NamedTuple):
    """State of the placement on slots."""

    placement: Placement
    used: Longs
    """int64[1]: number of slots on which the partitions were placed last."""


def create(group: Group) -> Slots:
    """The placement before the first decision: the slots of the initial replicas are used."""
    return Slots(rate_placement.create(group), np.full(1, group.initial_replicas, np.int64))


@kernel
def place(slots: Slots, seen: Seen, count: int, after: Longs) -> tuple[int, int]:
    """Place the partitions on the slots ``0 .. count - 1``, and scale to them once that is done.

    count: Slots to use, at least 1.
    after: int64[P], filled with slots.
    Returns: replicas and kind; see `algorithms.autoscaling.dispatch.decides`.

    - More slots than before: partitions move as in `balanced_members.even_out`, also to replicas
      that were about to go.
    - Fewer: the partitions of the other slots move to the least loaded ones that stay, the largest
      first. All replicas stay. At a later look they are removed, if their slots are empty.
    - As many: as in `rate_placement.place`.
    - During an action of its own there is no answer. It is taken to last as long as the settings of
      the group say. To remove replicas with empty slots takes no time.
    """
    if rate_placement.is_settling(slots.placement, seen.time):
        return NO_ANSWER, COUNT
    if count > slots.used[0] or not _are_below(count, seen.owners):
        return _move(slots, seen, count, after)
    slots.used[0] = count
    if count == seen.replicas:
        return rate_placement.even_out(slots.placement, seen, after)
    for p in range(after.shape[0]):
        after[p] = seen.owners[p]
    return count, IDS


@kernel
def _move(slots: Slots, seen: Seen, count: int, after: Longs) -> tuple[int, int]:
    """Place on other slots, beside replicas whose slots will be empty."""
    placement = slots.placement
    members, weights = placement.members, placement.weights
    smoothed_rates.fill_weights(placement.smoothed, weights)
    balanced_members.take_slots(members, seen.owners, count, weights)
    balanced_members.place_orphans(members, weights)
    if count > slots.used[0]:
        balanced_members.even_out(members, weights)
    balanced_members.name_owners(members, seen.owners, after)
    slots.used[0] = count
    replicas = max(count, seen.replicas)
    rate_placement.begin(placement, seen.time, seen.replicas, replicas)
    return replicas, IDS


@kernel
def _are_below(count: int, owners: Longs) -> bool:
    """Whether all partitions are on the first slots."""
    are_below = True
    for owner in owners:
        are_below = are_below and 0 <= owner < count
    return are_below
