"""Counting strategies whose partitions are placed by rate, with the suffix ``+placement``."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from algorithms.autoscaling import compiled_decisions, rate_placement  # noqa: F401  for `decide`
from algorithms.autoscaling.dispatch import Seen, check_of, decide, decides
from algorithms.autoscaling.rate_placement import Placement
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs
from algorithms.core.compiled import allocating_unkept


class Placed(NamedTuple):
    """State of a counting strategy and of the placement."""

    partitions: int
    counting: Any
    """State of the strategy."""
    placement: Placement
    """State of the placement."""


def check(group: Group, *, counting: str, **arguments: Any) -> None:
    """Raise what `start` would raise."""
    check_of(counting)(group, **arguments)


def start(group: Group, *, counting: str, **arguments: Any) -> Placed:
    """Start a strategy that decides on a count, and the placement by rate.

    counting: Full name of the strategy's module.

    See `algorithms.autoscaling.rate_placement.place`. The strategy makes every decision, also those
    that are not carried out because an action is under way.
    """
    return Placed(
        partitions=group.partitions,
        counting=import_module(counting).start(group, **arguments),
        placement=rate_placement.create(group),
    )


# Not cached by itself: the state of a strategy may be of a package that others cannot import.
@decides(Placed)
@allocating_unkept
def _decide(state: Placed, seen: Seen, after: Longs) -> tuple[int, int]:
    count, _ = decide(state.counting, seen, after)
    return rate_placement.place(state.placement, seen, count, after)
