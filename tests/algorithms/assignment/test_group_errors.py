"""Wrong groups of several topics are refused by a message that names field, value and limit."""

from __future__ import annotations

from typing import Any

import pytest

from algorithms.assignment.assignors import assign_group
from algorithms.core.input_errors import InvalidParameterError

pytestmark = pytest.mark.unit

GOOD: dict[str, Any] = {
    "name": "kip169",
    "topics": {"a": 2, "b": 3},
    "members": ["x", "y"],
    "owned": {"x": [("a", 1)], "gone": [("a", 7)]},
    "subscriptions": {"x": ["a", "b"], "y": ["b", "missing"], "gone": []},
    "lags": {"a": {1: 5}, "other": {9: 1}},
}

WRONG = [
    ("name", "stickier", "assignor must be one of range, .*kip169 .*got 'stickier'"),
    ("topics", ["a"], r"topics must be a mapping, numbers of partitions by topic \(got \['a'\]\)"),
    ("topics", {"a": 0}, r"topics\['a'\] must be between 1 and 2147483647 \(got 0\)"),
    ("topics", {"a": 1.0}, r"topics\['a'\] must be an integer .*1\.0"),
    ("topics", {1: 1}, r"topics must be named by text \(got 1\)"),
    ("members", [], r"members must hold at least one member id \(got none\)"),
    ("members", "xy", r"members must be a list of member ids \(got 'xy'\)"),
    ("members", [1], r"members must be ids as text \(got 1\)"),
    ("members", ["x", "y", "x"], r"members must be distinct \(got 'x' more than once\)"),
    ("subscriptions", [["a"]], r"subscriptions must be a mapping, topics by member"),
    ("subscriptions", {"x": ["a"]}, r"subscriptions must have the topics .*\(got none for 'y'\)"),
    (
        "subscriptions",
        {"x": "a", "y": []},
        r"subscriptions\['x'\] must be a list of topics \(got 'a'\)",
    ),
    (
        "subscriptions",
        {"x": [1], "y": []},
        r"subscriptions\['x'\] must name topics by text \(got 1\)",
    ),
    ("owned", [("a", 1)], r"owned must be a mapping, partitions by member"),
    ("owned", {"x": 3}, r"owned\['x'\] must be a list of partitions \(got 3\)"),
    ("owned", {"x": ["a1"]}, r"owned\['x'\] must hold pairs \(topic, partition\) \(got 'a1'\)"),
    (
        "owned",
        {"x": [("a", 2)]},
        r"partitions of 'a' in owned\['x'\] must be between 0 and 1 \(got 2\)",
    ),
    ("owned", {"x": [("a", -1)]}, r"partitions of 'a' in owned\['x'\] must be .*\(got -1\)"),
    (
        "owned",
        {"x": [("a", 1)], "y": [("a", 1)]},
        r"owned must name one owner of each partition \(got 'x' and 'y' for partition 1 of 'a'\)",
    ),
    ("lags", [1], r"lags must be a mapping of topics \(got \[1\]\)"),
    ("lags", {"a": [1]}, r"lags\['a'\] must be a mapping of partitions \(got \[1\]\)"),
    ("lags", {"a": {2: 1}}, r"partitions of lags\['a'\] must be between 0 and 1 \(got 2\)"),
    ("lags", {"a": {0: -1}}, r"lags\['a'\]\[0\] must be finite and at least 0 events \(got -1\)"),
]


@pytest.mark.parametrize(("field", "value", "message"), WRONG)
def test_a_wrong_argument_is_refused(field: str, value: object, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        assign_group(**{**GOOD, field: value})


def test_the_others_are_right() -> None:
    """Absent members and topics that do not exist are no fault."""
    assert assign_group(**GOOD) == {"x": [("a", 0), ("a", 1), ("b", 0), ("b", 2)], "y": [("b", 1)]}


def test_members_that_read_nothing_get_nothing() -> None:
    for name in ("range", "roundrobin", "sticky", "kip848_uniform", "kip169"):
        assert assign_group(name, {"a": 2}, ["x", "y"], None, {"x": [], "y": []}) == {
            "x": [],
            "y": [],
        }
        placed = assign_group(name, {"a": 2}, ["x", "y"], None, {"x": [], "y": ["a"]})
        assert placed == {"x": [], "y": [("a", 0), ("a", 1)]}
