"""Order of records that wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.consumer.record_queues import ConsumedRecord, RecordQueues

pytestmark = pytest.mark.unit


def record(partition: int, offset: int) -> ConsumedRecord:
    return ConsumedRecord(partition, offset, 1, bytes(10), None, 0)


def drained(queues: RecordQueues) -> list[ConsumedRecord]:
    return list(iter(queues.take, None))


@given(st.lists(st.integers(0, 4)), st.sets(st.integers(0, 4)))
def test_some_go_first_and_each_keeps_its_order(partitions: list[int], first: set[int]) -> None:
    queues = RecordQueues(first.__contains__)
    records = [record(partition, n) for n, partition in enumerate(partitions)]
    for one in records:
        queues.put(one)
    assert queues.size == 10 * len(records)
    ordered = sorted(records, key=lambda r: (r.partition not in first, r.offset))
    assert drained(queues) == ordered
    assert queues.size == 0


def test_a_partition_that_settles_does_not_overtake_itself() -> None:
    first: set[int] = set()
    queues = RecordQueues(first.__contains__)
    for one in (record(0, 0), record(1, 0), record(1, 1)):
        queues.put(one)
    first.add(1)
    queues.put(record(1, 2))
    assert [(r.partition, r.offset) for r in drained(queues)] == [(1, 0), (1, 1), (1, 2), (0, 0)]


def test_dropped_records_do_not_come() -> None:
    queues = RecordQueues(lambda _: True)
    for one in (record(0, 0), record(1, 0), record(0, 1)):
        queues.put(one)
    queues.drop(0)
    queues.drop(5)
    assert queues.size == 10
    assert drained(queues) == [record(1, 0)]
