"""The producer's process against a broker."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from live.live_settings import LiveSettings

pytestmark = pytest.mark.live

SOUND_MS = 100
"""Lateness, p99, up to which an iteration counts."""

MB = 10**6


@pytest.fixture
def settings(broker: Cluster, tmp_path: Path) -> Iterator[LiveSettings]:
    from live.kafka import topics
    from tests.live.kafka_probe import run_settings

    run = run_settings(broker.bootstrap, tmp_path, partitions=8)
    chosen = dataclasses.replace(run, iterations=3, iteration_s=2.0, consumer_rate=2.4 * MB)
    topics.create(chosen)
    yield chosen
    topics.delete(chosen.bootstrap, chosen.run)


def started(settings: LiveSettings, rates: list[list[float]]) -> subprocess.Popen[bytes]:
    """A producer whose first iteration begins in two seconds."""
    from live.records import rates_file

    folder = Path(settings.folder)
    chosen = dataclasses.replace(settings, began_ns=time.time_ns() + 2 * 10**9)
    chosen.save(folder / "settings.json")
    rates_file.write(folder / "rates.bin", rates)
    words = ["-m", "live.records.producer_process"]
    files = [str(folder / "settings.json"), str(folder / "rates.bin")]
    with (folder / "producer.log").open("wb") as log:
        return subprocess.Popen([sys.executable, *words, *files], stderr=log)


def report(settings: LiveSettings) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((Path(settings.folder) / "producer.json").read_text())
    return content


def records(settings: LiveSettings, partition: int, count: int) -> list[Any]:
    """Heads of all records of a partition."""
    from live.records.record_format import parse
    from tests.live.kafka_probe import read

    messages = read(settings.bootstrap, settings.topic("data"), count, partition)
    return [parse(message.value() or b"") for message in messages]


@pytest.mark.parametrize(
    ("arrivals", "keys"),
    [
        *((arrivals, "exact") for arrivals in ("even", "bursts", "drift")),
        *((arrivals, "hashed") for arrivals in ("bursts", "drift")),
    ],
)
def test_every_record_is_where_and_when_it_is_due(
    settings: LiveSettings, arrivals: str, keys: str
) -> None:
    from live.records import schedules

    chosen = dataclasses.replace(settings, arrivals=arrivals, keys=keys, phase_s=0.25)
    rates = [[20_000.0 * (p + i) for p in range(8)] for i in range(3)]
    assert started(chosen, rates).wait(60) == 0
    result = report(settings)
    bursts_ns = result.get(schedules.BURSTS_NS, [])
    # The loop sleeps for a second after its work, which takes time too.
    assert all(b - a > 10**9 for a, b in pairwise(bursts_ns))
    assert (len(bursts_ns) >= 2) == (arrivals == "drift")
    schedule = schedules.as_sent(chosen, rates, bursts_ns)
    counts = list(schedule.counts())
    assert [row["due_by_partition"] for row in result["iterations"]] == counts
    assert [row["sent_by_partition"] for row in result["iterations"]] == counts
    assert all(row["delivered"] == row["due"] for row in result["iterations"])
    assert result["error"] is None
    for partition in (1, 7):
        due = [r for r in schedule.records() if r.partition == partition]
        heads = records(settings, partition, len(due))
        assert [h.sequence for h in heads] == [r.sequence for r in due]
        assert [h.iteration for h in heads] == [r.iteration for r in due]
        assert [h.due_ns - result["began_ns"] for h in heads] == [r.due_ns for r in due]


@pytest.mark.parametrize(("rate", "size"), [(10 * MB, 2000), (30 * MB, 10_000)])
def test_the_producer_keeps_up(settings: LiveSettings, rate: int, size: int) -> None:
    """One core's worth; on a machine that others keep busy, lateness is theirs."""
    chosen = dataclasses.replace(settings, record_bytes=size)
    process = started(chosen, [[rate / 8] * 8] * 3)
    process.wait(60)
    assert process.returncode == 0
    iterations = report(chosen)["iterations"]
    for row in iterations:
        late = {name: round(row[name], 1) for name in row if name.endswith("_ms")}
        print(f"{rate / MB:.0f} MB/s, {size} bytes: {late}", file=sys.stderr)
    assert sum(row["delivered"] for row in iterations) == rate * 6 // size // 8 * 8
    assert min(row["late_p99_ms"] for row in iterations) < SOUND_MS


def test_it_stops_in_order_with_what_it_has(settings: LiveSettings) -> None:
    process = started(settings, [[50_000.0] * 8] * 3)
    time.sleep(5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0
    result = report(settings)
    assert result["stopped"]
    assert result["error"] is None
    sent = result["sent_by_partition"]
    assert 0 < sum(sent) == result["sent"] < 8 * 150
    assert sum(row["delivered"] for row in result["iterations"]) == result["sent"]
    assert len(records(settings, 3, sent[3])) == sent[3]


def test_a_missing_topic_ends_it_with_status_1(settings: LiveSettings) -> None:
    other = dataclasses.replace(settings, run="missing")
    assert started(other, [[1.0] * 8] * 3).wait(60) == 1
    log = (Path(settings.folder) / "producer.log").read_text()
    assert "gs.missing.data must have 8 partitions (got 0)" in log
    assert "Traceback" not in log


def test_no_broker_ends_it_with_status_1(settings: LiveSettings) -> None:
    other = dataclasses.replace(settings, bootstrap="127.0.0.1:9")
    assert started(other, [[1.0] * 8] * 3).wait(60) == 1
    log = (Path(settings.folder) / "producer.log").read_text()
    assert "the brokers do not answer" in log
    assert report(settings)["error"].startswith("producer: the brokers do not answer")


def test_rates_of_another_shape_end_it_with_status_1(settings: LiveSettings) -> None:
    assert started(settings, [[1.0] * 8]).wait(60) == 1
    log = (Path(settings.folder) / "producer.log").read_text()
    assert log.startswith("producer: ")
    assert "must have 3 iterations × 8 partitions" in log
