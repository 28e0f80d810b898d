"""``groupscale live serve`` on a broker: a topic of the user's is taken over and given back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from live.kafka import topics
from live.login.client_properties import NO_PROPERTIES
from live.user_cluster.cluster_access import access
from live.user_cluster.group_offsets import GroupOffsets
from tests.live.user_cluster import user_topic
from tests.live.user_cluster.test_live_consumer_page import programs
from tests.pipeline.cli.command import Home, call
from tools.layout import here

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker

pytestmark = pytest.mark.live

COMMITTED = {0: 5, 1: 0, 2: 10}
"""Where the old group was."""

WAIT_S = 90.0
KEPT_S = 15.0
"""Time in which a commit follows progress: three times its period."""


class Night:
    """A group that takes the topic over, in a folder of its own."""

    def __init__(self, folder: Path, bootstrap: str, topic: str) -> None:
        self.folder, self.bootstrap, self.topic = folder, bootstrap, topic
        self.group, self.name = f"billing-{topic}", f"night-{topic.removeprefix('orders-')}"
        (folder / "order_totals.py").write_text(programs()[0], encoding="utf-8")

    def words(self, module: str = "order_totals") -> list[str]:
        return [
            *("live", "serve", self.name, "--bootstrap", self.bootstrap),
            *("--topic", self.topic, "--group", self.group, "--module", module),
            *("--capacity", "20kB", "--consumer-rate", "25kB"),
        ]

    @contextmanager
    def serving(self) -> Iterator[subprocess.Popen[bytes]]:
        environment = {**os.environ, "PYTHONPATH": str(here().root), "COLUMNS": "300"}
        command = [sys.executable, "-m", "pipeline.cli.app", *self.words()]
        with (self.folder / "output.txt").open("wb") as output:
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=output, stderr=output
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    @property
    def said(self) -> str:
        return (self.folder / "output.txt").read_text()

    def wait_until(
        self,
        process: subprocess.Popen[bytes],
        holds: Callable[[], bool],
        seconds: float = WAIT_S,
    ) -> None:
        until = time.monotonic() + seconds
        while not holds():
            assert process.poll() is None, self.said
            assert time.monotonic() < until, self.said
            time.sleep(0.2)

    def read(self) -> Counter[tuple[int, int]]:
        """How often each record was processed."""
        rows: Counter[tuple[int, int]] = Counter()
        for file in (self.folder / self.name).glob("orders-*.csv"):
            for line in file.read_text(errors="replace").splitlines():
                partition, offset, *_ = line.split(",")
                if partition.isdigit() and offset.isdigit():
                    rows[int(partition), int(offset)] += 1
        return rows

    def offsets(self) -> tuple[dict[int, int], dict[int, int]]:
        """Commits of the old group, and ends of the topic."""
        offsets = GroupOffsets(access(self.bootstrap, self.topic, NO_PROPERTIES), self.group)
        try:
            return offsets.committed(range(3), 10.0), offsets.ends(range(3), 10.0)
        finally:
            offsets.close()

    def own_topics(self) -> list[str]:
        """Runs of this name that have topics."""
        every = topics.runs(self.bootstrap)
        return [run for run in every if run.startswith(f"{self.name}.")]

    def commit(self) -> None:
        user_topic.commit(self.bootstrap, self.group, self.topic, COMMITTED)

    def fill(self, number: int) -> None:
        """Write records of digits: bytes at random could hold a line's end."""
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.bootstrap, "log_level": 0})
        for n in range(3 * number):
            producer.produce(self.topic, f"{n:0100}".encode(), partition=n % 3)
        assert producer.flush(30) == 0


@pytest.fixture
def night(broker: Cluster, topic: str, tmp_path: Path) -> Night:
    return Night(tmp_path, broker.bootstrap, topic)


