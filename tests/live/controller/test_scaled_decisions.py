"""Autoscaling strategies on a broker: when they decide, on what, and what follows from it."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from algorithms.assignment import Decision
from algorithms.autoscaling import candidates
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate
from algorithms.workloads import random_walk
from live.consumer import progress_record
from live.controller import partition_lags
from live.controller.latest_speeds import LatestSpeeds
from live.controller.partition_lags import LagReader, LagTable
from live.controller.scaled_decisions import GivenSteps, MeasuredSteps, ScaledDecisions
from live.controller.scaled_strategy import Lags, ScaledStrategy
from live.live_settings import LiveSettings
from live.protocol.messages import Measurement, PartitionOffset, Received
from tests.live.consumer.client_fakes import FakeConsumer, FakeMessage

SECOND = 1_000_000_000
P, N = 6, 12
BEGAN = 1000 * SECOND


def settings(**changes) -> LiveSettings:
    defaults = {
        "run": "r",
        "bootstrap": "",
        "folder": "",
        "partitions": P,
        "capacity": 200_000.0,
        "consumer_rate": 240_000.0,
        "iteration_s": 6.0,
        "iterations": N,
    }
    return LiveSettings(**{**defaults, **changes})


def stream():
    return random_walk.generate(P, N, 40.0, 200_000.0, None, seed=5)


def lags(*records) -> Lags:
    waiting = np.array(records or (0,) * P, np.float64)
    return Lags(waiting, np.ones(P, np.bool_))


def decisions_of(label, present=lags, **changes):
    own, rates = settings(**changes), stream()
    strategy = ScaledStrategy(label, own, rates.tolist())
    return ScaledDecisions(strategy, GivenSteps(rates, strategy.group.steps), present, own)


def followed(decisions, every_s=0.1, settles=True):
    """Plans of a run whose moves take no time, with their times in s since its beginning."""
    first = decisions.due(1, 0, None)
    assert decisions.due(2, 0, first.owners) is None
    owners, plans = first.owners, [(0.0, first)]
    for k in range(round(N * 6.0 / every_s)):
        at = k * every_s
        wanted = decisions.due(BEGAN + round(at * SECOND), BEGAN, owners if settles else None)
        if wanted is not None:
            owners = wanted.owners
            plans.append((at, wanted))
    return plans


@pytest.mark.parametrize("label", ["linear", "linear+placement"])
def test_replicas_are_those_of_the_simulated_group(label):
    """Consumers are fast enough for both, so that lags do not matter."""
    decisions = decisions_of(label)
    group, own = decisions._strategy.group, decisions._strategy.settings
    (one,) = candidates.parse(label, P, 1.0, 1.0)
    events = group.events(np.repeat(stream(), group.steps, axis=0))
    names = ("decision_s", "observe", "step_s", "mu", "protocol", "assignor", "initial_replicas")
    group_settings = {name: getattr(own, name) for name in names}
    group_settings = PAPER_GROUP | group_settings | {"rebalance_s": 1e-3}
    simulated = simulate(events, one.strategy, one.arguments, group_settings).replicas
    step_s = own.step_s * group.pace
    live = np.zeros(len(simulated), np.int64)
    for at, wanted in followed(decisions, every_s=step_s):
        live[round(at / step_s) :] = len(set(wanted.owners))
    assert len(set(live)) > 1
    assert live.tolist() == simulated.tolist()


def test_the_group_begins_with_the_consumers_that_the_first_iteration_needs():
    first = decisions_of("headroom").due(1, 0, None)
    needed = -(-stream()[0].sum() // 200_000.0)
    assert len(set(first.owners)) == needed > 1
    assert (first.iteration, first.reason) == (0, "time")
    chosen = decisions_of("headroom:initial_replicas=4:min_replicas=2").due(1, 0, None)
    assert len(set(chosen.owners)) == 4


def test_decisions_are_made_at_the_times_of_the_strategys_clock():
    """KEDA's autoscaler decides every 15 s of iterations of 30 s: here every 3 s of 6 s."""
    decisions = decisions_of("keda_hpa:threshold=1", lambda: lags(*[50] * P))
    assert decisions.due(1, 0, None).iteration == 0
    owners = [0, 0, 0, 1, 1, 1]
    assert decisions.due(BEGAN + 3 * SECOND - 1, BEGAN, owners) is None
    wanted = decisions.due(BEGAN + round(3.02 * SECOND), BEGAN, owners)
    assert (wanted.measured_ns, wanted.iteration) == (BEGAN + 3 * SECOND, 0)
    assert len(set(wanted.owners)) > 2
    assert wanted.rates == tuple(stream()[0])


