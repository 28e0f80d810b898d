"""A topic is taken over, kept and handed back, with a cluster in memory."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from confluent_kafka import KafkaError

from live.controller.transactions import BrokerSilent
from live.live_settings import LiveSettings
from live.user_cluster import taken_topic
from live.user_cluster.take_over import TakeOver
from live.user_cluster.taken_topic import NotHandedBack, TakenTopic
from pipeline.base.errors import InputError, StageError
from tests.live.short_settings import short_settings
from tests.live.user_cluster.old_group_fakes import GROUP, TOPIC, FakeCluster, failure

pytestmark = pytest.mark.unit


@dataclass
class World:
    """The cluster, and the topics of the run there."""

    cluster: FakeCluster
    progress: dict[int, int] = field(default_factory=dict)
    exist: bool = False
    changes: list[str] = field(default_factory=list)

    def create(self, settings: LiveSettings) -> None:
        self.exist = True
        self.changes.append("create")

    def delete(self, *_: Any) -> None:
        self.exist = False
        self.changes.append("delete")

    def taken(self, offsets: str = "") -> TakenTopic:
        return TakenTopic(short_settings(data_topic=TOPIC), TakeOver(GROUP, offsets))


class Follower:
    """It never sees progress: what is committed is read as the group ends."""

    def __init__(self, settings: LiveSettings) -> None:
        self.settings = settings

    def look(self, wait_s: float) -> dict[int, int]:
        time.sleep(0.005)
        return {}

    def close(self) -> None:
        pass


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """The old group has read up to 4 and 20."""
    world = World(FakeCluster(100, 200))
    world.cluster.offsets = {0: 4, 1: 20}
    monkeypatch.setattr(taken_topic.topics, "of_run", lambda *_: ["t"] if world.exist else [])
    monkeypatch.setattr(taken_topic.topics, "create", world.create)
    monkeypatch.setattr(taken_topic.topics, "delete", world.delete)
    monkeypatch.setattr(taken_topic, "ProgressFollower", Follower)
    monkeypatch.setattr(taken_topic.take_over, "opened", lambda *_: world.cluster.old_group())
    monkeypatch.setattr(taken_topic.take_over, "reached", lambda *_: {})
    monkeypatch.setattr(taken_topic.take_over, "progress", lambda *_: world.progress)
    monkeypatch.setattr(taken_topic, "HAND_BACK_S", 0.0)
    return world


def test_it_is_taken_over_and_handed_back(world: World) -> None:
    with world.taken() as taken:
        assert taken.settings.first_offsets == (4, 20)
        assert taken.settings.run.startswith("r.")
        assert world.changes == ["create"]
        world.progress = {0: 50, 1: 21}
    assert world.cluster.offsets == {0: 50, 1: 21}
    assert world.changes == ["create", "delete"]
    assert world.cluster.is_closed


def test_topics_of_a_killed_run_are_used_again(world: World) -> None:
    world.exist = True
    with world.taken():
        assert world.changes == []


def test_nothing_is_created_if_it_is_refused(world: World) -> None:
    world.cluster.members = ["app-1"]
    with pytest.raises(InputError, match="must have no members"):
        world.taken()
    assert world.changes == []


def leave(taken: TakenTopic, error: Exception | None = None) -> None:
    """The end of the consumers, perhaps with an error."""
    taken.__exit__(None if error is None else type(error), error, None)


def look(taken: TakenTopic) -> None:
    """A look of the thread, now."""
    taken._kept.stop()
    taken._kept.turn({}, 0.0)


def test_after_an_error_offsets_are_handed_back_and_topics_stay(world: World) -> None:
    taken = world.taken().__enter__()
    world.progress = {0: 50}
    leave(taken, StageError("the monitor has ended"))
    assert world.cluster.offsets == {0: 50, 1: 20}
    assert world.changes == ["create"]


def test_a_member_has_the_group_back(world: World) -> None:
    taken = world.taken().__enter__()
    world.progress = {0: 50}
    world.cluster.members = ["app-1"]
    look(taken)
    assert "app-1 at 10.0.0.7 has joined" in taken.fault
    leave(taken, StageError(taken.fault))
    assert world.cluster.commits == [{0: 4, 1: 20}]
    assert world.changes == ["create", "delete"]


def test_a_member_at_the_very_end_is_named(world: World) -> None:
    taken = world.taken().__enter__()
    world.cluster.errors["commit"] = failure(KafkaError.UNKNOWN_MEMBER_ID)
    with pytest.raises(NotHandedBack, match="a member has joined group 'billing'"):
        leave(taken)
    assert world.changes == ["create", "delete"]


@pytest.mark.parametrize("is_seen_at_the_end", [True, False])
def test_topics_stay_when_another_controller_may_use_them(
    world: World, is_seen_at_the_end: bool
) -> None:
    taken = world.taken().__enter__()
    world.cluster.offsets[0] = 60
    if is_seen_at_the_end:
        with pytest.raises(NotHandedBack, match="another client has committed offset 60"):
            leave(taken)
    else:
        taken._kept.stop()
        taken._kept.turn({}, time.monotonic() + 60.0)
        assert "another client has committed offset 60" in taken.fault
        leave(taken, StageError(taken.fault))
    assert world.cluster.offsets[0] == 60
    assert world.changes == ["create"]


def test_a_topic_with_more_partitions_is_handed_back(world: World) -> None:
    taken = world.taken().__enter__()
    world.progress = {1: 30}
    world.cluster.ends.append(0)
    look(taken)
    assert "3 partitions now" in taken.fault
    leave(taken, StageError(taken.fault))
    assert world.cluster.offsets == {0: 4, 1: 30}
    assert world.changes == ["create", "delete"]


def test_a_group_that_does_not_answer_is_not_handed_back(world: World) -> None:
    taken = world.taken().__enter__()
    world.cluster.errors["commit"] = failure(KafkaError._TRANSPORT)
    with pytest.raises(NotHandedBack, match="offsets of group 'billing' were not handed back"):
        leave(taken)
    # The next run of this name goes on from what they hold.
    assert world.changes == ["create"]


def test_progress_that_cannot_be_read_is_not_handed_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: Any) -> dict[int, int]:
        raise BrokerSilent("progress: not read")

    taken = world.taken().__enter__()
    monkeypatch.setattr(taken_topic.take_over, "progress", silent)
    with pytest.raises(NotHandedBack, match="were not handed back: progress: not read"):
        leave(taken)
    assert world.changes == ["create"]
    assert world.cluster.offsets == {0: 4, 1: 20}


def test_both_errors_are_said_in_one_line(world: World) -> None:
    taken = world.taken().__enter__()
    world.cluster.errors["commit"] = failure(KafkaError.GROUP_AUTHORIZATION_FAILED)
    with pytest.raises(NotHandedBack) as error:
        leave(taken, StageError("the monitor has ended"))
    said = str(error.value)
    assert said.startswith("the monitor has ended; offsets of group 'billing' were not handed back")
    assert "--operation Read --group billing" in said
    assert "\n" not in said
