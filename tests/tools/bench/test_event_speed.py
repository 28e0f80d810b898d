"""What is measured of simulations with events."""

from __future__ import annotations

import pytest

from algorithms.simulation.incident_kinds import KINDS
from tools.bench import event_speed
from tools.bench.event_speed import EVENTS, NONE, EventTime

pytestmark = pytest.mark.unit


def test_every_kind_of_event_happens_within_the_workload() -> None:
    kinds = [incident.kind for event in EVENTS for incident in event_speed.happening(event)]
    assert sorted(kinds) == sorted(KINDS)
    assert event_speed.happening(NONE) == ()


def test_speed_counts_each_partition_in_each_step() -> None:
    assert EventTime("constant", NONE, 720.0).millions_per_s == pytest.approx(2.0)
