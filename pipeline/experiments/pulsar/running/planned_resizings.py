"""Changes of instances at set times, and windows without one, in random order."""

from __future__ import annotations

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
    """As many changes as windows without one, up and down in turn, all with the same phase."""
    many = 4 * experiment.resizings
    order = sorted(range(many), key=lambda place: derive_seed(seed, "slot", place))
    is_change = set(order[: many // 2])
    low, count = experiment.first_instances, experiment.first_instances
    planned = []
    for place in range(many):
        after = (2 * low + 1 - count) if place in is_change else count
        kind = NONE if after == count else UP if after > count else DOWN
        planned.append(Slot((place + 0.5) * experiment.slot_s, kind, count, after))
        count = after
    return planned


def resizings(planned: list[Slot]) -> list[Resizing]:
    """The changes among slots."""
    return [Resizing(slot.at_s, RECOGNISE, slot.after) for slot in planned if slot.kind != NONE]
