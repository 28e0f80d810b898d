"""A consumer process against a broker; the test plays the controller."""

from __future__ import annotations

import dataclasses
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.live.consumer.consumer_process_memory import memory_mb

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from live.live_settings import LiveSettings
    from live.records.evidence_file import Evidence
    from tests.live.consumer.group_driver import GroupDriver

pytestmark = pytest.mark.live

MAX_MB = 60
RATE = 240_000.0
RECORD = 2000


@pytest.fixture
def settings(broker: Cluster, tmp_path: Path) -> Iterator[LiveSettings]:
    """A run with topics of its own; leases are short."""
    from live.kafka import topics
    from tests.live.kafka_probe import run_settings

    run = run_settings(broker.bootstrap, tmp_path, partitions=4)
    chosen = dataclasses.replace(run, lease_s=4.0, consumer_rate=RATE, record_bytes=RECORD)
    topics.create(chosen)
    yield chosen
    topics.delete(chosen.bootstrap, chosen.run)


@pytest.fixture
def driver(settings: LiveSettings) -> Iterator[GroupDriver]:
    from tests.live.consumer.group_driver import GroupDriver

    with GroupDriver(settings) as made:
        yield made


def sequences(evidence: list[Evidence], partition: int) -> list[int]:
    return [record.sequence for record in evidence if record.partition == partition]


def throughput(evidence: list[Evidence]) -> float:
    """Bytes/s from the first record to the last."""
    span_s = (evidence[-1].done_ns - evidence[0].done_ns) / 1e9
    return (len(evidence) - 1) * RECORD / span_s


def test_partitions_move_and_nothing_is_lost_or_twice(driver: GroupDriver) -> None:
    from live.protocol.messages import Beat, Bye, End

    for partition in range(3):
        driver.produce(partition, 600)
    driver.launch(0)
    driver.launch(1)
    driver.ready(0)
    driver.ready(1)
    driver.start(0, [(0, 1, 0), (1, 1, 0), (2, 1, 0)], plan=1)
    time.sleep(3)
    left = driver.stop(0, [(0, 1), (1, 1)], plan=2)
    assert {row.partition for row in driver.progress() if row in left.values()} == {0, 1}
    driver.start(1, [(p, 2, row.offset) for p, row in left.items()], plan=3)
    driver.wait_until(lambda: sum(map(len, map(driver.evidence, (0, 1)))) == 1800)
    beats = driver.heard(Beat, 1.2)
    assert dict([b for b in beats if b.consumer == 1][-1].owned) == {0: 2, 1: 2}
    for slot in (0, 1):
        driver.command(slot, End(1))
        driver.event(Bye, lambda bye, slot=slot: bye.consumer == slot)
        assert driver.status(slot) == 0
    first, second = driver.evidence(0), driver.evidence(1)
    for partition in range(3):
        assert sequences(first + second, partition) == list(range(600))
    for partition, row in left.items():
        assert sequences(second, partition)[0] == row.offset
    assert {record.epoch for record in second} == {2}
    final = {row.partition: row.offset for row in driver.progress()}
    assert final == {0: 600, 1: 600, 2: 600}


def test_a_full_log_is_read_at_the_rate(driver: GroupDriver) -> None:
    driver.produce(0, 1000)
    driver.produce(1, 1000)
    driver.launch(0)
    driver.ready(0)
    driver.start(0, [(0, 1, 0), (1, 1, 0)])
    time.sleep(6)
    driver.stop(0, [(0, 1), (1, 1)], plan=2)
    evidence = driver.evidence(0)
    assert 0.95 * RATE < throughput(evidence) < 1.01 * RATE
    # Within any 20 ms no more than twice their share, and one record.
    done = [record.done_ns for record in evidence]
    ahead = max(sum(1 for t in done if start <= t < start + 2e7) for start in done[::10])
    assert ahead * RECORD <= RATE * 0.04 + RECORD


def test_memory_stays_below_its_limit(driver: GroupDriver) -> None:
    for partition in range(4):
        driver.produce(partition, 2000)
    driver.launch(0)
    hello = driver.ready(0)
    driver.start(0, [(p, 1, 0) for p in range(4)])
    time.sleep(3)
    rss, uss = memory_mb(hello.pid)
    print(f"consumer: RSS {rss} MB, USS {uss} MB", file=sys.stderr)
    assert rss < MAX_MB


def test_commands_are_answered_again_and_those_of_others_skipped(driver: GroupDriver) -> None:
    from live.protocol.messages import PartitionOffset, Start, Started

    driver.produce(0, 100)
    driver.command(0, Start(1, 9, (PartitionOffset(3, 1, 0),)))
    driver.launch(0, incarnation=2)
    driver.ready(0, 2)
    driver.start(0, [(0, 1, 0)], incarnation=2, plan=1)
    driver.start(0, [(0, 1, 0)], incarnation=2, plan=1)
    left = driver.stop(0, [(0, 1)], incarnation=2, plan=2)
    assert driver.stop(0, [(0, 1)], incarnation=2, plan=2) == left
    assert [event for event in driver.heard(Started, 0.5) if event.plan == 9] == []


def test_messages_that_are_not_commands_are_ignored(driver: GroupDriver) -> None:
    from confluent_kafka import Producer

    driver.launch(0)
    driver.ready(0)
    producer = Producer({"bootstrap.servers": driver.settings.bootstrap})
    for value in (b"", b"{}", b"\xff" * 1000, b'{"v":1,"kind":"start"}'):
        producer.produce(driver.settings.topic("command"), value, partition=0)
    assert producer.flush(10) == 0
    driver.start(0, [(0, 1, 0)])
    journal = (driver.folder / "journal" / "c0-1.jsonl").read_text()
    assert journal.count('"noted"') == 4


