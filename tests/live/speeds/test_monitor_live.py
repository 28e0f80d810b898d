"""The monitor measures a real producer, through the end of brokers, and ends when it is told to."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from confluent_kafka import Producer

from live.kafka import admin_client, topics
from live.kafka.broker_cluster import Cluster
from live.live_settings import LiveSettings
from live.processes import child_processes
from live.processes.child_processes import Child
from live.protocol.messages import Measurement, decode
from live.records.journal import entries
from live.speeds.log_sizes import LogSizes
from live.speeds.monitor_process import JOURNAL
from live.speeds.record_count import RecordCount
from tests.live.kafka_probe import read, run_settings
from tests.live.process_probe import eventually

pytestmark = pytest.mark.live

VALUE = bytes(2000)


@contextmanager
def monitored(settings: LiveSettings) -> Iterator[Child]:
    """A monitor of a run."""
    file = Path(settings.folder) / "settings.json"
    settings.save(file)
    log = Path(settings.folder) / "monitor.log"
    module = "live.speeds.monitor_process"
    child = child_processes.start_module(module, [file], "monitor", log)
    try:
        yield child
    finally:
        child_processes.kill([child])


@contextmanager
def produced(settings: LiveSettings, rates: Mapping[int, float]) -> Iterator[None]:
    """Records at given rates (bytes/s) by partition, each at its due time."""
    stop = threading.Event()
    producer = Producer(
        {"bootstrap.servers": settings.bootstrap, "acks": "all", "log_level": 0}
        | {"reconnect.backoff.max.ms": 250}
    )

    def send() -> None:
        began, sent = time.monotonic(), dict.fromkeys(rates, 0)
        while not stop.wait(0.01):
            passed = time.monotonic() - began
            for partition, rate in rates.items():
                while sent[partition] * len(VALUE) < rate * passed:
                    producer.produce(settings.topic("data"), VALUE, partition=partition)
                    sent[partition] += 1
            producer.poll(0)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        producer.purge()
        producer.flush(5)


def measured(settings: LiveSettings) -> list[dict[str, dict[str, float]]]:
    """What the monitor has written into its journal."""
    file = Path(settings.folder) / JOURNAL
    lines = list(entries(file)) if file.exists() else []
    return [line for line in lines if line["what"] == "measured"]


def exact_factor(settings: LiveSettings) -> float:
    """Log bytes per byte of value, once nobody writes."""
    sizes = LogSizes(settings.bootstrap, settings.topic("data"))
    logs = sizes.read(10.0).values()
    sizes.close()
    count = RecordCount(settings.bootstrap, settings.topic("data"), settings.partitions).read(10.0)
    assert count is not None
    return sum(log.size for log in logs) / (count.records * settings.record_bytes)


@pytest.fixture
def settings(broker: Cluster, tmp_path: Path) -> Iterator[LiveSettings]:
    made = run_settings(broker.bootstrap, tmp_path, partitions=3)
    topics.create(made)
    yield made
    topics.delete(made.bootstrap, made.run)


def test_a_producer_of_known_speed(settings: LiveSettings) -> None:
    rates = {0: 300_000.0, 1: 40_000.0}
    with monitored(settings) as child, produced(settings, rates):
        assert eventually(lambda: len(measured(settings)) >= 12, 40.0)
        memory = psutil.Process(child.pid).memory_info().rss / 2**20
        assert child_processes.stop([child], 10.0) == {"monitor": 0}
    lines = measured(settings)
    assert lines[-1]["factor"] == pytest.approx(exact_factor(settings), rel=0.005)
    speeds = {int(number): rate for number, rate in lines[-1]["speeds"].items()}
    print(f"\n{speeds}, factor {lines[-1]['factor']:.4f}, {memory:.0f} MB")
    assert speeds[2] == 0
    assert speeds == pytest.approx({**rates, 2: 0.0}, rel=0.05)
    received = [
        decode(m.value() or b"") for m in read(settings.bootstrap, settings.topic("speed"), 12)
    ]
    assert len(received) == 12
    for number, (message, at_ns) in enumerate(received, 1):
        assert isinstance(message, Measurement)
        assert message.sequence == number
        assert abs(time.time_ns() - at_ns) < 60e9
        assert message.speeds.keys() == {0, 1, 2} or number < 4  # logs are made one after another
    assert child.log.read_text() == ""


def test_a_step_is_measured_within_a_window(settings: LiveSettings) -> None:
    short = replace(settings, window_s=4.0)
    with monitored(short):
        with produced(short, {0: 50_000.0}):
            assert eventually(lambda: len(measured(short)) >= 4, 30.0)
        with produced(short, {0: 200_000.0}):
            began = time.monotonic()
            assert eventually(lambda: 190_000 < measured(short)[-1]["speeds"]["0"] < 210_000, 20.0)
            print(f"\n5 % after {time.monotonic() - began:.1f} s of a window of 4 s")


def test_it_waits_for_a_broker_and_ends_without_one(tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        settings = run_settings(cluster.bootstrap, tmp_path, partitions=1)
        topics.create(settings)
        with monitored(settings) as child, produced(settings, {0: 100_000.0}):
            assert eventually(lambda: len(measured(settings)) >= 2, 30.0)
            cluster.kill(1)
            time.sleep(3.0)
            number = len(measured(settings))
            time.sleep(2.0)
            assert len(measured(settings)) == number
            cluster.start_node(1)
            assert eventually(lambda: len(measured(settings)) > number, 30.0)
            assert all(line["speeds"]["0"] >= 0 for line in measured(settings))
            threads = psutil.Process(child.pid).num_threads()
            psutil.Process(cluster.pid(1)).send_signal(signal.SIGSTOP)
            time.sleep(5.0)
            assert psutil.Process(child.pid).num_threads() <= threads + 2
            began = time.monotonic()
            assert child_processes.stop([child], 15.0) == {"monitor": 0}
            print(f"\nended within {time.monotonic() - began:.1f} s beside a broker that hangs")
        cluster.kill(1)
    cluster.discard_data()


def test_a_monitor_without_a_broker(tmp_path: Path) -> None:
    """It neither ends nor collects threads, and ends when it is told to."""
    settings = run_settings("127.0.0.1:1", tmp_path)
    with monitored(settings) as child:
        process = psutil.Process(child.pid)
        assert eventually((tmp_path / JOURNAL).exists, 20.0)
        time.sleep(2.0)
        threads = process.num_threads()
        time.sleep(3.0)
        assert process.num_threads() <= threads + 2
        assert child_processes.stop([child], 10.0) == {"monitor": 0}
    assert measured(settings) == []
    assert child.log.read_text() == ""


def test_leaders_change_when_a_node_is_killed(tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster", 3) as cluster:
        settings = run_settings(cluster.bootstrap, tmp_path, partitions=6, nodes=3)
        topics.create(settings)
        rates = dict.fromkeys(range(6), 60_000.0)
        sizes = LogSizes(cluster.bootstrap, settings.topic("data"))
        assert eventually(lambda: sorted(sizes.read(5.0)) == list(range(6)))
        assert {size.leader for size in sizes.read(5.0).values()} == {1, 2, 3}
        sizes.close()
        with monitored(settings), produced(settings, rates):
            assert eventually(lambda: len(measured(settings)) >= 6, 40.0)
            view = admin_client.look(admin_client.connect(cluster.bootstrap))
            assert view is not None
            cluster.kill(view.leaders[settings.topic("data")][0])
            began, number = time.monotonic(), len(measured(settings))
            assert eventually(lambda: "0" not in measured(settings)[-1]["speeds"], 30.0)
            assert eventually(lambda: "0" in measured(settings)[-1]["speeds"], 60.0)
            print(f"\nspeeds of all again after {time.monotonic() - began:.1f} s")
        after = [line["speeds"] for line in measured(settings)[number:]]
        assert all(rate >= 0 for speeds in after for rate in speeds.values())
    cluster.discard_data()