def test_an_answer_waits_until_partitions_have_moved():
    decisions = decisions_of("keda_hpa:threshold=1", lambda: lags(*[50] * P))
    decisions.due(1, 0, None)
    later = BEGAN + round(3.5 * SECOND)
    assert decisions.due(later, BEGAN, None) is None
    assert len(set(decisions.due(later + 1, BEGAN, [0, 0, 0, 1, 1, 1]).owners)) > 2
    assert decisions.due(later + 2, BEGAN, [0, 0, 0, 1, 1, 1]) is None


def test_nothing_is_decided_after_the_last_iteration():
    decisions = decisions_of("keda_hpa:threshold=1")
    decisions.due(1, 0, None)
    decisions._next = decisions._steps
    assert decisions.due(BEGAN + 1000 * SECOND, BEGAN, [0] * P) is None


def test_a_successor_goes_on_from_the_owners_and_makes_no_decision_twice():
    decisions = decisions_of("keda_hpa:threshold=1", lambda: lags(*[50] * P))
    resumed = decisions.resume(4, (0, 0, 1, 1, 3, 3), 7)
    assert (resumed.owners, resumed.iteration) == ((0, 0, 1, 1, 3, 3), 4)
    owners = list(resumed.owners)
    assert decisions.due(BEGAN + round(25.0 * SECOND), BEGAN, owners) is None
    wanted = decisions.due(BEGAN + round(27.1 * SECOND), BEGAN, owners)
    assert wanted.measured_ns == BEGAN + 27 * SECOND
    assert len(set(wanted.owners)) > 3
    assert decisions_of("linear").resume(-1, (), 7) is None


class Inbox:
    """Messages of a monitor, and a journal."""

    def __init__(self):
        self.waiting, self.said = [], []

    def reject(self, why): ...

    def arrived(self, wait_s):
        arrived, self.waiting = self.waiting, []
        return arrived

    def write(self, what, **fields):
        self.said.append(fields["kind"])


def test_on_measured_speeds_nothing_is_decided_before_they_are_known_nor_when_they_are_old():
    inbox, own = Inbox(), settings(speeds="measured")
    strategy = ScaledStrategy("linear", own, stream().tolist())
    speeds = LatestSpeeds(inbox, own, inbox)
    decisions = ScaledDecisions(strategy, MeasuredSteps(speeds), lags, own)
    owners = list(decisions.due(1, 0, None).owners)
    assert decisions.due(BEGAN + SECOND, BEGAN, owners) is None
    slow = {p: 1000.0 for p in range(P)}
    inbox.waiting.append(Received(Measurement(1, 3.0, slow), BEGAN + SECOND))
    wanted = decisions.due(BEGAN + round(1.3 * SECOND), BEGAN, owners)
    assert set(wanted.owners) == {0}
    assert decisions.due(BEGAN + 9 * SECOND, BEGAN, owners) is None
    assert inbox.said == ["stale"]


class Asked:
    """A strategy that wants one replica more or less each time, and what it was shown."""

    def __init__(self, strategy):
        self._strategy, self.seen = strategy, []

    def __getattr__(self, name):
        return getattr(self._strategy, name)

    def step(self, state, observation):
        self.seen.append(observation)
        return Decision(replicas=1 + len(self.seen) % 2)


def cooling(own, rates, cooldown_s):
    """A strategy that decides each 5 s of its clock, which is 1 s here, and leaves some out."""
    strategy = ScaledStrategy("linear:decision_s=5", own, rates)
    strategy.settings = replace(strategy.settings, cooldown_s=cooldown_s)
    asked = strategy._strategy = Asked(strategy._strategy)
    return strategy, asked


