"""The choice between simple and cheap candidates."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.next_week import NextWeek
from algorithms.inference.simplest_choice import NONE, Choice, Rule, choose

pytestmark = pytest.mark.unit


def week(costs: list[list[float]], kept: list[float] | None = None) -> NextWeek:
    cost = np.array(costs)
    chance = np.ones(len(costs)) if kept is None else np.array(kept)
    return NextWeek(chance, np.zeros(cost.shape), cost)


def chosen(outcomes: NextWeek, tiers: list[int], may: list[bool] | None = None) -> Choice:
    allowed = np.ones(len(tiers), np.bool_) if may is None else np.array(may)
    return choose(outcomes, np.array(tiers), allowed, Rule())


@pytest.mark.parametrize(
    ("other", "pick"),
    [
        ([9.4] * 10, 1),  # saves 6 % in every week
        ([9.6] * 10, 0),  # saves 4 %
        ([9.0] * 8 + [20.0] * 2, 1),  # in 80 % of the weeks
        ([5.0] * 7 + [11.0] * 3, 0),  # much on average, but in 70 % of the weeks
        ([5.0, 15.0] * 5, 0),  # a coin flip
    ],
)
def test_a_less_simple_one_must_save_enough_often_enough(other: list[float], pick: int) -> None:
    choice = chosen(week([[10.0] * 10, other]), [0, 1])
    assert choice.pick == pick
    assert choice.cheapest == int(np.mean(other) < 10.0)


def test_what_does_not_keep_the_objective_or_may_not_be_chosen_does_not_count() -> None:
    costs = [[1.0] * 4, [2.0] * 4, [3.0] * 4]
    assert chosen(week(costs, [0.94, 0.95, 1.0]), [0, 0, 0]).pick == 1
    assert chosen(week(costs), [0, 0, 0], [False, False, True]) == (2, 2)
    assert chosen(week(costs, [0.0, 0.5, 0.9]), [0, 0, 0]) == (NONE, NONE)


def test_of_equals_the_simplest_and_then_the_first_is_taken() -> None:
    assert chosen(week([[3.0] * 4] * 3), [2, 1, 1]) == (1, 0)
    assert chosen(week([[0.1 + 0.2] * 4, [0.3] * 4]), [1, 1]).pick == 0


def test_each_tier_is_compared_with_the_choice_so_far() -> None:
    """Two savings of 4 % are no saving of 5 % each, but the last one saves 8 % of the first."""
    assert chosen(week([[10.0] * 4, [9.6] * 4, [9.2] * 4]), [0, 1, 2]).pick == 2
    assert chosen(week([[10.0] * 4, [9.4] * 4, [9.0] * 4]), [0, 1, 2]).pick == 1


def test_shapes_must_fit() -> None:
    with pytest.raises(InvalidParameterError, match="shape"):
        choose(week([[1.0]]), np.array([0, 1]), np.array([True]), Rule())
