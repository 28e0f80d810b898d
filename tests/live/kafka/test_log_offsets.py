"""Offsets of logs: partial answers, and a process that survives whatever its broker does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, KafkaError, KafkaException, TopicPartition

from live.kafka import log_offsets
from tests.live.kafka import offsets_probe

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]


class Client:
    """Answers with an offset, an error of the partition, or by failing the whole call."""

    def __init__(self, answers: dict[int, Any]) -> None:
        self._answers = answers
        self.calls: list[list[int]] = []
        self.places: set[int] = set()
        self.refreshed = 0

    def offsets_for_times(self, places: list[TopicPartition], timeout: float) -> Any:
        self.calls.append([place.partition for place in places])
        self.places |= {place.offset for place in places}
        assert timeout > 0
        rows = []
        for place in places:
            answer = self._answers[place.partition]
            if isinstance(answer, Exception):
                raise answer
            rows.append(TopicPartition(place.topic, place.partition, answer))
        return rows

    def list_topics(self, *_: Any, **__: Any) -> None:
        self.refreshed += 1
        raise KafkaException(KafkaError(KafkaError._TRANSPORT))


@pytest.mark.unit
def test_all_partitions_are_asked_at_once() -> None:
    client: Any = Client({0: 7, 1: 0})
    assert log_offsets.ends(client, "t", [1, 0], 1.0) == {0: 7, 1: 0}
    assert (client.calls, client.places, client.refreshed) == ([[0, 1]], {OFFSET_END}, 0)
    assert log_offsets.beginnings(client, "t", [0], 1.0) == {0: 7}
    assert client.places == {OFFSET_END, OFFSET_BEGINNING}
    assert log_offsets.ends(client, "t", [], 1.0) == {}


@pytest.mark.unit
def test_one_without_a_leader_hides_no_others_and_leaders_are_looked_up_again() -> None:
    fenced = KafkaException(KafkaError(KafkaError.FENCED_LEADER_EPOCH))
    client: Any = Client({0: 7, 1: fenced, 2: 4, 3: -1001})
    assert log_offsets.ends(client, "t", range(4), 1.0) == {0: 7, 2: 4}
    assert (client.calls[1:], client.refreshed) == ([[0], [1], [2], [3]], 1)


@pytest.mark.live
def test_a_process_that_asks_survives_every_end_of_its_broker(tmp_path: Path) -> None:
    """With the admin client's `list_offsets`, such a process was ended now and then."""
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster import user_topic

    with (
        Cluster(tmp_path / "brokers") as cluster,
        user_topic.user_topic(cluster.bootstrap, 3) as topic,
    ):
        user_topic.fill(cluster.bootstrap, topic, {0: 5, 2: 3})
        with started(cluster, topic, 30.0) as process:
            _stop_again_and_again(cluster, 25.0)
            output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    lines = output.decode().split("\n")
    assert "silent" in lines
    assert lines[-2] == "8 3 3 8"


def started(cluster: Cluster, topic: str, seconds: float) -> subprocess.Popen[bytes]:
    """The program that asks."""
    words = [sys.executable, "-m", offsets_probe.__name__, cluster.bootstrap, topic, "3"]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*words, str(seconds)], cwd=ROOT, env=path, stdout=subprocess.PIPE)


def _stop_again_and_again(cluster: Cluster, seconds: float) -> None:
    """Kill the broker, then stop it in order, in turn."""
    end = time.monotonic() + seconds
    is_kill = True
    while time.monotonic() < end:
        time.sleep(1.0)
        if is_kill:
            cluster.kill(1)
        else:
            cluster.stop_node(1)
        is_kill = not is_kill
        time.sleep(0.5)
        cluster.start_node(1)
