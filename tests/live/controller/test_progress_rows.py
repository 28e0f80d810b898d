"""Progress that counts, and what is left out of it."""

from __future__ import annotations

import pytest

from live.consumer import progress_record
from live.controller import progress_rows
from live.protocol.messages import PartitionOffset

pytestmark = pytest.mark.unit


def value(partition: int, offset: int) -> bytes:
    return progress_record.value(PartitionOffset(partition, 1, offset))


def test_the_last_value_of_a_partition_counts() -> None:
    rejected: list[str] = []
    rows = [value(0, 5), value(1, 8), value(0, 9)]
    assert progress_rows.next_offsets(rows, 2, rejected.append) == {0: 9, 1: 8}
    assert rejected == []


@pytest.mark.parametrize("wrong", [b"", b"7", b"{}", value(2, 5), value(0, 2**63)])
def test_what_is_not_understood_is_left_out(wrong: bytes) -> None:
    rejected: list[str] = []
    assert progress_rows.next_offsets([value(0, 5), wrong], 2, rejected.append) == {0: 5}
    assert len(rejected) == 1
