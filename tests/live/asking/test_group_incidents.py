"""Which members go and come through events, with a group that the test settles."""

from __future__ import annotations

import pytest

from algorithms.core.input_errors import InvalidParameterError
from live.asking import group_incidents
from live.asking.group_incidents import Change, GroupIncidents
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

SESSION_S = 6.0


class Group:
    """A group of three members, of which the one with number 1 has the highest rate."""

    def __init__(self, *events: str) -> None:
        settings = short_settings(
            group_events=events, iterations=100, iteration_s=1.0, session_s=SESSION_S
        )
        self.happens = group_incidents.of_run(settings)
        self.incidents = GroupIncidents(self.happens, SESSION_S)
        self.slots = frozenset(range(3))

    def turn(self, time_s: float, is_settled: bool = True) -> Change | None:
        change = self.incidents.due(time_s, self.slots, is_settled, lambda: 1)
        if change is not None:
            self.slots = change.slots
        return change


def test_a_crashed_member_is_replaced_when_its_session_is_over() -> None:
    group = Group("crash@10s")
    assert group.turn(9.9) is None
    assert not group.incidents.holds
    assert group.turn(10.0) == Change(frozenset({0, 2}), killed=1)
    assert group.turn(15.9, is_settled=False) is None
    assert group.turn(16.0, is_settled=False) == Change(frozenset({0, 1, 2}))
    assert group.turn(17.0, is_settled=False) is None
    assert group.incidents.holds
    assert group.turn(18.0) is None
    assert not group.incidents.holds


def test_a_restart_waits_for_each_step_to_settle_and_for_its_pause() -> None:
    group = Group("restart@10s:surge=1,unavailable=0,pause_s=2")
    assert group.turn(10.0, is_settled=False) is None
    assert group.incidents.holds
    assert group.turn(11.0) == Change(frozenset({0, 1, 2, 3}))
    assert group.turn(12.0, is_settled=False) is None
    assert group.turn(13.0) is None
    assert group.turn(14.9) is None
    assert group.turn(15.0) == Change(frozenset({1, 2, 3, 4}))
    for time_s in (16.0, 18.0, 19.0, 21.0):
        group.turn(time_s)
    assert group.slots == {0, 3, 4}
    # The last step has settled; then there is none left.
    group.turn(22.0)
    group.turn(24.0)
    assert not group.incidents.holds


def test_a_restart_waits_until_a_crashed_member_is_replaced() -> None:
    group = Group("crash@10s", "restart@11s:surge=1,unavailable=0")
    group.turn(10.0)
    assert group.turn(12.0) is None
    assert group.turn(16.0) == Change(frozenset({0, 1, 2}))
    assert group.turn(17.0) == Change(frozenset({0, 1, 2, 3}))


def test_an_outage_changes_no_member() -> None:
    group = Group("outage@10s:5s")
    assert group.turn(12.0) is None
    assert not group.incidents.holds
    assert list(group_incidents.standstills(group.happens)) == [(10.0, 15.0)]


def test_a_time_that_is_not_given_follows_from_the_seed() -> None:
    times = {
        group_incidents.of_run(short_settings(group_events=("crash",), seed=seed))[0].at_s
        for seed in (1, 1, 2)
    }
    assert len(times) == 2


def test_an_event_must_begin_within_the_run() -> None:
    with pytest.raises(InvalidParameterError, match="must begin within the workload, 0 to 45 s"):
        group_incidents.of_run(short_settings(group_events=("crash@46s",)))
