"""Facts of the calibration in closed form agree with simulated intervals and with the plan."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.learning import broker_optimum, broker_rollout
from algorithms.learning.calibration_facts import bargain, share_over
from algorithms.learning.cluster_settings import BrokerSettings

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(("brokers", "scrapes"), [(11, 8), (9, 8), (11, 4)])
def test_the_share_over_the_objective_is_that_of_intervals_without_a_change(brokers, scrapes):
    settings = BrokerSettings(scrapes=scrapes, scrapes_changing=scrapes // 2)
    episodes = broker_rollout.episodes(settings, 1, range(200), range(1))
    there = episodes._replace(starts=np.full(200, brokers))
    stay = broker_rollout.roll(settings, "violations", there, lambda seen: np.ones(200, int))
    exact = share_over(settings, brokers, settings.slo_violations_ms)
    assert stay.over.mean() == pytest.approx(exact, abs=4 * np.sqrt(0.25 / (200 * 45)))


def test_a_series_of_loads_counts_each_step():
    both = share_over(BrokerSettings(steps=2, load=(0.5, 1.0)), 11, 200.0)
    parts = [share_over(BrokerSettings(load=load), 11, 200.0) for load in (0.5, 1.0)]
    assert both == pytest.approx(np.mean(parts))


def test_with_more_brokers_to_remove_latency_must_exceed_more():
    """A best number of 7: 600 ms with 4 less, as the contract has it."""
    terms = bargain(BrokerSettings(load=1.25))
    assert terms.best == 7
    assert terms.limits_ms == ((1, 300.0), (2, 450.0), (4, 600.0))


@pytest.mark.parametrize("queue_ms", [250.0, 434.0, 700.0, 1100.0])
def test_the_best_number_is_where_the_optimal_plan_stays(queue_ms):
    settings = BrokerSettings(queue_ms=queue_ms)
    actions = broker_optimum.plan(settings, "weighted").actions[0]
    (stays,) = np.flatnonzero(actions == 1)
    assert bargain(settings).best == 3 + stays


def test_nothing_outweighs_brokers_that_have_all_the_weight():
    terms = bargain(BrokerSettings(weight_of_brokers=1.0))
    assert (terms.best, terms.limits_ms, terms.violation) == (3, (), 0.0)
