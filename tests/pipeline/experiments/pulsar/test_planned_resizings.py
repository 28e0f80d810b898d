"""Changes at set times: as many each way as asked for, as many windows without, random order."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from pipeline.experiments.pulsar.running import planned_resizings
from pipeline.settings.pulsar_experiment import PulsarExperiment

pytestmark = pytest.mark.unit

EXPERIMENT = PulsarExperiment(name="x", resizings=30, first_instances=2, load_levels=(1.6,))


def test_kinds_are_balanced() -> None:
    slots = planned_resizings.slots(EXPERIMENT, 1)
    assert Counter(slot.kind for slot in slots) == {"up": 30, "down": 30, "none": 60}
    assert slots[-1].at_s + planned_resizings.window_s(EXPERIMENT) <= EXPERIMENT.seconds


def test_counts_follow_each_other() -> None:
    slots = planned_resizings.slots(EXPERIMENT, 1)
    assert slots[0].before == 2
    assert all(one.after == other.before for one, other in pairwise(slots))
    assert {slot.after for slot in slots} == {2, 3}


def test_seeds_differ_and_repeat() -> None:
    first = planned_resizings.slots(EXPERIMENT, 1)
    assert first == planned_resizings.slots(EXPERIMENT, 1)
    assert first != planned_resizings.slots(EXPERIMENT, 2)


@pytest.mark.parametrize("seed", [1, 2])
def test_each_kind_has_all_phases_between_two_events(seed: int) -> None:
    spacing = EXPERIMENT.recognise_s / 1.6
    slots = planned_resizings.slots(EXPERIMENT, seed)
    for kind, many in (("up", 30), ("down", 30), ("none", 60)):
        times = [slot.at_s % EXPERIMENT.slot_s for slot in slots if slot.kind == kind]
        phases = [(at - EXPERIMENT.slot_s / 2) / spacing for at in times]
        assert sorted(phases) == pytest.approx([(place + 0.5) / many for place in range(many)])
        assert phases != sorted(phases)


@pytest.mark.parametrize("changes", [{"load_levels": (0.1,), "recognise_s": 10.0}, {"slot_s": 2.0}])
def test_rare_events_leave_windows_apart(changes: dict[str, Any]) -> None:
    rare = PulsarExperiment(
        **{"name": "x", "resizings": 5, "first_instances": 2, "load_levels": (1.6,), **changes}
    )
    slots = planned_resizings.slots(rare, 1)
    window = planned_resizings.window_s(rare)
    assert all(one.at_s + window < other.at_s for one, other in pairwise(slots))
    assert slots[-1].at_s + window <= rare.seconds


def test_windows_end_before_the_next_change() -> None:
    slots = planned_resizings.slots(EXPERIMENT, 3)
    window = planned_resizings.window_s(EXPERIMENT)
    assert all(one.at_s + window < other.at_s for one, other in pairwise(slots))
