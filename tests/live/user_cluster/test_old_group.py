"""Members and commits of a group that is taken over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError

from live.login.client_properties import NO_PROPERTIES
from live.user_cluster.cluster_access import TopicAccess
from live.user_cluster.old_group import Bounds, Commit, NoAnswer, OldGroup
from live.user_cluster.progress_follower import ProgressFollower
from pipeline.base.errors import InputError
from tests.live.short_settings import short_settings
from tests.live.user_cluster.old_group_fakes import GROUP, TOPIC, FakeCluster, failure

pytestmark = pytest.mark.unit


def test_it_reads_what_the_group_has() -> None:
    cluster = FakeCluster(10, 20, 30)
    cluster.begins = [0, 5, 0]
    cluster.offsets, cluster.metadata = {0: 4, 2: 30}, {0: "at noon"}
    cluster.members = ["app-1"]
    old = cluster.old_group()
    assert old.partitions() == 3
    assert old.members() == ["app-1 at 10.0.0.7"]
    assert old.committed(3) == {0: Commit(4, "at noon"), 2: Commit(30)}
    assert old.bounds(3) == [Bounds(0, 10), Bounds(5, 20), Bounds(0, 30)]


def test_it_commits_with_the_metadata_of_members() -> None:
    cluster = FakeCluster(10, 20)
    assert cluster.old_group().commit({1: Commit(7, "x"), 0: Commit(3)})
    assert cluster.commits == [{0: 3, 1: 7}]
    assert cluster.metadata == {0: "", 1: "x"}


def test_a_group_that_does_not_exist_has_no_members() -> None:
    cluster = FakeCluster(10)
    cluster.errors["group"] = failure(KafkaError.GROUP_ID_NOT_FOUND)
    assert cluster.old_group().members() == []


@pytest.mark.parametrize(
    "code",
    [KafkaError.UNKNOWN_MEMBER_ID, KafkaError.STALE_MEMBER_EPOCH, KafkaError.ILLEGAL_GENERATION],
)
def test_brokers_refuse_commits_beside_members(code: int) -> None:
    cluster = FakeCluster(10)
    cluster.errors["commit"] = failure(code)
    assert not cluster.old_group().commit({0: Commit(1)})


CALLS: dict[str, Callable[[OldGroup], object]] = {
    "topic": lambda old: old.partitions(),
    "group": lambda old: old.members(),
    "committed": lambda old: old.committed(1),
    "commit": lambda old: old.commit({0: Commit(1)}),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (KafkaError.GROUP_AUTHORIZATION_FAILED, "group 'billing'"),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, "topic 'orders'"),
    ],
)
def test_a_missing_right_is_named_with_its_remedy(call: str, code: int, kind: str) -> None:
    cluster = FakeCluster(10)
    cluster.errors[call] = failure(code)
    right = "Read" if call == "commit" else "Describe"
    with pytest.raises(InputError, match=f"no right to take over {kind}.*--operation {right} "):
        CALLS[call](cluster.old_group())


@pytest.mark.parametrize("call", CALLS)
def test_silence_is_no_refusal(call: str) -> None:
    cluster = FakeCluster(10)
    cluster.errors[call] = failure(KafkaError._TIMED_OUT)
    with pytest.raises(NoAnswer, match="group 'billing'"):
        CALLS[call](cluster.old_group())


def test_bounds_need_every_partition() -> None:
    cluster = FakeCluster(10, 20)
    cluster.errors["offsets"] = failure(KafkaError._TRANSPORT)
    with pytest.raises(NoAnswer, match="partition 0"):
        cluster.old_group().bounds(2)


def test_a_topic_that_is_gone_is_named() -> None:
    cluster = FakeCluster(10)
    cluster.errors["topic"] = failure(KafkaError.UNKNOWN_TOPIC_OR_PART)
    with pytest.raises(InputError, match="topic 'orders' does not exist any more"):
        cluster.old_group().partitions()


def test_clients_accept_their_settings() -> None:
    to = TopicAccess("127.0.0.1:1", TOPIC, 1, NO_PROPERTIES, cast(Any, FakeCluster(1)))
    OldGroup(to, GROUP).close()
    follower = ProgressFollower(short_settings(data_topic=TOPIC))
    assert follower.look(0.0) == {}
    follower.close()