def test_a_topic_is_read_on_from_its_commits_and_given_back(night: Night) -> None:
    night.fill(40)
    night.commit()
    expected = {(p, n) for p, first in COMMITTED.items() for n in range(first, 40)}
    with night.serving() as process:
        night.wait_until(process, lambda: set(night.read()) == expected)
        assert len(night.own_topics()) == 1
        ends = dict.fromkeys(range(3), 40)
        night.wait_until(process, lambda: night.offsets() == (ends, ends), KEPT_S)
        night.fill(40)
        night.wait_until(process, lambda: len(night.read()) == len(expected) + 120)
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) == 0, night.said
    assert set(night.read().values()) == {1}
    # Nothing was written to the topic, and the group has read all of it.
    assert night.offsets() == (dict.fromkeys(range(3), 80),) * 2
    assert night.own_topics() == []
    assert night.said.splitlines()[-1].startswith("Gave back topic")


def test_a_killed_group_goes_on_from_its_progress(night: Night) -> None:
    night.fill(40)
    night.commit()
    with night.serving() as process:
        night.wait_until(process, lambda: len(night.read()) == 120 - 15)
        # Progress is written every half second, commits are older.
        time.sleep(2.0)
    night.fill(10)
    with night.serving() as process:
        night.wait_until(process, lambda: len(night.read()) == 150 - 15)
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == 0, night.said
    assert set(night.read().values()) == {1}
    assert night.offsets()[0] == dict.fromkeys(range(3), 50)


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_member_of_the_old_group_stops_it(night: Night, protocol: str) -> None:
    from confluent_kafka import Consumer

    night.fill(40)
    night.commit()
    with night.serving() as process:
        night.wait_until(process, lambda: len(night.read()) == 120 - 15)
        member = Consumer(
            {
                "bootstrap.servers": night.bootstrap,
                "group.id": night.group,
                "group.protocol": protocol,
                "enable.auto.commit": False,
            }
        )
        try:
            member.subscribe([night.topic])
            until = time.monotonic() + WAIT_S
            while process.poll() is None and time.monotonic() < until:
                member.poll(0.2)
            assert process.wait(1.0) == 1, night.said
        finally:
            member.close()
    assert f"has joined group '{night.group}', which was taken over" in night.said
    assert "Traceback" not in night.said
    assert night.own_topics() == []


def refusal(night: Night, *words: str) -> str:
    result = call(*night.words("json"), *words)
    assert result.exit_code == 2, result.output
    assert night.own_topics() == []
    (line,) = result.stderr.splitlines()
    return line


def test_what_cannot_be_taken_over_is_refused_in_one_line(night: Night, home: Home) -> None:
    from confluent_kafka import Consumer

    night.fill(5)
    said = refusal(night)
    assert "has committed nothing in partition 0" in said
    assert "--offsets earliest or latest" in said
    night.commit()
    assert "is at 10 in partition 2" in refusal(night)  # Five records are stored.
    assert "does not exist on this cluster" in refusal(night, "--topic", f"{night.topic}-x")
    member = Consumer({"bootstrap.servers": night.bootstrap, "group.id": night.group})
    try:
        member.subscribe([night.topic])
        until = time.monotonic() + WAIT_S
        while not member.assignment() and time.monotonic() < until:
            member.poll(0.2)
        assert "must have no members to be taken over" in refusal(night, "--offsets", "earliest")
    finally:
        member.close()


def test_rights_are_needed_before_anything_is_created(
    secured: SecuredBroker, secured_topic: str, tmp_path: Path, home: Home
) -> None:
    from tests.live.user_cluster.secured_broker import MAY_READ, MAY_RUN

    night = Night(tmp_path, secured.cluster.bootstrap, secured_topic)
    night.fill(20)
    night.commit()
    for user, right in ((MAY_READ, "Read"), (MAY_RUN, "Describe")):
        config = secured.properties(tmp_path / "client.properties", user)
        words = ("--bootstrap", secured.bootstrap, "--config", str(config))
        assert f"the user needs the right {right} on it" in refusal(night, *words)
    assert night.offsets()[0] == COMMITTED
