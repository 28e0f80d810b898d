"""Bursts of live runs in the simulated group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling.group_defaults import PAPER_GROUP
from algorithms.simulation import simulate
from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from live.live_settings import BURSTS, DRIFT, EVEN
from live.records.burst_schedule import BurstSchedule, times_at
from pipeline.experiments.streams.burst_steps import at_phase, burst_steps, bursts_at, whole_seconds

pytestmark = pytest.mark.unit

RATES = split(three_peaks(600), 5)

seconds = st.lists(st.floats(0.001, 500.0), min_size=1, max_size=20)


@given(seconds, st.integers(0, 9))
def test_a_second_has_its_events_in_the_step_of_its_phase(totals: list[float], tenth: int) -> None:
    rates = split(totals, 3)
    steps = burst_steps(rates, BURSTS, tenth / 10, 0.1)
    events = steps.reshape(len(totals), 10, 3) * 0.1
    assert events[:, tenth] == pytest.approx(whole_seconds(rates))
    assert not np.delete(events, tenth, axis=1).any()


def test_events_of_a_second_are_those_of_the_producer() -> None:
    rates = (RATES * 500).tolist()
    schedule = BurstSchedule(rates, 1.0, 500, lambda end_ns: times_at(1, end_ns), None)
    sent = [sum(sizes) for _, _, sizes in schedule.bursts()]
    events = burst_steps(RATES, BURSTS, 0.0, 0.05).reshape(600, -1).sum(axis=1) * 0.05
    assert events == pytest.approx(sent)
    assert sum(sent) == np.ceil(three_peaks(600)).sum()


def test_even_rates_stay() -> None:
    steps = burst_steps(RATES, EVEN, 0.0, 0.5)
    assert np.array_equal(steps[::2], RATES)
    assert np.array_equal(steps[1::2], RATES)


def test_drift_moves_bursts_and_those_past_the_end_are_lost() -> None:
    rates = np.array([[10.0]] * 4)
    steps = burst_steps(rates, DRIFT, 0.0, 0.25, drift_s=0.25)
    assert np.flatnonzero(steps).tolist() == [0, 5, 10, 15]
    assert set(steps[steps > 0]) == {40.0}
    assert np.flatnonzero(burst_steps(rates, DRIFT, 0.5, 0.25, drift_s=0.25)).tolist() == [2, 7, 12]


@pytest.mark.parametrize("step_s", [0.3, 2.0, 0.7])
def test_steps_are_parts_of_a_second(step_s: float) -> None:
    with pytest.raises(ValueError, match="step_s must be a part of a second"):
        burst_steps(RATES, BURSTS, 0.0, step_s)


@pytest.mark.parametrize("phase_s", [0.0, 0.5, 0.95])
def test_events_wait_as_long_in_short_steps(phase_s: float) -> None:
    group = {**PAPER_GROUP, "heartbeat_s": 3.0, "initial_replicas": 2}
    short = {"arrivals": "burst", "step_s": 0.05, "decision_s": 1.0}
    by_second = simulate(
        whole_seconds(RATES), "constant", settings={**group, **at_phase(BURSTS, phase_s)}
    )
    by_step = simulate(
        burst_steps(RATES, BURSTS, phase_s, 0.05), "constant", settings={**group, **short}
    )
    assert by_step.sla_percent == pytest.approx(by_second.sla_percent)
    assert 0 < by_step.sla_percent < 100


def test_a_decision_comes_as_long_after_the_burst_as_a_second_has_left() -> None:
    assert at_phase(BURSTS, 0.75) == {"arrivals": "burst", "decision_offset_s": 0.25}
    assert at_phase(BURSTS, 0.0)["decision_offset_s"] == 0.0
    assert at_phase(EVEN, 0.75) == {"arrivals": "uniform", "decision_offset_s": 0.0}


def test_bursts_come_at_their_own_times() -> None:
    """Those of second 1 and 2 in one step; the last one after the end, and one has no time."""
    rates = np.array([[4.0], [8.0], [12.0], [16.0], [20.0]])
    steps = bursts_at(rates, np.array([0.3, 2.0, 2.2, 5.0]), 0.25)
    assert np.flatnonzero(steps).tolist() == [1, 8]
    assert steps[[1, 8], 0].tolist() == [4.0 * 4, (8.0 + 12.0) * 4]
    assert len(steps) == 20
