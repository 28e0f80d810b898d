"""Fronts of strategies: against definitions that are spelled out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores.service_trade_off import (
    Service,
    mean_intervals,
    regret_intervals,
    trade_offs,
)
from algorithms.scores.strategy_fronts import hypervolumes, on_service_axes

pytestmark = pytest.mark.unit

NAMES = ("ds2", "linear", "linear", "headroom", "linear", "headroom")


def results(seed: int, replicates: int = 8, candidates: int = 6) -> Service:
    """Few different values, so that candidates are equal in some of them."""
    rng = np.random.default_rng(seed)
    shape = (replicates, candidates)
    return Service(
        75.0 + rng.integers(0, 6, shape) * 5.0,
        rng.integers(1, 7, shape) * 10.0,
    )


def test_the_area_of_a_point() -> None:
    """One point at x of the replica-minutes: (1 - x) (SLA - 80) / 20."""
    service = Service(np.array([[96.0]]), np.array([[45.0]]))
    areas = hypervolumes(service, ["linear"], 300.0, seed=0)
    assert areas.replicates[0, 0] == pytest.approx((1.0 - 0.15) * 0.8)
    assert areas.intervals[0].mean == areas.replicates[0, 0]
    assert np.isnan(areas.intervals[0].low)


def test_points_that_do_not_count() -> None:
    """80 % in time, or as many replica-minutes as a replica per partition, is worth nothing."""
    service = Service(np.array([[80.0, 100.0]]), np.array([[10.0, 300.0]]))
    assert hypervolumes(service, ["a", "b"], 300.0, seed=0).replicates.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("seed", range(10))
def test_areas_are_integrals_over_the_replica_minutes(seed: int) -> None:
    """The best SLA that at most so many replica-minutes buy, integrated piece by piece."""
    service = results(seed)
    areas = hypervolumes(service, NAMES, 60.0, seed=0)
    assert areas.strategies == ("ds2", "linear", "headroom")
    for i, row in enumerate(areas.replicates):
        for name, area in zip(areas.strategies, row, strict=True):
            own = [j for j, each in enumerate(NAMES) if each == name]
            expected = 0.0
            for start, end in pairwise(range(0, 61, 10)):
                bought = [
                    service.sla_percent[i, j] for j in own if service.replica_minutes[i, j] <= start
                ]
                expected += (end - start) / 60.0 * max(max(bought, default=0.0) - 80.0, 0.0) / 20.0
            assert area == pytest.approx(expected)


def test_differences_of_areas_are_paired() -> None:
    """One strategy that is always a little better, on workloads that differ much."""
    rng = np.random.default_rng(1)
    sla = rng.uniform(82.0, 98.0, (12, 1))
    service = Service(np.hstack([sla, sla + 1.0]), np.full((12, 2), 30.0))
    areas = hypervolumes(service, ["worse", "better"], 60.0, seed=3)
    assert areas.pairs.difference.tolist() == pytest.approx([-0.025])
    assert areas.pairs.high[0] == pytest.approx(-0.025)
    assert areas.intervals[0].high > areas.intervals[1].low
    assert areas.pairs.p[0] == pytest.approx(2.0**-11)


@pytest.mark.parametrize("seed", range(10))
def test_fronts_by_their_definition(seed: int) -> None:
    service = results(seed, replicates=3)
    sla, minutes = (values.mean(axis=0) for values in service)
    for j, each in enumerate(trade_offs(service)):
        better = []
        for i in range(6):
            losses = [(-sla[i], -sla[j]), (minutes[i], minutes[j])]
            if all(a <= b for a, b in losses) and any(a < b for a, b in losses):
                better.append(i)
        assert each.on_front == (not better)
        assert each.beaten.dominators == len(better)
        assert (each.beaten.by in better) or not better


@pytest.mark.parametrize("seed", range(10))
def test_means_lie_in_their_intervals(seed: int) -> None:
    for values in results(seed, replicates=3):
        intervals = mean_intervals(values, seed=0)
        assert [each.mean for each in intervals] == pytest.approx(values.mean(axis=0))
        assert all(each.low <= each.mean <= each.high for each in intervals)


def test_all_figures_are_resampled_from_the_same_replicates() -> None:
    """Twice a figure has twice its interval, and candidates do not change each other's."""
    values = results(2).sla_percent
    once, twice = mean_intervals(values, seed=5), mean_intervals(2.0 * values, seed=5)
    assert np.array(twice) == pytest.approx(2.0 * np.array(once))
    assert mean_intervals(values[:, [3]], seed=5)[0] == pytest.approx(once[3])
    assert mean_intervals(values, seed=6) != once


def test_a_figure_that_is_missing_on_one_replicate_has_no_mean() -> None:
    known, unknown = mean_intervals(np.array([[1.0, 2.0], [3.0, np.nan]]), seed=1)
    assert known.mean == 2.0
    assert np.isnan(unknown).all()


def test_regrets_that_are_missing() -> None:
    """A candidate whose bound is 0 on one replicate has no mean."""
    some = regret_intervals(np.array([[0.5, np.nan], [0.7, 0.1]]), seed=1)
    assert some[0].mean == pytest.approx(0.6)
    assert some[0].low == pytest.approx(0.5)
    assert np.isnan(some[1]).all()
    with pytest.raises(InvalidParameterError, match="must be finite"):
        regret_intervals(np.array([[np.inf]]), seed=1)


def test_same_seed_same_bits() -> None:
    service = results(9)
    minutes = service.replica_minutes
    assert mean_intervals(minutes, seed=5) == mean_intervals(minutes, seed=5)
    one, other = (hypervolumes(service, NAMES, 60.0, seed=5) for _ in range(2))
    assert one.intervals == other.intervals
    # A strategy keeps its interval when others join.
    alone = Service(*(values[:, [1, 2, 4]] for values in service))
    assert hypervolumes(alone, ["linear"] * 3, 60.0, seed=5).intervals[0] == one.intervals[1]


def test_wrong_input() -> None:
    service = results(0)
    with pytest.raises(InvalidParameterError, match="one name per candidate, 6 \\(got 2\\)"):
        hypervolumes(service, ["a", "b"], 60.0, seed=0)
    with pytest.raises(InvalidParameterError, match="most_minutes must be above 0"):
        on_service_axes(service.sla_percent, service.replica_minutes, 0.0)
    with pytest.raises(InvalidParameterError, match="one column per candidate"):
        trade_offs(service._replace(replica_minutes=np.zeros((8, 5))))
    late = service.sla_percent.copy()
    late[2, 1] = np.nan
    with pytest.raises(InvalidParameterError, match=r"values\[2, 1\] must be finite"):
        trade_offs(service._replace(sla_percent=late))
