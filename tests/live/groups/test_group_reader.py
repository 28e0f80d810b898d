"""The reader of a group's member, with a client that the test plays."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, TopicPartition

from live.consumer import data_reader
from live.consumer.client_errors import Unusable
from live.groups import group_reader
from live.groups.group_reader import GroupReader
from tests.live.consumer.client_fakes import FakeMessage

pytestmark = pytest.mark.unit

TOPIC = "data"


class GroupClient:
    """A consumer whose polls return messages, and call what the test has put in between."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.on_commit = settings["on_commit"]
        self.callbacks: dict[str, Any] = {}
        self.script: list[Any] = []
        self.commits: list[tuple[dict[int, int], bool]] = []
        self.assigned: list[int] = []
        self.starts: dict[int, int] = {}
        self.committed_offsets: dict[int, int] = {}
        self.first = 0
        self.away = 0
        self.refusal: KafkaError | None = None
        self.is_closed = False
        self.name: str | None = "c0-1"

    def memberid(self) -> str | None:
        return self.name

    def subscribe(self, topics: list[str], **callbacks: Any) -> None:
        assert topics == [TOPIC]
        self.callbacks = callbacks

    def rebalance(self, kind: str, *partitions: int) -> None:
        self.callbacks[kind](self, [TopicPartition(TOPIC, p) for p in partitions])

    def incremental_assign(self, places: list[TopicPartition]) -> None:
        self.assigned += [place.partition for place in places]
        self.starts |= {place.partition: place.offset for place in places}

    def committed(self, places: list[TopicPartition], timeout: float) -> list[TopicPartition]:
        if self.away:
            self.away -= 1
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        return [
            TopicPartition(TOPIC, p.partition, self.committed_offsets.get(p.partition, -1001))
            for p in places
        ]

    def offsets_for_times(self, places: list[TopicPartition], timeout: float) -> Any:
        assert {place.offset for place in places} == {OFFSET_BEGINNING}
        return [TopicPartition(TOPIC, place.partition, self.first) for place in places]

    def incremental_unassign(self, places: list[TopicPartition]) -> None:
        for place in places:
            self.assigned.remove(place.partition)

    def poll(self, wait_s: float) -> Any:
        step = self.script.pop(0) if self.script else None
        if callable(step):
            step()
            return self.poll(0)
        return step

    def commit(self, offsets: list[TopicPartition], asynchronous: bool) -> Any:
        if self.refusal is not None and not asynchronous:
            raise KafkaException(self.refusal)
        self.commits.append(({each.partition: each.offset for each in offsets}, asynchronous))
        if asynchronous:
            self.on_commit(self.refusal, offsets)
        return None if asynchronous else offsets

    def close(self) -> None:
        self.is_closed = True


class Scene:
    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.epochs = 0
        settings: dict[str, object] = {}
        self.reader = GroupReader(
            settings, TOPIC, lambda: 0, lambda text: None, self.epoch, self.tell
        )
        self.client: GroupClient = self.reader._consumer  # type: ignore[assignment]
        self.reader.subscribe()

    def epoch(self) -> int:
        self.epochs += 1
        return self.epochs

    def tell(self, what: str, **fields: Any) -> None:
        self.told.append((what, fields))

    def process(self, *steps: Any) -> list[tuple[int, int]]:
        """Take records, and process those that are still owned; their partitions and offsets."""
        self.client.script += steps
        records = self.reader.owned(self.reader.take(10**6, 0.0))
        self.reader.done(records)
        return [(record.partition, record.offset) for record in records]


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr(data_reader, "Consumer", GroupClient)
    return Scene()


def test_offsets_are_committed_before_a_partition_is_revoked(scene: Scene) -> None:
    scene.client.rebalance("on_assign", 2, 1)
    assert scene.process(message(1, 0), message(1, 1), message(2, 0)) == [(1, 0), (1, 1), (2, 0)]
    scene.client.rebalance("on_revoke", 1)
    assert scene.client.commits == [({1: 2}, False)]
    assert scene.client.assigned == [2]
    scene.reader.commit()
    scene.reader.commit()
    assert scene.client.commits[1:] == [({2: 1}, True)]
    assert scene.told == [
        ("assigned", {"partitions": [1, 2], "epoch": 1}),
        ("revoked", {"partitions": [1], "offsets": [2]}),
    ]


def test_records_of_a_partition_that_goes_while_they_are_taken_are_dropped(scene: Scene) -> None:
    scene.client.rebalance("on_assign", 1, 2)
    revoke = lambda: scene.client.rebalance("on_revoke", 1)  # noqa: E731
    again = lambda: scene.client.rebalance("on_assign", 1)  # noqa: E731
    assert scene.process(message(1, 0), message(2, 0), revoke, message(2, 1)) == [(2, 0), (2, 1)]
    assert scene.client.commits == []
    assert scene.process(message(1, 0), again, message(1, 0), revoke, again) == []
    assert scene.process(message(1, 0)) == [(1, 0)]