def test_after_kill_9_evidence_and_progress_bound_what_comes_twice(driver: GroupDriver) -> None:
    driver.produce(0, 2000)
    driver.launch(0)
    driver.ready(0)
    driver.start(0, [(0, 1, 0)])
    time.sleep(2.2)
    driver.signal(signal.SIGKILL, 0)
    driver.status(0)
    driver.launch(0, incarnation=2)
    driver.ready(0, 2)
    offset = driver.progress()[-1].offset
    driver.start(0, [(0, 2, offset)], incarnation=2, plan=2)
    time.sleep(1)
    driver.stop(0, [(0, 2)], incarnation=2, plan=3)
    old, new = sequences(driver.evidence(0), 0), sequences(driver.evidence(0, 2), 0)
    assert old == list(range(len(old)))
    assert offset <= len(old)
    assert new == list(range(offset, offset + len(new)))
    twice = [n for n, count in Counter(old + new).items() if count > 1]
    assert len(twice) <= RATE / RECORD * (driver.settings.progress_s + 0.3)


def test_a_consumer_that_stood_still_is_fenced_on_waking(driver: GroupDriver) -> None:
    driver.produce(0, 2000)
    driver.launch(0)
    driver.ready(0)
    driver.start(0, [(0, 1, 0)])
    time.sleep(1.5)
    driver.signal(signal.SIGSTOP, 0)
    time.sleep(0.1)
    driver.fence(0)
    offset, before = driver.progress()[-1].offset, driver.evidence(0)
    time.sleep(driver.settings.lease_s)
    driver.signal(signal.SIGCONT, 0)
    began = time.monotonic()
    assert driver.status(0) == 3
    assert time.monotonic() - began < 2
    assert "fenced" in driver.log(0).read_text()
    assert driver.progress()[-1].offset == offset
    assert driver.evidence(0) == before


def test_a_consumer_that_stood_still_unnoticed_goes_on(driver: GroupDriver) -> None:
    driver.produce(0, 2000)
    driver.launch(0)
    driver.ready(0)
    driver.start(0, [(0, 1, 0)])
    time.sleep(1)
    driver.signal(signal.SIGSTOP, 0)
    time.sleep(driver.settings.lease_s * 1.5)
    count = len(driver.evidence(0))
    driver.signal(signal.SIGCONT, 0)
    driver.wait_until(lambda: len(driver.evidence(0)) > count + 100)
    driver.stop(0, [(0, 1)], plan=2)
    evidence = sequences(driver.evidence(0), 0)
    assert evidence == list(range(len(evidence)))


def test_a_fenced_consumer_without_partitions_ends_too(driver: GroupDriver) -> None:
    driver.launch(0)
    driver.ready(0)
    driver.fence(0)
    assert driver.status(0) == 3


def test_a_consumer_that_hangs_in_a_call_ends_with_status_4(driver: GroupDriver) -> None:
    driver.produce(0, 100)
    driver.launch(0, module="tests.live.consumer.hanging_consumer")
    driver.ready(0)
    driver.start(0, [(0, 1, 0)])
    began = time.monotonic()
    assert driver.status(0) == 4
    assert time.monotonic() - began < driver.settings.lease_s * 1.5


def test_sigterm_writes_progress(driver: GroupDriver) -> None:
    from live.protocol.messages import Bye

    driver.produce(0, 2000)
    driver.launch(0)
    driver.ready(0)
    driver.start(0, [(0, 1, 0)])
    time.sleep(1.3)
    driver.signal(signal.SIGTERM, 0)
    driver.event(Bye)
    assert driver.status(0) == 0
    assert driver.progress()[-1].offset == len(driver.evidence(0))


def test_records_that_are_not_stored_any_more_end_the_process(driver: GroupDriver) -> None:
    driver.launch(0)
    driver.ready(0)
    driver.start(0, [(0, 1, 1_000_000)])
    assert driver.status(0) == 1
    assert "partition 0, offset 1000000: the record is not stored any more" in (
        driver.log(0).read_text()
    )


def test_cycle_looks_for_commands_after_each_batch(settings: LiveSettings, tmp_path: Path) -> None:
    from tests.live.consumer.group_driver import GroupDriver

    chosen = dataclasses.replace(settings, mode="cycle", batch_bytes=240_000, wait_s=0.5)
    with GroupDriver(chosen) as driver:
        driver.produce(0, 600)
        driver.launch(0)
        driver.ready(0)
        driver.start(0, [(0, 1, 0)])
        time.sleep(4)
        left = driver.stop(0, [(0, 1)], plan=2)
        evidence = driver.evidence(0)
        ends = sorted({record.done_ns for record in evidence})
        batches = [sum(record.done_ns == end for record in evidence) for end in ends]
        assert batches == [120] * len(ends)
        assert all(0.95e9 < b - a < 1.1e9 for a, b in pairwise(ends))
        assert left[0].offset == len(evidence)


def test_a_users_own_function_gets_the_records(driver: GroupDriver) -> None:
    driver.produce(0, 300)
    driver.launch(0, module="tests.live.consumer.counting_consumer")
    driver.ready(0)
    driver.start(0, [(0, 1, 0)])
    counts = driver.folder / "counted.txt"
    driver.wait_until(lambda: counts.exists() and len(counts.read_text().split()) == 300)
    assert counts.read_text().split() == [str(n) for n in range(300)]
    assert driver.stop(0, [(0, 1)], plan=2)[0].offset == 300
