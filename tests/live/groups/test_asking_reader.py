"""What a member that asks makes of its client's batches and callbacks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import TopicPartition
from kafka.errors import CommitFailedError
from kafka.future import Future

from live.groups import asking_reader
from live.groups.asking_assignor import AskingAssignor
from live.groups.asking_reader import AskingReader, client_settings
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

SETTINGS = short_settings(heartbeat_s=0.5, max_poll_records=50, revoke_s=2.0)
TOPIC = SETTINGS.topic("data")


class FakeConsumer:
    """A client whose batches the test sets."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.batch: dict[TopicPartition, list[Any]] = {}
        self.commits: list[dict[int, int]] = []
        self.fails = False
        self.rejoins = 0
        self.owned: set[TopicPartition] = set()
        self.paused: set[TopicPartition] = set()
        self._coordinator = self
        self._join_task: Any = None
        self.has_kept_join = False

    def request_rejoin(self) -> None:
        self.rejoins += 1

    async def _commit_offsets_sync_async(
        self, offsets: dict[TopicPartition, Any], timeout_ms: int
    ) -> None:
        self.commit(offsets)

    def poll(self, timeout_ms: int) -> Mapping[TopicPartition, list[Any]]:
        assert timeout_ms == 50
        self.has_kept_join = self._join_task is not None and not self._join_task.is_done
        return self.batch

    def assignment(self) -> set[TopicPartition]:
        return self.owned

    def pause(self, *places: TopicPartition) -> None:
        self.paused.update(places)

    def resume(self, *places: TopicPartition) -> None:
        self.paused.difference_update(places)

    def commit(self, offsets: Mapping[TopicPartition, Any]) -> None:
        if self.fails:
            raise CommitFailedError()
        self.commits.append({place.partition: row.offset for place, row in offsets.items()})


class Member:
    """A reader whose client, clock and sleep the test plays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.said: list[dict[str, Any]] = []
        self.slept: list[float] = []
        monkeypatch.setattr(asking_reader, "KafkaConsumer", FakeConsumer)
        # Threads of other tests must not sleep here.
        monkeypatch.setattr(asking_reader, "time", SimpleNamespace(sleep=self.slept.append))
        self.assignor = AskingAssignor(SETTINGS, 1, 1, self._report)
        self.epoch = 5
        self.reader = AskingReader(
            SETTINGS, 1, self.assignor, lambda: 77, lambda: self.epoch, self._report
        )
        self.client: FakeConsumer = self.reader._consumer

    def _report(self, what: str, **fields: Any) -> None:
        self.said.append({"what": what, **fields})


@pytest.fixture
def member(monkeypatch: pytest.MonkeyPatch) -> Member:
    return Member(monkeypatch)


def places(*numbers: int) -> set[TopicPartition]:
    return {TopicPartition(TOPIC, number) for number in numbers}


def revoke(member: Member, *numbers: int) -> None:
    asyncio.run(member.reader.on_partitions_revoked(places(*numbers)))


def records(*offsets: int) -> list[Any]:
    return [SimpleNamespace(offset=offset, value=b"v", key=None) for offset in offsets]


def test_the_client_has_the_runs_settings(member: Member) -> None:
    settings = client_settings(SETTINGS, 1, member.assignor)
    assert settings["heartbeat_interval_ms"] == 500
    assert settings["session_timeout_ms"] == 45_000
    assert settings["max_poll_records"] == 50
    # As in Kafka's own client: what predictions assume that a member fetches at once.
    assert settings["max_partition_fetch_bytes"] == 1_048_576
    assert settings["fetch_max_bytes"] == 52_428_800
    assert settings["enable_auto_commit"] is False
    assert settings["partition_assignment_strategy"] == [member.assignor]


def test_a_batch_is_committed_as_a_whole(member: Member) -> None:
    member.reader.on_partitions_assigned(places(0, 1))
    member.client.batch = {
        TopicPartition(TOPIC, 0): records(4, 5),
        TopicPartition(TOPIC, 1): records(9),
    }
    batch = member.reader.take(0.05)
    assert [(one.partition, one.offset, one.epoch, one.taken_ns) for one in batch] == [
        (0, 4, 5, 77),
        (0, 5, 5, 77),
        (1, 9, 5, 77),
    ]
    member.reader.commit(batch)
    assert member.client.commits == [{0: 6, 1: 10}]
    assert [entry["what"] for entry in member.said] == ["assigned"]


def test_a_poll_waits_for_a_join_that_was_answered_before_it(member: Member) -> None:
    member.client._join_task = Future().success(b"partitions")
    member.reader.take(0.05)
    assert member.client.has_kept_join


def test_revoking_takes_its_time_and_says_where_to_go_on(member: Member) -> None:
    member.reader.on_partitions_assigned(places(0, 1))
    member.client.batch = {TopicPartition(TOPIC, 0): records(4)}
    member.reader.commit(member.reader.take(0.05))
    revoke(member, 1, 0)
    assert member.slept == [2.0]
    assert member.said[-1] == {"what": "revoked", "partitions": [0, 1], "offsets": [5, None]}
    revoke(member)
    assert member.slept == [2.0]


def test_what_is_lost_is_not_owned_any_more(member: Member) -> None:
    member.reader.on_partitions_assigned(places(0))
    member.assignor.owned = tuple([0])
    member.reader.on_partitions_lost(places(0))
    assert not member.assignor.owned
    assert member.slept == []
    assert member.said[-1] == {"what": "lost", "partitions": [0]}


def test_a_commit_that_fails_is_said(member: Member) -> None:
    member.reader.on_partitions_assigned(places(0))
    member.client.batch = {TopicPartition(TOPIC, 0): records(4)}
    member.client.fails = True
    member.reader.commit(member.reader.take(0.05))
    assert member.said[-1]["what"] == "commit_failed"
    assert member.said[-1]["partitions"] == [0]


def test_a_member_that_is_asked_joins_again(member: Member) -> None:
    member.reader.rejoin()
    assert member.client.rejoins == 1


def refused(member: Member) -> None:
    """One batch of partitions 0 and 1, whose commit the client refuses."""
    member.reader.on_partitions_assigned(places(0, 1))
    member.client.batch = {
        TopicPartition(TOPIC, 0): records(4),
        TopicPartition(TOPIC, 1): records(9),
    }
    member.client.fails = True
    member.reader.commit(member.reader.take(0.05))
    member.client.fails = False


def test_what_was_refused_is_committed_at_the_next_turn(member: Member) -> None:
    refused(member)
    member.reader.commit([])
    member.reader.commit([])
    assert member.client.commits == [{0: 5, 1: 10}]


def test_what_was_refused_is_committed_before_the_partition_goes(member: Member) -> None:
    refused(member)
    revoke(member, 1)
    assert member.client.commits == [{1: 10}]
    member.reader.commit([])
    assert member.client.commits == [{1: 10}, {0: 5}]


def test_what_was_refused_of_a_lost_partition_is_not_committed(member: Member) -> None:
    refused(member)
    member.reader.on_partitions_lost(places(0, 1))
    member.reader.commit([])
    assert member.client.commits == []


def test_a_member_that_stands_still_fetches_nothing_of_what_it_gets_either(member: Member) -> None:
    member.reader.on_partitions_assigned(places(0))
    member.client.owned = places(0)
    member.reader.stand_still(True)
    member.reader.stand_still(True)
    assert member.client.paused == places(0)
    member.reader.on_partitions_assigned(places(1))
    member.client.owned = places(0, 1)
    assert member.client.paused == places(0, 1)
    member.reader.stand_still(False)
    assert member.client.paused == set()