def test_what_arrives_in_a_cooldown_counts():
    own, rates = settings(), stream()
    strategy, asked = cooling(own, rates.tolist(), 33.0)
    group, step_s = strategy.group, strategy.settings.step_s
    followed(ScaledDecisions(strategy, GivenSteps(rates, group.steps), lags, own))
    by_step = group.events(np.repeat(rates, group.steps, axis=0)) * step_s
    seen = asked.seen[1:]  # The first one prepares.
    assert {round(b.time - a.time) for a, b in pairwise(seen)} == {35}
    for each in seen:
        arrived = by_step[: round(each.time / step_s)].sum(axis=0)
        np.testing.assert_allclose(each.arrived, arrived, rtol=1e-9)


def test_speeds_that_are_measured_in_a_cooldown_count():
    inbox, own = Inbox(), settings(speeds="measured", period_s=30.0)
    strategy, asked = cooling(own, stream().tolist(), 20.0)
    decisions = ScaledDecisions(strategy, MeasuredSteps(LatestSpeeds(inbox, own, inbox)), lags, own)
    owners = decisions.due(1, 0, None).owners
    for second, speed in enumerate((1000.0, 4000.0, 9000.0, 9000.0, 9000.0, 2000.0), 1):
        speeds = dict.fromkeys(range(P), speed)
        now = BEGAN + second * SECOND
        inbox.waiting.append(Received(Measurement(second, 3.0, speeds), now))
        wanted = decisions.due(now + 1, BEGAN, owners)
        owners = owners if wanted is None else wanted.owners
    first, second = asked.seen[1:]
    assert [round(each.time) for each in (first, second)] == [5, 25]
    arrived = (second.arrived - first.arrived) * own.record_bytes
    np.testing.assert_allclose(arrived, 4000.0 + 3 * 9000.0)


def test_lags_are_those_of_the_last_progress():
    table = LagTable(3, fresh_s=1.0)
    table.update({}, [5, 0, 0], 10.0)
    assert table.take().records.tolist() == [5, 0, 0]  # no progress at all: all of it waits
    table.update({0: 5, 1: 8}, [9, 10, 0], 10.5)
    assert table.take().records.tolist() == [4, 2, 0]
    # What was written since may be processed by now.
    table.update({1: 12}, [99, 12, 0], 11.0)
    assert table.take().records.tolist() == [4, 0, 0]
    table.update({}, [100, 12, 0], 11.6)
    assert table.take().records.tolist() == [95, 0, 0]


def test_invalid_progress_is_rejected_by_whoever_takes_the_lags(monkeypatch):
    rejected = []
    monkeypatch.setattr(partition_lags, "Consumer", FakeConsumer)
    monkeypatch.setattr(threading.Thread, "start", lambda thread: None)
    reader = LagReader(settings(partitions=2), rejected.append)
    rows = [PartitionOffset(0, 1, 5), PartitionOffset(2, 1, 5)]
    values = [b"nonsense", None, *map(progress_record.value, rows)]
    messages = [FakeMessage(n, value) for n, value in enumerate(values)]
    reader._progress.consume = lambda number, seconds: messages
    assert reader._next_offsets() == {0: 5}
    assert rejected == []
    reader.take()
    reader.take()
    assert len(rejected) == 2


def test_a_partition_that_stands_still_was_not_consumed():
    table = LagTable(2, fresh_s=1.0)
    table.update({0: 5}, [9, 9], 1.0)
    assert table.take().consumed.tolist() == [True, False]
    assert table.take().consumed.tolist() == [False, False]
    table.update({1: 9}, [9, 9], 2.0)
    assert table.take().consumed.tolist() == [False, True]


def test_only_strategies_that_look_at_lags_read_them():
    needs = {
        label: ScaledStrategy(label, settings(), stream().tolist()).needs_lags
        for label in ("linear", "headroom", "keda_hpa", "shadow_hedge", "least_loaded_2")
    }
    assert needs == {
        "linear": False,
        "headroom": True,
        "keda_hpa": True,
        "shadow_hedge": True,
        "least_loaded_2": True,
    }


def test_preparing_leaves_no_trace():
    strategy = ScaledStrategy("linear:initial_replicas=5", replace(settings()), stream().tolist())
    strategy.prepare()
    assert strategy.replicas == 5
