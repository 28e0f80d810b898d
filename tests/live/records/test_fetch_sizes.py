"""Answers of brokers have room for all partitions, and stay small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from live.consumer.consumer_connections import data_settings
from live.live_settings import FIFO, FIXED_FIRST
from live.records import fetch_sizes, record_producer
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("partitions", [1, 6, 16, 32, 40])
@pytest.mark.parametrize(("rate", "size"), [(240_000.0, 2000), (2.4e6, 10_000), (240_000.0, 256)])
def test_each_partition_has_room_in_an_answer(partitions: int, rate: float, size: int) -> None:
    settings = replace(
        run_settings("b:1", Path("f"), partitions), consumer_rate=rate, record_bytes=size
    )
    properties = data_settings(settings)
    share = int(str(properties["max.partition.fetch.bytes"]))
    answer = int(str(properties["fetch.max.bytes"]))
    assert partitions * share <= answer
    # With what is buffered already, less than a second of work.
    buffered = 1024 * int(str(properties["queued.max.messages.kbytes"]))
    assert answer + buffered <= rate
    # A full batch of the producer fits, and so do two records.
    batch = int(str(record_producer.client_settings(settings)["batch.size"]))
    assert 2 * size <= batch <= share
    assert fetch_sizes.partition_records(settings) * size <= share


@pytest.mark.parametrize("order", [FIFO, FIXED_FIRST])
@pytest.mark.parametrize("partitions", [1, 6, 200])
@pytest.mark.parametrize(
    ("rate", "size"), [(5120.0, 256), (240_000.0, 2000), (240_000.0, 12_000), (2.4e6, 10_000)]
)
def test_less_than_a_second_of_work_waits_at_a_consumer(
    order: str, partitions: int, rate: float, size: int
) -> None:
    """An answer, what waits with the client, and in order `fixed_first` what waits beside it."""
    settings = replace(
        run_settings("b:1", Path("f"), partitions),
        consumer_rate=rate,
        record_bytes=size,
        order=order,
    )
    properties = data_settings(settings)
    waiting = 1024 * int(str(properties["queued.max.messages.kbytes"]))
    assert waiting == fetch_sizes.client_bytes(settings)
    if order == FIXED_FIRST:
        # The last record that is taken from the client may go beyond the limit.
        waiting += fetch_sizes.queue_bytes(settings) - 1 + size
    assert int(str(properties["fetch.max.bytes"])) + waiting <= rate


def test_records_of_any_size() -> None:
    settings = replace(run_settings("b:1", Path("f"), 200), record_bytes=0)
    assert fetch_sizes.partition_bytes(settings) == 30_000


def test_a_group_of_very_many_partitions_gets_two_records_of_each() -> None:
    settings = run_settings("b:1", Path("f"), 200)
    assert fetch_sizes.partition_records(settings) == 2
    assert fetch_sizes.answer_bytes(settings) <= 0.7 * settings.consumer_rate


def test_aborted_records_of_a_users_topic_are_not_read() -> None:
    settings = run_settings("b:1", Path("f"))
    assert data_settings(settings)["isolation.level"] == "read_uncommitted"
    taken = replace(settings, data_topic="orders")
    assert data_settings(taken)["isolation.level"] == "read_committed"
