"""A number of replicas that never changes."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel


class Constant(NamedTuple):
    """State of the strategy ``constant``: its number of replicas."""

    partitions: int
    replicas: int


def start(group: Group) -> Constant:
    """Start ``constant``: ``initial_replicas`` at every decision."""
    return Constant(group.partitions, group.initial_replicas)


@decides(Constant)
@kernel
def _decide(state: Constant, seen: Seen, after: Longs) -> tuple[int, int]:
    return state.replicas, 0
