"""The published rule, step by step."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.placement import round_robin

pytestmark = pytest.mark.unit


def test_brokers_give_in_turn_until_the_new_one_has_its_share() -> None:
    before = [[1], [1], [1], [1], [2], [2], [2], [3]]
    assert round_robin(before, [1, 2, 3, 4]) == ((4,), (1,), (1,), (1,), (4,), (2,), (2,), (3,))


def test_brokers_take_in_turn() -> None:
    before = [[3], [1], [3], [3], [2], [3]]
    assert round_robin(before, [1, 2]) == ((1,), (1,), (2,), (1,), (2,), (2,))


def test_turns_do_not_see_who_has_most() -> None:
    """What makes balance drift: broker 1 has five, and still gives one only."""
    before = [[1], [1], [1], [1], [1], [2]]
    counts = Counter(row[0] for row in round_robin(before, [1, 2, 3]))
    assert counts == {1: 4, 3: 2}


def test_two_are_added_and_one_removed() -> None:
    """Broker 2 gives two to 3, both give one to 4, and what 1 has goes to 2, 3 and 4."""
    plan = round_robin([[1], [1], [1], [2], [2], [2]], [2, 3, 4])
    assert plan == ((2,), (3,), (4,), (4,), (3,), (4,))


def test_a_broker_with_the_partition_is_passed_over() -> None:
    assert round_robin([[1, 2], [3, 1]], [1, 2, 4]) == ((4, 2), (2, 1))


def test_a_plan_is_a_placement() -> None:
    draw = random.Random(1)
    for _ in range(200):
        number, copies = draw.randint(3, 8), draw.randint(1, 3)
        before = [draw.sample(range(number), copies) for _ in range(draw.randint(1, 40))]
        for brokers in ([*range(number + 1)], [*range(1, number), number + 1]):
            plan = round_robin(before, brokers)
            assert [len(set(row)) for row in plan] == [copies] * len(before)
            assert {broker for row in plan for broker in row} <= {*brokers}


def test_too_few_remain() -> None:
    with pytest.raises(InvalidParameterError, match="between 1 and 1 different brokers"):
        round_robin([[1, 2]], [1])
