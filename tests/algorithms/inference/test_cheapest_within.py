"""The cheapest candidate within an objective, against a plain reference."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference import cheapest_within
from algorithms.inference.cheapest_within import Ratios, Totals
from algorithms.inference.intervals import RESAMPLES

pytestmark = pytest.mark.unit


def totals(seed: int, blocks: int = 8, candidates: int = 5) -> Totals:
    """Blocks of different length; small integers, so that ties occur."""
    rng = np.random.default_rng(seed)
    shape = (blocks, candidates)
    events = rng.integers(0, 50, shape).astype(float)
    late = np.minimum(rng.integers(0, 6, shape), events)
    hours = rng.integers(1, 4, blocks).astype(float)
    return Totals(hours, rng.integers(0, 4, shape).astype(float), events, late)


def plain_order(given_totals: Totals, allowed: Fraction) -> list[int]:
    """The rule of `order` in exact fractions."""

    def rank(i: int) -> tuple[object, ...]:
        cost, events, late = (Fraction(int(values[:, i].sum())) for values in given_totals[1:])
        share = late / events if events else Fraction(0)
        outside = share > allowed
        return (True, share, cost, i) if outside else (False, cost, share, i)

    return sorted(range(given_totals.cost.shape[1]), key=rank)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 6), st.integers(0, 20))
def test_order_is_that_of_exact_fractions(
    seed: int, blocks: int, candidates: int, percent: int
) -> None:
    values = totals(seed, blocks, candidates)
    found = cheapest_within.order(cheapest_within.ratios(values), percent / 100)
    assert found.tolist() == plain_order(values, Fraction(percent, 100))


def test_order_by_hand() -> None:
    """Two keep to the objective at equal cost; of the others the nearest to it comes first."""
    values = Ratios(np.array([1.0, 3.0, 3.0, 9.0, 2.0]), np.array([0.2, 0.01, 0.0, 0.0, 0.05]))
    assert cheapest_within.order(values, 0.01).tolist() == [2, 1, 3, 4, 0]
    assert cheapest_within.keeps(values, 0.01).tolist() == [False, True, True, True, False]


def test_costs_that_rounding_separates_are_equal() -> None:
    """The sum in another order is 1e-16 less: the share of late events decides."""
    cost = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1])
    assert cost[0] != cost[1]
    late = np.array([0.0, 0.005])
    assert cheapest_within.order(Ratios(cost, late), 0.01).tolist() == [0, 1]
    assert cheapest_within.order(Ratios(cost[::-1], late), 0.01).tolist() == [0, 1]


def test_resamples_take_the_same_blocks_for_all() -> None:
    """Candidate 1 costs 2 more in every hour, so that the difference does not scatter."""
    values = totals(3)
    cost = np.column_stack([values.cost[:, 0], values.cost[:, 0] + 2.0 * values.hours])
    pair = Totals(values.hours, cost, values.events[:, :2], values.late[:, :2])
    ratios, resamples = cheapest_within.ratios(pair), cheapest_within.resampled(pair, 1)
    assert resamples.cost.shape == (RESAMPLES, 2)
    assert resamples.cost[:, 0].std() > 0.05
    extra = cheapest_within.extra_cost(ratios, resamples, 1, 0)
    assert tuple(extra) == pytest.approx((2.0, 2.0, 2.0))
    alone = cheapest_within.cost_interval(ratios, resamples, 0)
    assert alone.low < alone.mean < alone.high


def test_resamples_of_two_blocks_are_the_three_possible_ones() -> None:
    """Blocks of 1 and 3 hours: ratios of sums, not means of ratios."""
    one = np.array([[1.0], [9.0]])
    pair = Totals(np.array([1.0, 3.0]), one, 10.0 * one, np.array([[1.0], [0.0]]))
    resamples = cheapest_within.resampled(pair, 5)
    assert sorted(set(resamples.cost[:, 0].round(9))) == [1.0, 2.5, 3.0]
    assert sorted(set(resamples.late[:, 0].round(9))) == [0.0, 0.01, 0.1]
    mixed = np.mean(resamples.cost[:, 0].round(9) == 2.5)
    assert mixed == pytest.approx(0.5, abs=0.02)
    assert cheapest_within.probability(resamples, 0.05)[0] == pytest.approx(0.75, abs=0.02)
    assert cheapest_within.probability(resamples, 0.1).tolist() == [1.0]
    on_time = cheapest_within.on_time_interval(cheapest_within.ratios(pair), resamples, 0)
    assert tuple(on_time) == pytest.approx((0.99, 0.9, 1.0))


@given(st.integers(0, 10**6), st.integers(0, 20))
def test_the_first_in_resamples_against_a_loop(seed: int, percent: int) -> None:
    """Each resample has one first at most, and only among the ranked ones."""
    values = totals(seed)
    allowed = percent / 100
    ranked = cheapest_within.order(cheapest_within.ratios(values), allowed)[:3]
    resamples = cheapest_within.resampled(values, seed)
    part = Ratios(resamples.cost[:200], resamples.late[:200])
    share = cheapest_within.share_of_first(part, allowed, ranked)
    counts = np.zeros(5)
    for cost, late in zip(part.cost, part.late, strict=True):
        good = [int(i) for i in ranked if late[i] <= allowed + 1e-9]
        if good:
            least = min(cost[i] for i in good)
            counts[next(i for i in good if cost[i] <= least + 1e-8)] += 1
    assert share == pytest.approx(counts / 200)


@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(0, 20))
def test_held_out_blocks_against_a_loop(seed: int, blocks: int, percent: int) -> None:
    values = totals(seed, blocks)
    eligible = np.array([0, 2, 3])
    found = cheapest_within.held_out(values, percent / 100, eligible)
    cost = events = late = 0.0
    for block in range(blocks):
        rest = [i for i in range(blocks) if i != block]
        kept = Totals(values.hours[rest], *(each[rest][:, eligible] for each in values[1:]))
        pick = int(eligible[plain_order(kept, Fraction(percent, 100))[0]])
        assert found.picks[block] == pick
        cost += values.cost[block, pick]
        events += values.events[block, pick]
        late += values.late[block, pick]
    assert found.cost == pytest.approx(cost / values.hours.sum())
    assert found.late == pytest.approx(late / events if events else 0.0)


def test_one_block_says_nothing_of_how_sure_it_is() -> None:
    values = totals(1, blocks=1)
    resamples = cheapest_within.resampled(values, 0)
    assert np.isnan(cheapest_within.probability(resamples, 0.1)).all()
    assert np.isnan(cheapest_within.share_of_first(resamples, 0.1, np.arange(5))).all()
    interval = cheapest_within.cost_interval(cheapest_within.ratios(values), resamples, 0)
    assert math.isnan(interval.low)
    assert not math.isnan(interval.mean)
    found = cheapest_within.held_out(values, 0.1, np.arange(5))
    assert (found.picks.size, math.isnan(found.cost), math.isnan(found.late)) == (0, True, True)


def test_without_candidates_there_is_no_first() -> None:
    values, none = totals(1), np.empty(0, np.int64)
    resamples = cheapest_within.resampled(values, 0)
    assert not cheapest_within.share_of_first(resamples, 0.1, none).any()
    assert math.isnan(cheapest_within.held_out(values, 0.1, none).cost)


def test_without_events_nothing_is_late() -> None:
    none = np.zeros((3, 1))
    values = Totals(np.ones(3), np.ones((3, 1)), none, none)
    assert cheapest_within.ratios(values).late.tolist() == [0.0]
    resamples = cheapest_within.resampled(values, 0)
    assert cheapest_within.probability(resamples, 0.0).tolist() == [1.0]


def test_the_same_seed_gives_the_same_bits() -> None:
    values = totals(9)
    first, second = (cheapest_within.resampled(values, 4) for _ in range(2))
    assert first.cost.tobytes() == second.cost.tobytes()
    assert first.cost.tobytes() != cheapest_within.resampled(values, 5).cost.tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hours": np.ones(4)}, r"totals must have shape \(blocks, candidates\), 4 blocks"),
        ({"late": np.ones((8, 2))}, r"late must have shape \(8, 5\) \(got \(8, 2\)\)"),
        ({"cost": np.full((8, 5), np.nan)}, "cost must be finite and at least 0"),
    ],
)
def test_wrong_totals(change: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        cheapest_within.ratios(totals(1)._replace(**change))
