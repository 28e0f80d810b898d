"""Pauses, owners and settling of one event, from entries and reads by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tools.bench.rebalances import event_times
from tools.bench.rebalances.event_times import Reads

pytestmark = pytest.mark.unit

S = 1_000_000_000


def entry(at_s: float, member: str, what: str, *partitions: int) -> dict[str, Any]:
    return {
        "at_ns": round(at_s * S),
        "member": member,
        "what": what,
        "partitions": list(partitions),
    }


def reads(*rows: tuple[float, int, str]) -> Reads:
    ordered = sorted(rows)
    return Reads(
        np.array([round(at * S) for at, _, _ in ordered], np.int64),
        np.array([partition for _, partition, _ in ordered], np.int32),
        np.array([member for _, _, member in ordered]),
    )


def steady(partition: int, member: str, since: float, until: float) -> list[tuple[float, int, str]]:
    """A record each 0.1 s."""
    return [(float(at), partition, member) for at in np.arange(since, until, 0.1)]


EAGER = [
    entry(1.0, "a", "assigned", 0, 1),
    entry(10.0, "b", "subscribing"),
    entry(12.0, "a", "revoked", 0, 1),
    entry(12.3, "a", "assigned", 0),
    entry(12.3, "b", "assigned", 1),
]
EAGER_READS = reads(
    *steady(0, "a", 2.0, 12.05),
    *steady(1, "a", 2.0, 12.05),
    *steady(0, "a", 12.5, 15.0),
    *steady(1, "b", 12.9, 15.0),
)


def test_an_eager_join_stops_all_partitions() -> None:
    times = event_times.event_times(EAGER_READS, EAGER, 10 * S, "b", 2)
    assert times is not None
    assert times.settled_s == pytest.approx(2.9)
    assert times.first_s == times.last_s == pytest.approx(2.0)
    assert times.kept == {0: pytest.approx(0.5)}
    assert times.moved == {1: pytest.approx(0.9)}
    assert times.control_s == pytest.approx(0.1)
    assert times.receivers == 1


def test_a_partition_that_never_stops_is_ready_at_once() -> None:
    """A cooperative join: partition 0 stays, 1 moves in a second round."""
    entries = [
        entry(1.0, "a", "assigned", 0, 1),
        entry(11.0, "a", "revoked", 1),
        entry(11.0, "a", "assigned"),
        entry(14.0, "a", "assigned"),
        entry(14.0, "b", "assigned", 1),
    ]
    own = reads(
        *steady(0, "a", 2.0, 16.0), *steady(1, "a", 2.0, 11.05), *steady(1, "b", 14.2, 16.0)
    )
    times = event_times.event_times(own, entries, 10 * S, "b", 2)
    assert times is not None
    assert times.settled_s == pytest.approx(4.2)
    assert times.kept == {0: pytest.approx(0.1)}
    assert times.moved == {1: pytest.approx(3.2)}


def test_a_killed_member_has_no_partitions() -> None:
    entries = [
        entry(1.0, "a", "assigned", 0),
        entry(1.0, "b", "assigned", 1),
        {"at_ns": 10 * S, "member": "b", "what": "killed"},
        entry(16.0, "a", "assigned", 1),
    ]
    assert event_times.owners_after(entries[:3]) == {0: "a"}
    own = reads(*steady(0, "a", 2.0, 18.0), *steady(1, "b", 2.0, 10.0), *steady(1, "a", 16.4, 18.0))
    times = event_times.event_times(own, entries, 10 * S, "b", 2)
    assert times is not None
    assert times.settled_s == pytest.approx(6.4)
    assert times.moved == {1: pytest.approx(6.5)}


@pytest.mark.parametrize(
    "entries",
    [EAGER[:-1], EAGER[1:]],
    ids=["no final owner", "no owner before"],
)
def test_without_owners_there_are_no_times(entries: Sequence[dict[str, Any]]) -> None:
    assert event_times.event_times(EAGER_READS, entries, 10 * S, "b", 2) is None


def test_a_final_owner_must_have_read() -> None:
    own = EAGER_READS.members != "b"
    silent = Reads(*(column[own] for column in EAGER_READS))
    assert event_times.event_times(silent, EAGER, 10 * S, "b", 2) is None


def test_a_late_revocation_does_not_take_a_new_owners_partition() -> None:
    entries = [entry(1.0, "a", "assigned", 0), entry(2.0, "b", "assigned", 0)]
    assert event_times.owners_after([*entries, entry(3.0, "a", "revoked", 0)]) == {0: "b"}


def test_even_groups_have_all_partitions_and_no_stranger() -> None:
    owners = {0: "a", 1: "b", 2: "a"}
    assert event_times.is_even(owners, ["a", "b"], 3)
    assert not event_times.is_even(owners, ["a", "b"], 4)
    assert not event_times.is_even(owners, ["a"], 3)
    assert not event_times.is_even({0: "a", 1: "a"}, ["a", "b"], 2)


def test_a_pause_counts_where_it_ends() -> None:
    at_ns = np.array([0, 5 * S, 6 * S, 9 * S], np.int64)
    assert event_times.longest_pause(at_ns, 4 * S) == 5.0
    assert event_times.longest_pause(at_ns, 5 * S) == 3.0
    assert event_times.longest_pause(at_ns[:1], 0) == 0.0
