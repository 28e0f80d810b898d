"""The program that reads brokers: its secrets, its compiler, and a broker of Kafka."""

from __future__ import annotations

import math
import os
import stat
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from confluent_kafka import Producer
from confluent_kafka.cimpl import NewTopic

from live.broker_metrics import broker_reader, scraped_values
from live.broker_metrics.broker_reader import RunningNode
from live.broker_metrics.declared_metrics import NAMES
from live.broker_metrics.scraped_values import BrokerValues
from live.kafka import admin_client
from live.kafka.broker_cluster import Cluster
from pipeline.base.errors import InputError, StageError


@pytest.mark.unit
def test_a_folder_with_secrets_is_refused(tmp_path: Path):
    (tmp_path / broker_reader.PASSWORD_FILE).touch()
    with (
        pytest.raises(InputError, match=r"jmx\.password exists already.*needs a new folder"),
        broker_reader.reading([], tmp_path),
    ):
        pass


@pytest.mark.unit
def test_scrapes_that_were_not_asked_for_are_passed_over(tmp_path: Path):
    now = time.monotonic_ns()
    later = now + 10**12
    lines = f"{now}\t1\t5.0\n.\n{now}\t1\t!\tgone\n.\n{later}\t1\t7.0\n{later}\t2\t!\tgone\n.\n"
    command = ["printf", "%s", lines]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process,
        ExitStack() as stack,
    ):
        reader = broker_reader.BrokerReader(process, tmp_path / "log", stack)
        scrape = reader.scrape()
        assert scrape.brokers == {1: BrokerValues(later, (7.0,))}
        assert scrape.failures == {2: "gone"}
        with pytest.raises(StageError, match="the reader of metrics has ended: no reason"):
            reader.scrape()


@pytest.mark.live
def test_a_broker_says_all_metrics(tmp_path: Path):
    with Cluster(tmp_path / "cluster") as cluster:
        admin = admin_client.connect(cluster.bootstrap)
        for future in admin.create_topics([NewTopic("t", 1, 1)]).values():
            future.result(30)
        nodes = [RunningNode(1, cluster.pid(1))]
        with broker_reader.reading(nodes, tmp_path / "reader", 1.0) as reader:
            before = reader.scrape()
            assert not before.failures
            _send(cluster.bootstrap, 1000)
            time.sleep(1.0)
            scrapes = [reader.scrape() for _ in range(3)]
            gap = scraped_values.between(before, scrapes[-1], consumed=0)
            seconds = (scrapes[-1].brokers[1].at_ns - before.brokers[1].at_ns) * 1e-9
            assert gap["messages_in"] * seconds == pytest.approx(1000.0)
            # A record of 100 bytes, and what a batch adds.
            assert 100_000 < gap["bytes_in"] * seconds < 130_000
            assert 0.0 < gap["cpu"] < os.cpu_count()
            assert 0.0 < gap["produce_local_ms"] <= gap["produce_total_ms"]
            metrics = dict(zip(NAMES, scraped_values.interval_metrics([gap]), strict=True))
            # One broker has no followers, and the topic no consumers.
            unknown = {name for name, value in metrics.items() if math.isnan(value)}
            assert {name.split("_")[0] for name in unknown} == {"fetch"}
            _check_secrets(tmp_path / "reader", reader.pid, cluster.pid(1))
            cluster.kill(1)
            until = time.monotonic() + 20.0
            while not (failures := reader.scrape().failures):
                assert time.monotonic() < until
            assert set(failures) == {1}
            reader.forget([1])
            while reader.scrape().failures:
                assert time.monotonic() < until
            psutil.Process(reader.pid).kill()
            with pytest.raises(StageError, match="the reader of metrics has ended"):
                _scrape_on(reader)


def _scrape_on(reader: broker_reader.BrokerReader) -> None:
    """Scrapes that were printed before the program ended are still read."""
    while True:
        reader.scrape()


def _send(bootstrap: str, records: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all"})
    for _ in range(records):
        producer.produce("t", bytes(100))
    assert producer.flush(30) == 0


def _check_secrets(folder: Path, reader: int, broker: int) -> None:
    """Only the owner can read the password; no command line has it; ports are on loopback."""
    password = folder / broker_reader.PASSWORD_FILE
    assert stat.S_IMODE(password.stat().st_mode) == 0o600
    secret = password.read_text().split()[1]
    for process in (reader, broker):
        assert secret.encode() not in Path(f"/proc/{process}/cmdline").read_bytes()
        places = psutil.Process(process).net_connections("inet")
        hosts = {place.laddr.ip for place in places if place.status == psutil.CONN_LISTEN}
        assert hosts <= {"127.0.0.1", "::ffff:127.0.0.1"}
