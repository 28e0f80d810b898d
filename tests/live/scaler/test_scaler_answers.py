"""States of a group: seeing, blind, blind for long, unknown."""

from __future__ import annotations

import math

import pytest

from live.scaler import scaler_answers
from live.scaler.recent_counts import HOUR_S, RecentCounts
from live.scaler.scaler_answers import BLIND, BLIND_LONG, SEEING, UNKNOWN, Answers

pytestmark = pytest.mark.unit

START_S = 1000.0


def begun(*rows: tuple[float, int]) -> Answers:
    return Answers(5.0, 60.0, RecentCounts(list(rows)), START_S)


def state(answers_: Answers, at_s: float) -> tuple[str, int | None]:
    answer = answers_.at(START_S + at_s)
    return answer.state, answer.replicas


def test_nothing_is_known_before_the_first_decision() -> None:
    group = begun()
    assert state(group, 0) == (UNKNOWN, None)
    group.failed("no broker answers")
    assert group.at(START_S + 90).reason == "no broker answers"
    assert state(group, 7200) == (UNKNOWN, None)
    group.found(2)
    group.seen(START_S + 7200)
    assert state(group, 7200) == (UNKNOWN, None)


def test_from_seeing_to_blind_and_back() -> None:
    group = begun()
    group.found(1)
    group.decided(9, "peak", START_S + 5)
    group.decided(4, "four", START_S + 10)
    assert state(group, 12) == (SEEING, 4)
    group.failed("no broker answers")
    assert state(group, 15) == (BLIND, 4)
    assert state(group, 69.9) == (BLIND, 4)
    assert state(group, 70) == (BLIND_LONG, 9)
    # The hour before the last look counts, however long the blindness lasts.
    assert state(group, 3 * HOUR_S) == (BLIND_LONG, 9)
    assert group.at(START_S + 70).reason == (
        "blind for 60 s (no broker answers): the greater of the last count, 4, and the greatest of "
        "the hour before, 9"
    )
    group.decided(5, "five", START_S + 4 * HOUR_S)
    assert state(group, 4 * HOUR_S) == (SEEING, 5)


def test_a_look_that_never_returns_is_blindness() -> None:
    group = begun()
    group.found(1)
    group.decided(4, "four", START_S)
    assert state(group, 12.5) == (SEEING, 4)
    assert state(group, 12.6) == (BLIND, 4)
    assert state(group, 61) == (BLIND_LONG, 4)


def test_a_look_without_a_decision_keeps_the_count_and_the_sight() -> None:
    group = begun()
    group.found(1)
    group.decided(4, "four", START_S)
    group.seen(START_S + 30)
    assert state(group, 40) == (SEEING, 4)


def test_a_count_raised_while_blind_is_not_the_next_ones_base() -> None:
    group = begun()
    group.found(1)
    group.decided(9, "peak", START_S)
    group.decided(2, "two", START_S + HOUR_S - 60)
    group.failed("gone")
    assert state(group, HOUR_S + 60) == (BLIND_LONG, 9)
    group.decided(2, "two", START_S + HOUR_S + 100)
    group.failed("gone")
    assert state(group, HOUR_S + 200) == (BLIND_LONG, 2)


def test_without_a_file_never_below_the_replicas_at_the_start_for_an_hour() -> None:
    group = begun()
    group.found(6)
    group.decided(2, "two", START_S + 5)
    assert state(group, 5) == (SEEING, 6)
    assert "kept at the 6 found when the scaler started" in group.at(START_S + 5).reason
    group.found(1)
    group.decided(8, "eight", START_S + 10)
    assert state(group, 10) == (SEEING, 8)
    group.decided(2, "two", START_S + HOUR_S - 1)
    assert state(group, HOUR_S - 1) == (SEEING, 6)
    group.decided(2, "two", START_S + HOUR_S)
    assert state(group, HOUR_S) == (SEEING, 2)


def test_with_a_file_its_last_count_stands_in_for_what_the_strategy_forgot() -> None:
    group = begun((START_S - 1800, 9), (START_S - 600, 5))
    assert state(group, 0) == (UNKNOWN, None)
    group.found(1)
    group.decided(2, "two", START_S + 5)
    assert state(group, 5) == (SEEING, 5)
    group.failed("gone")
    assert state(group, 100) == (BLIND_LONG, 9)
    group.decided(2, "two", START_S + 3000)
    assert state(group, 3000) == (SEEING, 2)


def test_blind_for_long_never_says_that_a_group_is_idle() -> None:
    group = begun()
    group.found(0)
    group.decided(0, "idle", START_S)
    group.failed("gone")
    assert state(group, 59) == (BLIND, 0)
    assert state(group, 60) == (BLIND_LONG, 1)
    assert "one replica, since no look says" in group.at(START_S + 60).reason


def test_an_idle_group_needs_none_of_what_was_found_or_asked_for_before() -> None:
    group = begun((START_S - 60, 9), (START_S - 30, 0))
    group.decided(0, "idle", START_S)
    assert state(group, 0) == (SEEING, 0)
    # The strategy has forgotten what the 9 were for.
    group.decided(2, "two", START_S + 10)
    assert state(group, 10) == (SEEING, 9)
    group.decided(2, "two", START_S + HOUR_S - 60)
    assert state(group, HOUR_S - 60) == (SEEING, 2)


@pytest.mark.parametrize(
    "count", [math.nan, math.inf, -math.inf, -1, 2.5, 7.0, 1e400, 2**31, True, None, "7"]
)
def test_what_keda_takes_for_zero_is_never_a_count(count: object) -> None:
    group = begun()
    group.found(1)
    group.decided(3, "three", START_S)
    with pytest.raises(ValueError, match="an integer between 0 and"):
        group.decided(count, "wrong", START_S + 5)  # type: ignore[arg-type]
    assert state(group, 5) == (SEEING, 3)


def test_counts_that_can_be_sent() -> None:
    assert [scaler_answers.checked(count) for count in (0, 1, 2**31 - 1)] == [0, 1, 2**31 - 1]