def test_records_that_the_client_leaves_out_are_reported(scene: Scene) -> None:
    scene.client.committed_offsets = {1: 5}
    scene.client.rebalance("on_assign", 1)
    assert scene.process(message(1, 5), message(1, 6), message(1, 8)) == [(1, 5), (1, 6), (1, 8)]
    assert scene.told[1:] == [("skipped", {"partitions": [1], "since": 7, "to": 8})]


def test_reading_begins_at_explicit_offsets(scene: Scene) -> None:
    """Those that the group has committed, else the first ones that are stored."""
    scene.client.committed_offsets, scene.client.first = {1: 30, 2: 0}, 5
    scene.client.rebalance("on_assign", 1, 2, 3)
    assert scene.client.starts == {1: 30, 2: 0, 3: 5}


def test_a_first_record_that_the_client_leaves_out_is_reported_too(scene: Scene) -> None:
    scene.client.committed_offsets = {1: 30}
    scene.client.rebalance("on_assign", 1, 2)
    assert scene.process(message(1, 31), message(2, 0)) == [(1, 31), (2, 0)]
    assert scene.told[1:] == [("skipped", {"partitions": [1], "since": 30, "to": 31})]


def test_records_before_the_committed_offset_are_left_out(scene: Scene) -> None:
    scene.client.committed_offsets = {1: 30}
    scene.client.rebalance("on_assign", 1)
    assert scene.process(message(1, 29), message(1, 30)) == [(1, 30)]


def test_a_broker_that_does_not_tell_the_offsets_at_once_is_asked_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.client.committed_offsets = {1: 30}
    scene.client.away = 2
    scene.client.rebalance("on_assign", 1)
    assert scene.client.starts == {1: 30}
    scene.client.away = 99
    monkeypatch.setattr(group_reader, "LIMIT_S", 0.3)
    with pytest.raises(Unusable, match="offsets"):
        scene.client.rebalance("on_assign", 2)


def test_nothing_is_committed_for_a_partition_that_is_lost(scene: Scene) -> None:
    scene.client.rebalance("on_assign", 1)
    scene.process(message(1, 0))
    scene.client.rebalance("on_lost", 1)
    scene.client.rebalance("on_revoke", 1)
    scene.reader.commit()
    assert (scene.client.commits, scene.client.assigned) == ([], [])
    assert scene.told[1:] == [
        ("lost", {"partitions": [1]}),
        ("revoked", {"partitions": [], "offsets": []}),
    ]


def test_a_partition_without_records_is_not_committed(scene: Scene) -> None:
    scene.client.rebalance("on_assign", 1)
    scene.reader.commit()
    scene.client.on_commit(None, [TopicPartition(TOPIC, 1, 5)])  # Of an earlier tenure.
    scene.reader.commit()
    scene.client.rebalance("on_revoke", 1)
    assert scene.client.commits == []


def test_commits_that_fail_are_repeated_and_reported_once(scene: Scene) -> None:
    scene.client.rebalance("on_assign", 1)
    scene.process(message(1, 0))
    scene.client.refusal = KafkaError(KafkaError.ILLEGAL_GENERATION)
    for _ in range(3):
        scene.reader.commit()
    scene.client.refusal = None
    scene.reader.commit()
    scene.reader.commit()
    assert scene.client.commits == [({1: 1}, True)] * 4
    scene.process(message(1, 1))
    scene.client.refusal = KafkaError(KafkaError.UNKNOWN_MEMBER_ID)
    scene.client.rebalance("on_revoke", 1)
    failed = [fields["partitions"] for what, fields in scene.told if what == "commit_failed"]
    assert failed == [[1], [1]]
    assert scene.client.assigned == []
    scene.reader.close()
    assert scene.client.is_closed


def test_a_member_that_ends_while_it_joins_waits_for_its_name(scene: Scene) -> None:
    """Without it, the client could not leave, and the group would wait for a session."""
    client = scene.client
    client.name = None

    def named() -> None:
        assert not client.is_closed
        client.name = "c0-1"

    client.script = [None, None, named, None]
    scene.reader.close()
    assert client.is_closed
    assert client.script == []


def test_a_member_without_a_coordinator_ends_all_the_same(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_reader, "NAMED_S", 0.05)
    scene.client.name = None
    scene.reader.close()
    assert scene.client.is_closed


def message(partition: int, offset: int) -> Any:
    return FakeMessage(offset, partition=partition)
