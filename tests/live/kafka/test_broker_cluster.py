"""Clusters start and stop, beside each other, and leave nothing however they end."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest

from live import live_settings
from live.kafka import admin_client, broker_cluster, topics
from live.kafka.broker_cluster import Cluster
from live.kafka.broker_node import BrokerFailed
from live.kafka.reserved_ports import reserved
from live.login import client_properties
from pipeline.base.errors import InputError
from tests.live.kafka_probe import read, run_settings, send
from tests.live.process_probe import checkout, content, eventually, is_gone

pytestmark = pytest.mark.live

PARENT = """\
import sys, time
from pathlib import Path
from live.kafka.broker_cluster import Cluster
folder = Path(sys.argv[1])
with Cluster(folder / "cluster") as cluster:
    (folder / "new").write_text(str(cluster.pid(1)))
    (folder / "new").rename(folder / "pid")
    time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A new folder, whose data is deleted after the test."""
    yield tmp_path / "cluster"
    for data in tmp_path.glob("*/node-*/data"):
        subprocess.run(["rm", "-rf", str(data)], check=True)


def test_one_node_starts_answers_and_stops(place: Path) -> None:
    began = time.monotonic()
    with Cluster(place) as cluster:
        started = time.monotonic()
        pid = cluster.pid(1)
        view = admin_client.look(admin_client.connect(cluster.bootstrap))
        assert view is not None
        assert view.brokers == {1}
        assert cluster.failures() == {}
        stopping = time.monotonic()
    print(f"\nstart {started - began:.1f} s, stop {time.monotonic() - stopping:.1f} s")
    assert not psutil.pid_exists(pid)
    assert "shut down completed" in cluster.log(1).read_text()
    cluster.discard_data()
    assert {file.name for file in place.iterdir()} == {"logs"}


def test_clusters_start_at_the_same_time(tmp_path: Path, place: Path) -> None:
    clusters = [Cluster(place), Cluster(tmp_path / "other")]
    try:
        with ThreadPoolExecutor() as pool:
            list(pool.map(Cluster.start, clusters))
        for number, cluster in enumerate(clusters):
            settings = run_settings(cluster.bootstrap, tmp_path)
            topics.create(settings)
            assert send(cluster.bootstrap, settings.topic("data"), [b"%d" % number]) == []
        for number, cluster in enumerate(clusters):
            (run,) = topics.runs(cluster.bootstrap)
            (record,) = read(cluster.bootstrap, f"gs.{run}.data", 1)
            assert record.value() == b"%d" % number
    finally:
        for cluster in clusters:
            cluster.stop()


def test_a_killed_parent_leaves_no_broker(tmp_path: Path, place: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    with subprocess.Popen(command, env=checkout()) as parent:
        assert eventually(lambda: content(tmp_path / "pid"), 60.0)
        broker = int(content(tmp_path / "pid"))
        assert not is_gone(broker)
        parent.kill()
    assert eventually(lambda: is_gone(broker), 5.0)


def test_records_survive_an_orderly_restart_and_kill_9(tmp_path: Path, place: Path) -> None:
    with Cluster(place) as cluster:
        settings = run_settings(cluster.bootstrap, tmp_path)
        topics.create(settings)
        before = cluster.bootstrap
        assert send(before, settings.topic("data"), [b"a"]) == []
        cluster.restart(1)
        assert send(before, settings.topic("data"), [b"b"]) == []
        cluster.kill(1)
        with pytest.raises(InputError, match=r"no Kafka broker answers at 127\.0\.0\.1:"):
            topics.of_run(before, settings.run)
        began = time.monotonic()
        cluster.start_node(1)
        print(f"\nstart after kill -9: {time.monotonic() - began:.1f} s")
        assert cluster.bootstrap == before
        values = [record.value() for record in read(before, settings.topic("data"), 2)]
        assert values == [b"a", b"b"]


def test_a_node_that_ends_by_itself_is_named(place: Path) -> None:
    with Cluster(place) as cluster:
        psutil.Process(cluster.pid(1)).kill()
        assert eventually(cluster.failures)
        assert str(cluster.log(1)) in cluster.failures()[1]
        cluster.start_node(1)
        assert cluster.failures() == {}


def test_three_nodes_answer_without_one(tmp_path: Path, place: Path) -> None:
    began = time.monotonic()
    with Cluster(place, 3) as cluster:
        print(f"\nstart {time.monotonic() - began:.1f} s")
        settings = run_settings(cluster.bootstrap, tmp_path, nodes=3)
        topics.create(settings)
        topic = settings.topic("data")
        assert send(cluster.bootstrap, topic, [b"a"]) == []
        client = admin_client.connect(cluster.bootstrap)
        view = admin_client.look(client)
        assert view is not None
        assert view.brokers == {1, 2, 3}
        leader = view.leaders[topic][0]
        cluster.kill(leader)
        began = time.monotonic()
        assert send(cluster.bootstrap, topic, [b"b"], 60.0) == []
        print(f"written {time.monotonic() - began:.1f} s after the leader's end")
        assert [record.value() for record in read(cluster.bootstrap, topic, 2)] == [b"a", b"b"]
        assert topics.of_run(cluster.bootstrap, settings.run) != []
        began = time.monotonic()
        cluster.start_node(leader)
        print(f"back after {time.monotonic() - began:.1f} s")
        stopping = time.monotonic()
    print(f"stop {time.monotonic() - stopping:.1f} s")


def test_what_cannot_be_formatted_is_one_line(place: Path) -> None:
    wrong = {"log.retention.bytes": "many"}
    message = r"^cannot format node 1: .*log\.retention\.bytes.* \(log: .*/node-1\.format\)$"
    with pytest.raises(BrokerFailed, match=message), Cluster(place, changes=wrong):
        pass


def test_what_does_not_start_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, reserved(1) as (free,):
        ports = [server.getsockname()[1], free]
        monkeypatch.setattr(broker_cluster, "reserved", lambda number: nullcontext(ports))
        message = r"^node 1 did not start: .*Address already in use \(log: .*/node-1\.log\)$"
        with pytest.raises(BrokerFailed, match=message):
            Cluster(place).start()


def test_what_starts_too_slowly_is_ended(place: Path) -> None:
    cluster = Cluster(place)
    # Its log may have a line by then, which the message quotes.
    with pytest.raises(
        BrokerFailed, match=r"node 1 does not answer in time(: .+)? \(log: .*node-1\.log\)"
    ):
        cluster.start(0.2)
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(place) in str(p.info["cmdline"])]


def test_a_folder_is_not_used_twice(place: Path) -> None:
    (place / "node-1").mkdir(parents=True)
    with pytest.raises(InputError, match="node-1 exists already; a cluster needs a new folder"):
        Cluster(place).start()


@pytest.mark.parametrize("nodes", live_settings.NODES)
def test_brokers_of_a_run_want_the_login_that_was_made_for_them(place: Path, nodes: int) -> None:
    with Cluster(place, nodes, has_login=True) as cluster:
        file = Path(cluster.client_file)
        login = client_properties.read(file)
        password = login.confluent["sasl.password"]
        client = admin_client.connect(cluster.bootstrap, login.confluent)
        view = admin_client.look(client)
        assert view is not None
        assert len(view.brokers) == nodes
        # Another user of this machine reaches both ports of a node, and has no password.
        settings = (place / "node-1/server.properties").read_text()
        ports = re.findall(r":(\d+)", settings.partition("\nlisteners=")[2].partition("\n")[0])
        assert len(ports) == 2
        wrong = {**login.confluent, "sasl.password": "guessed"}
        for port in ports:
            for tried in ({}, wrong):
                stranger = admin_client.connect(f"127.0.0.1:{port}", tried)
                assert admin_client.look(stranger, 2.0) is None
        for private in (file, *place.glob("node-*/server.properties")):
            assert private.stat().st_mode & 0o077 == 0
        words = [psutil.Process(cluster.pid(n)).cmdline() for n in range(1, nodes + 1)]
        assert password not in str(words)
    logs = "".join(log.read_text() for log in (place / "logs").iterdir())
    assert "shut down completed" in logs
    assert password not in logs
    cluster.discard_data()
    assert {left.name for left in place.iterdir()} == {"logs"}
