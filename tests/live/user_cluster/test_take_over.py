"""Where a group begins that takes over a topic, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from confluent_kafka import KafkaError

from live.controller.transactions import BrokerSilent
from live.protocol.group_knowledge import PARTITION, Phase, unused
from live.protocol.group_records import changed_records
from live.protocol.plan_report import Move, Plan
from live.user_cluster import take_over
from pipeline.base.errors import InputError
from tests.live.short_settings import short_settings
from tests.live.user_cluster.old_group_fakes import TOPIC, FakeCluster, failure

pytestmark = pytest.mark.unit

SETTINGS = short_settings(data_topic=TOPIC)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """A topic of two partitions, read up to 4 and 20; no run has left topics."""
    monkeypatch.setattr(take_over.topics, "of_run", lambda *_: [])
    cluster = FakeCluster(10, 20)
    cluster.offsets = {0: 4, 1: 20}
    return cluster


def begun(cluster: FakeCluster, offsets: str = "") -> list[int]:
    return take_over.begun(SETTINGS, cluster.old_group(), offsets)


def refusal(cluster: FakeCluster, offsets: str = "") -> str:
    with pytest.raises(InputError) as error:
        begun(cluster, offsets)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_it_begins_at_the_commits_and_commits_them(cluster: FakeCluster) -> None:
    cluster.metadata = {0: "m"}
    assert begun(cluster) == [4, 20]
    assert cluster.commits == [{0: 4, 1: 20}]
    assert cluster.metadata[0] == "m"


@pytest.mark.parametrize(("offsets", "first"), [("earliest", [4, 3]), ("latest", [4, 20])])
def test_without_a_commit_it_begins_as_asked(
    cluster: FakeCluster, offsets: str, first: list[int]
) -> None:
    cluster.begins[1] = 3
    del cluster.offsets[1]
    said = refusal(cluster)
    assert "'billing' has committed nothing in partition 1 of topic 'orders'" in said
    assert "--offsets earliest or latest" in said
    assert cluster.commits == []
    assert begun(cluster, offsets) == first
    assert cluster.offsets == dict(enumerate(first))


@pytest.mark.parametrize(("commit", "first"), [(2, 3), (21, 3)])
def test_a_commit_outside_of_what_is_stored_counts_as_none(
    cluster: FakeCluster, commit: int, first: int
) -> None:
    cluster.begins[1], cluster.offsets[1] = 3, commit
    assert f"is at {commit} in partition 1 of topic 'orders', which stores 3 to 20" in refusal(
        cluster
    )
    assert begun(cluster, "earliest") == [4, first]


def test_a_group_with_members_is_refused(cluster: FakeCluster) -> None:
    cluster.members = ["app-1", "app-2"]
    assert "must have no members to be taken over (got member app-1 at 10.0.0.7 and 1 more)" in (
        refusal(cluster, "earliest")
    )
    assert cluster.commits == []


def test_members_that_come_meanwhile_are_found_by_the_commit(cluster: FakeCluster) -> None:
    cluster.errors["commit"] = failure(KafkaError.UNKNOWN_MEMBER_ID)
    assert "must have no members to be taken over (got members)" in refusal(cluster)


def test_the_right_to_commit_is_needed_before_anything_is_read(cluster: FakeCluster) -> None:
    cluster.errors["commit"] = failure(KafkaError.GROUP_AUTHORIZATION_FAILED)
    assert "--operation Read --group billing" in refusal(cluster)


def test_silent_brokers_refuse(cluster: FakeCluster) -> None:
    cluster.errors["committed"] = failure(KafkaError._TRANSPORT)
    assert refusal(cluster).startswith("cannot take over topic 'orders': no answer about group")


def killed(monkeypatch: pytest.MonkeyPatch, progress: Mapping[bytes, bytes]) -> None:
    """A killed run has started partition 1 at 6, and left this progress."""
    state = unused(2, {})
    state.partitions[1].epoch, state.partitions[1].offset = 1, 6
    state.set_phase(state.partitions[1], Phase.FREE)
    state.begin(Plan(1, (0, 0), 1.0, "time", 0, ()))
    assert (PARTITION, 1) in state.changed
    state.partitions[1].move = Move(1, 0)
    records = {key: value for key, value in changed_records(state) if value is not None}
    held = {"gs.r.state": records, "gs.r.progress": progress}
    monkeypatch.setattr(take_over.topics, "of_run", lambda *_: list(held))
    monkeypatch.setattr(take_over, "committed", lambda _, topic, *__: held[topic])


PROGRESS = {b"1": b'{"v":1,"partition":1,"epoch":1,"offset":9}'}


@pytest.mark.parametrize(("progress", "reached"), [({}, 6), (PROGRESS, 9)])
def test_a_killed_run_goes_on_unless_the_old_group_has(
    cluster: FakeCluster,
    monkeypatch: pytest.MonkeyPatch,
    progress: Mapping[bytes, bytes],
    reached: int,
) -> None:
    killed(monkeypatch, progress)
    assert take_over.reached(SETTINGS) == {1: reached}
    cluster.offsets[1] = reached
    assert begun(cluster) == [4, reached]
    cluster.offsets[1] = reached + 1
    said = refusal(cluster)
    assert f"read on since 'r' was killed (partition 1 is at {reached + 1}" in said
    assert "under another name" in said


@pytest.mark.parametrize("stored", [(10, 20), (0, 8)])
def test_a_killed_run_does_not_go_on_where_nothing_is_stored(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch, stored: tuple[int, int]
) -> None:
    killed(monkeypatch, PROGRESS)
    cluster.begins[1], cluster.ends[1] = stored
    cluster.offsets[1] = 3
    begin, end = stored
    said = refusal(cluster, "earliest")
    assert f"killed at offset 9 of partition 1, and topic 'orders' stores {begin} to {end}" in said


@pytest.mark.parametrize(
    ("partitions", "why"), [(1, "cannot be read"), (3, "is not of 3 partitions")]
)
def test_what_a_run_with_other_partitions_has_left_is_refused(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch, partitions: int, why: str
) -> None:
    killed(monkeypatch, {})
    other = short_settings(data_topic=TOPIC, partitions=partitions)
    with pytest.raises(InputError, match=f"what 'r' has left {why}.*another name"):
        take_over.reached(other)


def test_a_transaction_that_stays_open_refuses(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: Any) -> None:
        raise BrokerSilent("gs.r.state: not read to its end in 60 s")

    monkeypatch.setattr(take_over.topics, "of_run", lambda *_: ["gs.r.state"])
    monkeypatch.setattr(take_over, "committed", silent)
    assert "cannot take over topic 'orders': gs.r.state: not read" in refusal(cluster)


def test_topics_of_runs_are_not_taken_over() -> None:
    settings = short_settings(data_topic="gs.other.data")
    with pytest.raises(InputError, match=r"'gs\.other\.data' is one of a live run"):
        take_over.opened(settings, "billing")


def test_the_number_of_partitions_is_the_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    from live.login.client_properties import NO_PROPERTIES
    from live.user_cluster.cluster_access import TopicAccess

    client: Any = FakeCluster(1, 2, 3)
    to = TopicAccess("127.0.0.1:1", TOPIC, 3, NO_PROPERTIES, client)
    monkeypatch.setattr(take_over.cluster_access, "access", lambda *_: to)
    with pytest.raises(InputError, match=r"`partitions` must be 3, as topic 'orders' has them"):
        take_over.opened(SETTINGS, "billing")


def test_a_name_is_of_one_topic_and_one_group() -> None:
    cases = [("orders", "billing"), ("orders", "audit"), ("payments", "billing")]
    names = [take_over.own_run(short_settings(data_topic=t), group) for t, group in cases]
    assert len(set(names)) == 3
    assert take_over.topics.is_ours(f"gs.{names[0]}.state")
    assert names[0] == take_over.own_run(SETTINGS, "billing")
