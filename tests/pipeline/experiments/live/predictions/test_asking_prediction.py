"""Predictions of groups whose assignor asks, by the simulated group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from live.live_settings import LiveSettings
from live.records.burst_schedule import BurstSchedule, DriftSchedule
from pipeline.experiments.live.predictions.asking_prediction import (
    SimulatedGroup,
    by_second,
    group_settings,
    predict,
)
from pipeline.experiments.streams.burst_steps import with_keys
from pipeline.inputs.policies import strategy_policies


def settings(**changes: Any) -> LiveSettings:
    """Consumers of 200 records/s, without heartbeats, rebalances and batches to wait for."""
    defaults: dict[str, Any] = {
        **{"run": "r", "bootstrap": "", "folder": "", "partitions": 4, "iterations": 10},
        **{"capacity": 100_000.0, "consumer_rate": 100_000.0, "record_bytes": 500},
        **{"iteration_s": 1.0, "heartbeat_s": 0.0, "revoke_s": 0.0, "max_poll_records": 1},
    }
    return LiveSettings(**{**defaults, **changes})


def rates(records: float, steps: int = 10, partitions: int = 4) -> np.ndarray:
    return np.full((steps, partitions), records / partitions * 500)


def test_a_constant_group_that_is_too_small_waits_as_fluid_theory_says() -> None:
    """250 records/s for one consumer of 200: after t seconds the wait is a fifth of it."""
    group = predict(settings(), rates(250.0), "constant:initial_replicas=1", None)
    assert group.replica_minutes == pytest.approx(10 / 60)
    assert group.peak_s == pytest.approx(2.5, abs=0.02)
    # In time are those that depart until 2.5 s, a fifth of all.
    assert group.sla_percent == pytest.approx(20.0, abs=0.5)
    assert group.quantities.consumers == 1.0


@pytest.mark.parametrize("arrivals", ["bursts", "drift"])
def test_bursts_wait_for_each_other(arrivals: str) -> None:
    """Half of a burst of 199 waits longer than 0.5 s; evenly spread records do not wait."""
    even = predict(settings(), rates(199.0), "constant:initial_replicas=1", None)
    own = settings(arrivals=arrivals)
    bursts = predict(own, rates(199.0), "constant:initial_replicas=1", None)
    assert even.sla_percent == 100.0
    assert bursts.sla_percent == pytest.approx(50.0, abs=1.0)


def test_bursts_drift_as_they_did_in_the_run() -> None:
    """With a second and a quarter between bursts, 8 of 10 come within ten seconds."""
    own = settings(arrivals="drift")
    late = [round(1.25e9 * k) for k in range(8)]
    label = "constant:initial_replicas=1"
    assert predict(own, rates(240.0), label, None).peak_s == pytest.approx(3.0, abs=0.1)
    assert predict(own, rates(240.0), label, None, late).peak_s == pytest.approx(1.2, abs=0.1)


def test_the_first_burst_comes_as_the_producer_sent_it() -> None:
    """A producer that loses no time has the bursts that are assumed without a report of it."""
    label, own = "constant:initial_replicas=1", settings(arrivals="drift", phase_s=0.37)
    sent = DriftSchedule(rates(240.0).tolist(), 1.0, 500, 370_000_000, lambda: 0, None)
    assert len(list(sent.records())) == 2400
    reported = predict(own, rates(240.0), label, None, sent.times)
    assumed = predict(own, rates(240.0), label, None)
    np.testing.assert_array_equal(reported.trajectory.replicas, assumed.trajectory.replicas)
    np.testing.assert_array_equal(reported.trajectory.longest_s, assumed.trajectory.longest_s)
    # The step of 0.05 s in which the first burst comes is the eighth.
    assert np.flatnonzero(reported.trajectory.arrived)[0] == 7
    at_once = predict(settings(arrivals="drift"), rates(240.0), label, None)
    assert np.flatnonzero(at_once.trajectory.arrived)[0] == 0


@pytest.mark.parametrize("arrivals", ["bursts", "drift"])
def test_hashed_keys_are_simulated_as_they_are_sent(arrivals: str) -> None:
    """Each consumer has one partition: what one gets beyond 200 in a second waits."""
    own = settings(arrivals=arrivals, keys="hashed", seed=3, phase_s=0.001)
    label, stream = "constant:initial_replicas=4", rates(640.0)
    sent = BurstSchedule(stream.tolist(), 1.0, 500, lambda end_ns: [1] * 10, own.seed)
    counts = np.array([sizes for _, _, sizes in sent.bursts()])
    assert np.array_equal(with_keys(stream / 500, "hashed", own.seed), counts)
    group = predict(own, stream, label, None)
    # Queues are empty after each second, as no partition gets 200.
    assert counts.max() < 200
    assert group.peak_s == pytest.approx(counts.max() / 200, abs=0.06)
    exact = predict(settings(arrivals=arrivals, phase_s=0.001), stream, label, None)
    assert exact.peak_s == pytest.approx(160 / 200, abs=0.06)


@pytest.mark.parametrize(("speeds", "least"), [("given", 4), ("measured", 1)])
def test_a_controller_that_knows_rates_does_not_notice_bursts(speeds: str, least: int) -> None:
    """With a second and a quarter between bursts, every fifth second has none."""
    own = settings(arrivals="drift", iterations=20, speeds=speeds)
    late = [round(1.25e9 * k) for k in range(16)]
    group = predict(own, rates(300.0, 20), "linear", 0.0, late)
    consumers, _ = by_second(group)
    assert consumers[3:].min() == least


@pytest.mark.parametrize("arrivals", ["even", "bursts", "drift"])
def test_a_course_has_every_second(arrivals: str) -> None:
    """Whatever the steps of the simulation; a group that is too small gets slower with each."""
    own = settings(arrivals=arrivals)
    group = predict(own, rates(240.0), "constant:initial_replicas=2", None)
    consumers, longest_s = by_second(group)
    assert consumers.tolist() == [2] * 10
    assert longest_s.shape == (10,)
    late = predict(own, rates(240.0), "constant:initial_replicas=1", None)
    _, longest_s = by_second(late)
    assert (np.diff(longest_s) > -1e-9).all()
    # Another 0.2 s with each burst of 240: those of two bursts can end in one second.
    assert longest_s[-1] == pytest.approx(longest_s[0] + 8 * 0.2, abs=0.21)
    assert longest_s[-1] <= late.peak_s


def test_the_group_has_the_settings_of_the_run_and_of_its_strategy() -> None:
    own = settings(heartbeat_s=0.5, revoke_s=2.0, max_poll_records=50, group_protocol="cooperative")
    (one,) = strategy_policies.parse("least_loaded_2:cooldown_s=10.0", 4, 1.0, 1.0)
    group = group_settings(own, one, {"startup_s": 1.5})
    assert (group.heartbeat_s, group.rebalance_s, group.startup_s) == (0.5, 2.0, 1.5)
    assert (group.protocol, group.max_poll_records, group.mu) == ("cooperative", 50, 200.0)
    assert (group.cooldown_s, group.decision_s) == (10.0, 1.0)
    # kafka-python restarts them with each answer to a join.
    assert group.heartbeats == "in_step"


def _climbing(label: str, revoke_s: float) -> SimulatedGroup:
    steps = np.repeat([40.0, 150.0, 220.0, 300.0, 380.0, 480.0], 10)
    stream = np.repeat(steps[:, None] / 4 * 500, 4, axis=1)
    own = settings(revoke_s=revoke_s, iterations=len(steps))
    return predict(own, stream, f"least_loaded_2{label}", None)


def test_what_a_strategy_plans_with_is_not_how_long_rebalances_take() -> None:
    """A strategy that plans with longer ones expects more lag and grows more."""
    short, long = _climbing("", 0.0), _climbing("", 3.0)
    cautious, careless = _climbing(":rebalance_s=3.0", 0.0), _climbing(":rebalance_s=0.0", 3.0)
    assert _climbing(":rebalance_s=3.0", 3.0).quantities == long.quantities
    assert cautious.replica_minutes > short.replica_minutes
    assert careless.replica_minutes < long.replica_minutes
    assert cautious.peak_s < long.peak_s
    assert careless.peak_s >= 3.0 > short.peak_s


def test_the_time_of_rebalances_is_the_runs() -> None:
    (one,) = strategy_policies.parse("least_loaded_2:rebalance_s=2.0", 4, 1.0, 1.0)
    assert group_settings(settings(revoke_s=0.5), one, {}).rebalance_s == 0.5


def test_longer_iterations_have_steps_of_a_second() -> None:
    own = settings(iteration_s=5.0, iterations=3)
    group = predict(own, rates(150.0, 3), "constant:initial_replicas=1", None)
    assert group.replica_minutes == pytest.approx(15 / 60)
    assert group.sla_percent == 100.0
