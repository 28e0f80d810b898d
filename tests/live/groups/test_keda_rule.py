"""KEDA's rule: members by lag, and the hold before members go."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.groups.keda_rule import HOLD_S, POLL_S, KedaRule, scaled_ns

pytestmark = pytest.mark.unit

POLLS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3000)), max_size=60)
"""Time since the poll before, and lag."""


def reference(
    polls: list[tuple[int, int]], most: int, threshold: int, hold_ns: int, members: int
) -> list[int]:
    """Greatest wish of the hold, by looking at all wishes again at each poll."""
    wishes, sizes, now = [(0, members)], [], 0
    for passed, lag in polls:
        now += passed
        wishes.append((now, max(1, min(most, math.ceil(lag / threshold)))))
        sizes.append(max(wish for at, wish in wishes if at >= now - hold_ns))
    return sizes


@given(POLLS, st.integers(1, 12), st.integers(1, 300), st.integers(0, 1000), st.data())
def test_the_rule_is_that_of_the_reference(
    polls: list[tuple[int, int]], most: int, threshold: int, hold_ns: int, data: st.DataObject
) -> None:
    members = data.draw(st.integers(1, most))
    rule = KedaRule(most, threshold, hold_ns, members)
    sizes, now = [], 0
    for passed, lag in polls:
        now += passed
        sizes.append(rule.members(lag, now))
    assert sizes == reference(polls, most, threshold, hold_ns, members)


def test_members_start_at_once_and_stay_for_the_hold() -> None:
    rule = KedaRule(most=8, threshold=100, hold_ns=300)
    assert [rule.members(lag, now) for now, lag in [(30, 201), (60, 0), (330, 0), (331, 0)]] == [
        3,
        3,
        3,
        1,
    ]


def test_members_are_bounded() -> None:
    rule = KedaRule(most=4, threshold=100, hold_ns=0)
    assert list(map(rule.wanted, [0, 1, 100, 101, 400, 10**12])) == [1, 1, 1, 2, 4, 4]


def test_times_are_those_of_keda_in_iterations_of_30_s() -> None:
    assert scaled_ns(POLL_S, 30.0) == 30 * 10**9
    assert scaled_ns(HOLD_S, 30.0) == 300 * 10**9
    assert scaled_ns(POLL_S, 4.0) == 4 * 10**9
    assert scaled_ns(HOLD_S, 4.0) == 40 * 10**9


@pytest.mark.parametrize(
    "bad", [{"most": 0}, {"threshold": 0}, {"hold_ns": -1}, {"members": 0}, {"members": 5}]
)
def test_numbers_out_of_bounds_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        KedaRule(**({"most": 4, "threshold": 100, "hold_ns": 0} | bad))
