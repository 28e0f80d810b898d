"""Throttles of a plan: on copies of moved partitions, and on nothing else."""

from __future__ import annotations

import pytest

from live.brokers import throttles
from live.brokers.throttles import FOLLOWERS, LEADERS, RATES, Resource

pytestmark = pytest.mark.unit

BEFORE = {("a", 0): (1, 2), ("a", 1): (2, 1), ("b", 0): (1, 2)}
AFTER = {("a", 0): (1, 4), ("a", 1): (2, 1), ("b", 0): (2, 1)}


def test_only_partitions_with_copies_are_listed() -> None:
    changes = throttles.throttled(BEFORE, AFTER, [1, 2, 4], 500)
    assert changes[Resource("topic", "a")] == {LEADERS: "0:1,0:2", FOLLOWERS: "0:4"}
    # The leader of b-0 changes, and nothing is copied.
    assert Resource("topic", "b") not in changes
    assert {resource.name for resource in changes if resource.kind == "broker"} == {"1", "2", "4"}
    assert changes[Resource("broker", "4")] == dict.fromkeys(RATES, "500")


def test_all_that_is_set_is_deleted() -> None:
    brokers = [1, 2, 4]
    changes = throttles.throttled(BEFORE, AFTER, brokers, 500)
    deleted = throttles.unthrottled(AFTER, brokers)
    for resource, values in changes.items():
        assert deleted[resource].keys() == values.keys()
    assert all(value is None for change in deleted.values() for value in change.values())
