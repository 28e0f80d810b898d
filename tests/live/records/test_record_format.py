"""Bytes of records."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.records.record_format import (
    BLOCK_BYTES,
    HEAD,
    InvalidRecord,
    RecordHead,
    RecordWriter,
    parse,
)

pytestmark = pytest.mark.unit

INT32, INT64 = st.integers(0, 2**31 - 1), st.integers(0, 2**63 - 1)


@given(INT32, INT32, INT64, INT64, st.sampled_from([256, 257, 2000, 100_000]))
def test_a_record_says_what_it_was_made_of(
    partition: int, iteration: int, sequence: int, due_ns: int, size: int
) -> None:
    value = RecordWriter(size, 0).value(partition, iteration, sequence, due_ns)
    assert len(value) == size
    assert parse(value) == RecordHead(partition, iteration, sequence, due_ns)


@pytest.mark.parametrize("size", [256, 2000, 99_999])
def test_a_batch_of_records_cannot_be_compressed(size: int) -> None:
    writer = RecordWriter(size, 1)
    batch = b"".join(writer.value(0, 0, n, n) for n in range(10**6 // size))
    heads = 10**6 // size * HEAD.size
    assert len(zlib.compress(batch, 9)) > len(batch) - heads


def test_fillers_begin_again_when_the_block_is_used_up() -> None:
    writer = RecordWriter(100_000, 1)
    fillers = [writer.value(0, 0, 0, 0) for _ in range(BLOCK_BYTES // 99_976 + 1)]
    assert fillers[0] == fillers[-1]
    assert len(set(fillers)) == len(fillers) - 1


def test_the_seed_determines_the_bytes() -> None:
    first, same, other = (RecordWriter(300, seed).value(1, 2, 3, 4) for seed in (5, 5, 6))
    assert first == same != other


@pytest.mark.parametrize("size", [0, 255, 100_001])
def test_sizes_are_bounded(size: int) -> None:
    with pytest.raises(ValueError, match=f"between 256 and 100,000 bytes.*{size}"):
        RecordWriter(size, 0)


@pytest.mark.parametrize("value", [b"", b"x" * 23, HEAD.pack(-1, 0, 0, 0), HEAD.pack(0, 0, 0, -1)])
def test_other_values_are_not_records(value: bytes) -> None:
    with pytest.raises(InvalidRecord):
        parse(value)
