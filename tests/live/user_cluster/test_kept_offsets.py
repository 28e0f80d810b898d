"""Offsets of the old group follow progress, and others in that group stop it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from confluent_kafka import KafkaError

from live.user_cluster.kept_offsets import EVERY_S, KeptOffsets
from live.user_cluster.old_group import NoAnswer
from pipeline.base.errors import InputError
from tests.live.user_cluster.old_group_fakes import FakeCluster, failure

pytestmark = pytest.mark.unit

FIRST = [4, 20]


@pytest.fixture
def cluster() -> FakeCluster:
    cluster = FakeCluster(100, 200)
    cluster.offsets = dict(enumerate(FIRST))
    return cluster


@pytest.fixture
def kept(cluster: FakeCluster) -> KeptOffsets:
    return KeptOffsets(cluster.old_group(), FIRST)


def later(kept: KeptOffsets, progress: dict[int, int], periods: float = 1.0) -> None:
    """A turn when so many periods of commits have passed."""
    kept.turn(progress, time.monotonic() + periods * EVERY_S)


def test_it_commits_every_five_seconds(cluster: FakeCluster, kept: KeptOffsets) -> None:
    began = time.monotonic()
    for second in range(1, 16):
        kept.turn({1: 20 + second}, began + second + 0.01)
    assert EVERY_S == 5.0
    assert cluster.commits == [{0: 4, 1: 25}, {0: 4, 1: 30}, {0: 4, 1: 35}]
    assert not kept.fault


def test_commits_never_go_back(cluster: FakeCluster, kept: KeptOffsets) -> None:
    kept.commit({1: 30})
    kept.commit({0: 2, 1: 28})
    assert cluster.commits == [{0: 4, 1: 30}, {0: 4, 1: 30}]


def test_what_members_wrote_beside_offsets_stays(cluster: FakeCluster, kept: KeptOffsets) -> None:
    cluster.metadata = {1: "t=7"}
    kept.commit({1: 30})
    assert cluster.metadata == {0: "", 1: "t=7"}


def test_a_member_stops_it(cluster: FakeCluster, kept: KeptOffsets) -> None:
    cluster.members = ["app-1"]
    later(kept, {0: 9})
    assert kept.is_lost
    assert kept.is_joined
    assert kept.fault == (
        "app-1 at 10.0.0.7 has joined group 'billing', which was taken over; it reads on from the "
        "last commit, at most 5 s old"
    )
    cluster.members = []
    later(kept, {0: 9}, 9)
    assert cluster.commits == []


def test_a_member_that_the_commit_finds_stops_it(cluster: FakeCluster, kept: KeptOffsets) -> None:
    cluster.errors["commit"] = failure(KafkaError.UNKNOWN_MEMBER_ID)
    later(kept, {0: 9})
    assert kept.is_lost
    assert kept.fault.startswith("a member has joined group 'billing'")


def test_a_commit_of_somebody_else_stops_it(cluster: FakeCluster, kept: KeptOffsets) -> None:
    cluster.offsets[1] = 150
    later(kept, {1: 30})
    assert kept.is_lost
    assert not kept.is_joined
    assert kept.fault == (
        "another client has committed offset 150 in partition 1 to group 'billing' (it was at 20); "
        "only one may read topic 'orders'"
    )
    assert cluster.commits == []


def test_commits_that_the_broker_forgot_are_made_again(
    cluster: FakeCluster, kept: KeptOffsets
) -> None:
    cluster.offsets.clear()
    later(kept, {1: 30})
    assert cluster.offsets == {0: 4, 1: 30}
    assert not kept.fault


@pytest.mark.parametrize("has_arrived", [True, False])
def test_a_commit_without_an_answer_is_nobody_elses(
    cluster: FakeCluster, kept: KeptOffsets, has_arrived: bool
) -> None:
    cluster.errors["commit"] = failure(KafkaError._TIMED_OUT)
    later(kept, {1: 30})
    if has_arrived:
        cluster.offsets |= {1: 30}
    del cluster.errors["commit"]
    later(kept, {1: 40}, 2)
    assert not kept.fault
    assert cluster.offsets == {0: 4, 1: 40}


def test_brokers_that_do_not_answer_are_asked_again(
    cluster: FakeCluster, kept: KeptOffsets
) -> None:
    cluster.errors["group"] = failure(KafkaError._TRANSPORT)
    later(kept, {1: 30})
    assert (kept.fault, cluster.commits) == ("", [])
    del cluster.errors["group"]
    later(kept, {1: 31})
    assert cluster.commits == [{0: 4, 1: 31}]


def test_a_right_that_is_taken_away_stops_it(cluster: FakeCluster, kept: KeptOffsets) -> None:
    cluster.errors["commit"] = failure(KafkaError.GROUP_AUTHORIZATION_FAILED)
    later(kept, {1: 30})
    assert "--operation Read --group billing" in kept.fault
    assert not kept.is_lost


def test_more_partitions_stop_it_and_offsets_are_still_handed_back(
    cluster: FakeCluster, kept: KeptOffsets
) -> None:
    cluster.ends.append(0)
    later(kept, {1: 30})
    assert kept.fault.startswith("topic 'orders' has 3 partitions now, and had 2")
    assert not kept.is_lost
    kept.commit({1: 31})
    assert cluster.offsets == {0: 4, 1: 31}


def test_records_that_are_deleted_unread_stop_it(cluster: FakeCluster, kept: KeptOffsets) -> None:
    cluster.begins = [4, 25]
    later(kept, {1: 24})
    assert not kept.fault  # Progress may be on its way.
    later(kept, {1: 25}, 2)
    assert not kept.fault
    cluster.begins = [4, 40]
    later(kept, {1: 30}, 3)
    later(kept, {1: 35}, 4)
    assert not kept.fault
    later(kept, {1: 35}, 5)
    assert kept.fault == (
        "topic 'orders' stores partition 1 from offset 40, and 35 was to be read next; take it "
        "over again with --offsets"
    )
    assert not kept.is_lost
    assert cluster.offsets == {0: 4, 1: 35}


def test_the_last_commit_tells_why_it_failed(cluster: FakeCluster, kept: KeptOffsets) -> None:
    cluster.errors["commit"] = failure(KafkaError._TRANSPORT)
    with pytest.raises(NoAnswer):
        kept.commit({})
    cluster.errors["commit"] = failure(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(InputError):
        kept.commit({})


class Follower:
    """Progress that a test knows, or an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.looks, self.is_closed = error, 0, False

    def look(self, wait_s: float) -> dict[int, int]:
        self.looks += 1
        if self.error is not None:
            raise self.error
        time.sleep(0.005)
        return {1: 30}

    def close(self) -> None:
        self.is_closed = True


def ended(kept: KeptOffsets, follower: Any) -> None:
    kept.follow(follower)
    until = time.monotonic() + 20
    while not follower.looks and time.monotonic() < until:
        time.sleep(0.005)
    kept.stop()
    assert follower.is_closed


def test_its_thread_ends_when_asked(kept: KeptOffsets) -> None:
    ended(kept, Follower())
    assert not kept.fault


def test_an_error_of_its_thread_stops_the_group(kept: KeptOffsets) -> None:
    ended(kept, Follower(RuntimeError("closed")))
    assert kept.fault == "offsets of group 'billing' are not kept any more: closed"
    assert not kept.is_lost
