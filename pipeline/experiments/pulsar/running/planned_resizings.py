"""Changes of instances at set times, and windows without one, in random order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from algorithms.core.seeds import derive_seed
from live.pulsar.function_settings import RECOGNISE
from live.pulsar.scaling_loop import Resizing
from pipeline.settings.pulsar_experiment import PulsarExperiment
from schemas.tables.pulsar.pulsar_changes import DOWN, NONE, UP


class Slot(NamedTuple):
    """A change or a window without one."""

    at_s: float
    kind: str
    before: int
    after: int


WINDOW_SHARE = 0.75
"""Part of a slot, from the change on, in which output counts; the rest separates changes."""


def window_s(experiment: PulsarExperiment) -> float:
    """Length of the windows in which output counts, s: before the next change can be."""
    return WINDOW_SHARE * min(experiment.slot_s, experiment.decision_s)


def slots(experiment: PulsarExperiment, seed: int) -> list[Slot]:
    """As many changes as windows without one, up and down in turn.

    The times of each kind are spread evenly over the time between two events, in random order:
    what an instance holds at a change does not depend on when we chose to make it.
    """
    many = 4 * experiment.resizings
    order = _shuffled(range(many), seed, "slot")
    is_change = set(order[: many // 2])
    low, count = experiment.first_instances, experiment.first_instances
    planned = []
    for place in range(many):
        after = (2 * low + 1 - count) if place in is_change else count
        kind = NONE if after == count else UP if after > count else DOWN
        planned.append(Slot((place + 0.5) * experiment.slot_s, kind, count, after))
        count = after
    spacing = min(1.0 / experiment.fastest, (1.0 - WINDOW_SHARE) * experiment.slot_s)
    for kind in (UP, DOWN, NONE):
        places = [place for place, slot in enumerate(planned) if slot.kind == kind]
        for rank, place in enumerate(_shuffled(places, seed, "phase")):
            slot, phase = planned[place], (rank + 0.5) / len(places)
            planned[place] = slot._replace(at_s=slot.at_s + phase * spacing)
    return planned


def _shuffled(places: Iterable[int], seed: int, what: str) -> list[int]:
    return sorted(places, key=lambda place: derive_seed(seed, what, place))


def resizings(planned: list[Slot]) -> list[Resizing]:
    """The changes among slots."""
    return [Resizing(slot.at_s, RECOGNISE, slot.after) for slot in planned if slot.kind != NONE]
