"""The schedule that the settings of a run ask for."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from live.live_settings import LiveSettings
from live.records import schedules
from live.records.burst_schedule import SECOND_NS, DriftSchedule
from live.records.run_clock import RunClock
from live.records.send_schedule import SendSchedule
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

RATES = [[1000.0, 1500.0]] * 3


def settings(**changes: Any) -> LiveSettings:
    sizes = {"iterations": 3, "iteration_s": 1.0, "record_bytes": 500}
    return short_settings(**{**sizes, **changes})


def test_arrivals_of_today_are_even() -> None:
    made = schedules.to_send(settings(), RATES)
    assert isinstance(made, SendSchedule)
    assert list(made.records()) == list(SendSchedule(RATES, 1.0, 500).records())


@pytest.mark.parametrize("phase_s", [0.0, 0.02, 0.5, 0.999])
def test_bursts_come_at_their_phase(phase_s: float) -> None:
    made = schedules.to_send(settings(arrivals="bursts", phase_s=phase_s), RATES)
    due = [record.due_ns for record in made.records()]
    first_ns = max(round(phase_s * SECOND_NS), 1)
    assert due == [first_ns + second * SECOND_NS for second in range(3) for _ in range(5)]


def test_drift_follows_the_clock_of_the_run() -> None:
    began_ns = RunClock().now()
    drifting = settings(arrivals="drift", phase_s=0.2, began_ns=began_ns)
    made = schedules.to_send(drifting, RATES)
    assert isinstance(made, DriftSchedule)
    records = list(made.records())
    # Nothing is waited for here, so each burst follows the one before it by a second exactly.
    assert made.times[0] == 200_000_000
    assert all(b - a == SECOND_NS for a, b in zip(made.times, made.times[1:], strict=False))
    assert list(schedules.as_sent(drifting, RATES, made.times).records()) == records


@pytest.mark.parametrize("arrivals", ["bursts", "drift"])
def test_hashed_keys_are_drawn_by_the_seed(arrivals: str) -> None:
    """What is replayed is what was sent, and other seeds send other records."""
    sent = []
    for seed in (3, 3, 4):
        chosen = settings(arrivals=arrivals, keys="hashed", phase_s=0.1, seed=seed)
        # Of a run that begins when the schedule does.
        chosen = dataclasses.replace(chosen, began_ns=RunClock().now())
        made = schedules.to_send(chosen, [[40_000.0, 60_000.0]] * 3)
        sent.append([(record.partition, record.sequence) for record in made.records()])
        times = made.times if isinstance(made, DriftSchedule) else ()
        replayed = schedules.as_sent(chosen, [[40_000.0, 60_000.0]] * 3, times)
        assert [(r.partition, r.sequence) for r in replayed.records()] == sent[-1]
        assert len(sent[-1]) == 600
    assert sent[0] == sent[1] != sent[2]


def test_what_was_sent_is_known_without_times_if_it_did_not_drift() -> None:
    for arrivals in ("even", "bursts"):
        chosen = settings(arrivals=arrivals, phase_s=0.1)
        sent = schedules.as_sent(chosen, RATES, ()).records()
        assert list(sent) == list(schedules.to_send(chosen, RATES).records())
