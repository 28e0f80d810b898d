"""Defaults of a group, and what follows from others."""

from __future__ import annotations

import pytest

from algorithms.simulation.group_settings import DEFAULTS, PAPER_GROUP, check_settings

pytestmark = pytest.mark.unit


def test_the_defaults_are_those_of_kafka_and_of_a_pod() -> None:
    assert {name: DEFAULTS[name] for name in (*PAPER_GROUP, "session_s", "assignor")} == {
        "startup_s": 10.0,
        "heartbeat_s": None,
        "rebalance_s": 0.1,
        "second_heartbeat_s": None,
        "max_poll_records": 500,
        "commit_s": 5.0,
        "session_s": 45.0,
        "assignor": "range",
    }


@pytest.mark.parametrize(("protocol", "seconds"), [("eager", 3.0), ("incremental", 5.0)])
def test_the_heartbeat_follows_from_the_protocol(protocol: str, seconds: float) -> None:
    defaults = check_settings({"protocol": protocol}, 4, 1.0, None)
    assert (defaults.heartbeat_s, defaults.next_heartbeat_s) == (seconds, seconds)
    chosen = check_settings({"protocol": protocol, "heartbeat_s": 1.0}, 4, 1.0, None)
    assert (chosen.heartbeat_s, chosen.next_heartbeat_s) == (1.0, 1.0)
    second = check_settings({"protocol": protocol, "second_heartbeat_s": 0.0}, 4, 1.0, None)
    assert (second.heartbeat_s, second.next_heartbeat_s) == (seconds, 0.0)


@pytest.mark.parametrize(
    ("protocol", "given", "seconds"),
    [
        ("eager", None, 3.0),
        ("eager", 7.0, 7.0),
        ("incremental", None, 6.0),
        ("incremental", 7.0, 6.0),
    ],
)
def test_a_group_without_members_waits_for_its_first_rebalance(
    protocol: str, given: float | None, seconds: float
) -> None:
    own = {"protocol": protocol, "assignment_interval_s": 1.0, "initial_rebalance_s": given}
    assert check_settings(own, 4, 1.0, None).first_assigned_s == seconds
