"""Decisions of an episode: rewards and states against a plain reference, refusals, limits."""

from __future__ import annotations

import hashlib
import math
import struct

import pytest

from algorithms.learning import measured_intervals
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.online_agent import Chosen
from live.broker_metrics.scraped_values import Latencies
from live.brokers.deciding import episode_decisions, observed_interval
from live.brokers.deciding.deciders import Fixed, Threshold, Trained
from live.brokers.deciding.observed_interval import Observed
from live.brokers.deciding.row_environment import RowEnvironment
from tests.live.brokers.deciding import measured_row_cases

pytestmark = pytest.mark.unit

SETTINGS = BrokerSettings(min_brokers=3, max_brokers=5, steps=6)


class Listed(Fixed):
    """Makes the decisions it is given, and keeps what it learned from."""

    def __init__(self, actions: list[int]) -> None:
        self.actions, self.taught = actions, list[tuple[int, float, bool]]()

    def choose(self, seen: Observed, episode: int, step: int) -> Chosen:
        return Chosen(self.actions[step], False)

    def learn(
        self, seen: Observed, action: int, reward: float, following: Observed, is_last: bool
    ) -> float:
        self.taught.append((action, reward, is_last))
        return 0.5


class Cluster:
    """Latency and metrics follow from the number of brokers and the interval."""

    def __init__(self, latencies: list[float]) -> None:
        self.latencies, self.asked = latencies, list[int]()

    def begin(self, brokers: int) -> Observed:
        return self._interval(brokers)

    def step(self, brokers: int) -> Observed:
        return self._interval(brokers)

    def _interval(self, brokers: int) -> Observed:
        latency = self.latencies[len(self.asked)]
        self.asked.append(brokers)
        metrics = (float(brokers), latency, *[1.0] * 35)
        return Observed(brokers, metrics, Latencies(latency, 1.0, 2.0, 1.5), 10.0)


def plain_reward(reward: str, brokers: int, latency: float) -> float:
    """The paper's rewards, written out for 3 to 5 brokers."""
    if reward == "count":
        return -brokers
    over = latency / (200.0 if reward == "violations" else 300.0) - 1.0
    if reward == "violations":
        for edge, cost in ((2.0, 2.0), (1.5, 1.5), (1.0, 1.0), (0.5, 0.25)):
            if over >= edge:
                return -cost
        return -0.1 if over > 0.1 else 0.0
    penalty = 0.2 if over > 0.0 else 0.0
    for edge, cost in ((0.5, 0.4), (1.0, 0.6), (1.5, 0.8), (2.0, 1.0)):
        penalty = cost if over >= edge else penalty
    return -0.5 * (brokers - 3) / 2 - 0.5 * penalty


@pytest.mark.parametrize("reward", ["count", "violations", "weighted"])
def test_rewards_and_states_are_those_of_a_plain_reference(reward: str) -> None:
    latencies = [100.0, 215.0, 310.0, 460.0, 605.0, 800.0, math.inf]
    cluster, decider = Cluster(latencies), Listed([2, 2, 2, 1, 0, 0])
    own = list(episode_decisions.decisions(cluster, decider, SETTINGS, reward, 1, 3))
    assert cluster.asked == [3, 4, 5, 5, 5, 4, 3]
    assert [(one.before, one.after, one.action) for one in own] == [
        *((3, 4, 1), (4, 5, 1), (5, 5, 1)),
        *((5, 5, 0), (5, 4, -1), (4, 3, -1)),
    ]
    for one, latency in zip(own, latencies[1:], strict=True):
        assert one.reward == pytest.approx(plain_reward(reward, one.after, latency))
    seen = (4.0, 215.0, *[1.0] * 35)
    assert own[1].state == hashlib.sha256(struct.pack("<37d", *seen)).hexdigest()[:16]
    assert decider.taught == [(one.action + 1, one.reward, one.step == 6) for one in own]
    assert {one.episode for one in own} == {2}


def test_a_rule_adds_above_the_objective_and_removes_below_four_fifths() -> None:
    cluster = Cluster([301.0, 299.0, 239.0, 241.0, 239.0, math.inf, 100.0])
    own = episode_decisions.decisions(cluster, Threshold(300.0), SETTINGS, "weighted", 0, 4)
    assert [one.action for one in own] == [1, 0, -1, 0, -1, 1]


def test_an_agent_that_only_acts_holds_on_inputs_unlike_the_rows() -> None:
    rows = measured_intervals.cluster_of(measured_row_cases.rows(), 0.25, 3, 5)

    class Up:
        def best(self, metrics: object) -> Chosen:
            return Chosen(2, False)

    decider = Trained(Up(), rows.limits(0.0))  # type: ignore[arg-type]
    inside = RowEnvironment(rows, 1)
    own = list(episode_decisions.decisions(inside, decider, SETTINGS, "count", 0, 3))
    assert [one.after for one in own] == [4, 5, 5, 5, 5, 5]
    assert not any(one.refusal for one in own)
    strange = list(
        episode_decisions.decisions(Cluster([1e6] * 7), decider, SETTINGS, "count", 0, 4)
    )
    assert [one.after for one in strange] == [4] * 6
    assert all(one.refusal.startswith("cpu_mean must be between 0.2") for one in strange)
    assert "(got 1e+06)" in strange[0].refusal


def test_percentiles_leave_out_what_is_missing() -> None:
    nothing = math.nan
    ways = [Latencies(5.0, nothing, 1.0, 1.0), Latencies(nothing, nothing, 3.0, 2.0)]
    found = observed_interval.p95_of(ways)
    assert (found.end_to_end, found.summed, found.summed_busy) == (5.0, 3.0, 2.0)
    assert math.isnan(found.produce)
    assert observed_interval.p95_of([Latencies(nothing, 1.0, 1.0, 1.0)]).end_to_end == math.inf
