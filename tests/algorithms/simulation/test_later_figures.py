"""Figures of a simulated group without its first steps."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling import registry
from algorithms.simulation.group_run import later_figures
from algorithms.simulation.group_settings import PAPER_GROUP, check_settings
from algorithms.simulation.group_simulation import simulate_in_detail


def figures(rates, warm_up, **changes):
    own = check_settings(PAPER_GROUP | changes, rates.shape[1], 1.0, None)
    return later_figures(rates, registry.get("linear"), {}, own, warm_up)


def test_without_first_steps_left_out_they_are_those_of_the_whole_run():
    rates = np.random.default_rng(1).uniform(20.0, 120.0, (40, 3))
    whole = simulate_in_detail(rates, "linear", settings=PAPER_GROUP | {"startup_s": 2.0})
    outcome = figures(rates, 0, startup_s=2.0)
    assert outcome.replicas == pytest.approx(whole.result.replica_minutes * 60.0 / 40)
    assert outcome.moved == whole.result.partitions_moved > 0
    p50, p90, _, p99, _ = outcome.waits + 0.5 / 200.0
    result = whole.result
    assert (p50, p90, p99) == pytest.approx((result.p50, result.p90, result.p99))


def test_a_backlog_of_the_first_steps_is_left_out_once_it_is_gone():
    """One consumer of 200 events/s gets 300/s for 2 s, then next to nothing."""
    rates = np.full((12, 2), 1.0)
    rates[:2] = 150.0
    whole, later = (figures(rates, n, max_replicas=1) for n in (0, 6))
    assert whole.waits[3] > 0.5
    assert later.waits.tolist() == [0.0] * 5
    assert (later.replicas, later.moved) == (1.0, 0)


def test_the_run_goes_on_as_if_nothing_had_been_left_out():
    rates = np.random.default_rng(2).uniform(20.0, 120.0, (40, 3))
    whole = simulate_in_detail(rates, "linear", settings=PAPER_GROUP | {"startup_s": 2.5})
    outcome = figures(rates, 20, startup_s=2.5)
    assert outcome.replicas == pytest.approx(whole.trajectory.paid_s[20:].sum() / 20)
    later = whole.actions.time_s >= 20
    assert outcome.moved == whole.actions.moved[later].sum()
