"""Strategies under our controller, which places partitions and scales its StatefulSet itself.

The controller looks at the group every ``look_s``. The strategy decides on a count at looks, no
more often than alone; the controller places by rate. Used slots are always ``0 .. n - 1``. While
looks fail, count and placement stay.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from algorithms.autoscaling import (
    compiled_decisions,  # noqa: F401  for `decide`
    scaler_looks,
    slot_placement,
    smoothed_rates,
)
from algorithms.autoscaling.dispatch import NO_ANSWER, Seen, check_of, decide, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.scaler_looks import COUNT, Looks
from algorithms.autoscaling.slot_placement import Slots
from algorithms.core.arrays import Longs
from algorithms.core.compiled import allocating_unkept


class Controlled(NamedTuple):
    """State of a counting strategy and of the controller that runs it."""

    partitions: int
    counting: Any
    """State of the strategy."""
    slots: Slots
    """State of the placement."""
    looks: Looks
    """What the controller has seen."""
    min_replicas: int
    max_replicas: int
    """`min_replicas`, `max_replicas`: bounds of the count; the least is at least 1."""


def check(
    group: Group, *, counting: str, decides_s: float, look_s: float, **arguments: Any
) -> None:
    """Raise what `start` would raise."""
    check_of(counting)(scaler_looks.inner_group(group, decides_s, look_s), **arguments)


def start(
    group: Group, *, counting: str, decides_s: float, look_s: float, **arguments: Any
) -> Controlled:
    """Start a strategy that decides on a count under the controller.

    counting: Full name of the strategy's module.
    decides_s: Time between decisions of the strategy alone, seconds.
    look_s: Time between looks of the controller at the group, seconds.
    arguments: Those of the strategy.

    Each decision of the group is a moment at which a look may be due: times between them are
    rounded up to decisions. Loads are smoothed from one decision of the strategy to the next.
    O(P) per decision, beside the work of the strategy and of `slot_placement.place`.
    """
    own = scaler_looks.inner_group(group, decides_s, look_s)
    return Controlled(
        partitions=group.partitions,
        counting=import_module(counting).start(own, **arguments),
        slots=slot_placement.create(own),
        looks=scaler_looks.create(group, own, look_s),
        min_replicas=max(group.min_replicas, 1),
        max_replicas=group.max_replicas,
    )


# Not cached by itself: the state of a strategy may be of a package that others cannot import.
@decides(Controlled, knows_blindness=True)
@allocating_unkept
def _decide(state: Controlled, seen: Seen, after: Longs) -> tuple[int, int]:
    looks, marks = state.looks, state.looks.marks
    scaler_looks.read_offsets(looks, seen)
    scaler_looks.observe(looks, seen)
    if not scaler_looks.is_look(looks, seen, False):
        return NO_ANSWER, 0
    if scaler_looks.is_decision(looks, seen.time):
        count = marks[COUNT] if marks[COUNT] >= 0 else seen.replicas
        own = scaler_looks.since_last_decision(looks, seen, count)
        smoothed_rates.observe(state.slots.placement.smoothed, own.rates)
        answer, _ = decide(state.counting, own, after)
        if answer >= 0:
            count = answer
        scaler_looks.decided(looks, seen.time, count, state.min_replicas, state.max_replicas)
    if marks[COUNT] < 0:
        return NO_ANSWER, 0
    return slot_placement.place(state.slots, seen, marks[COUNT], after)
