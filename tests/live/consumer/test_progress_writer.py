"""Progress is written in transactions, whatever the brokers answer."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError
from hypothesis import given
from hypothesis import strategies as st

from live.consumer import progress_record, progress_writer
from live.consumer.client_errors import Fenced, Unusable
from live.consumer.progress_writer import PROOF, ProgressWriter
from live.protocol.messages import PartitionOffset
from tests.live.consumer.client_fakes import FakeProducer, failure

pytestmark = pytest.mark.unit

ROWS = [PartitionOffset(3, 7, 1000), PartitionOffset(0, 1, 5)]
ONCE = ["begin_transaction", "produce", "produce", "commit_transaction"]


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> ProgressWriter:
    monkeypatch.setattr(progress_writer, "Producer", FakeProducer)
    return ProgressWriter({}, "progress", 5.0)


def client(writer: ProgressWriter) -> FakeProducer:
    assert isinstance(writer._producer, FakeProducer)
    return writer._producer


def test_rows_are_written_in_one_transaction(writer: ProgressWriter) -> None:
    assert writer.write(ROWS)
    assert client(writer).calls == ONCE
    assert client(writer).rows == [
        (b"3", b'{"v":1,"partition":3,"epoch":7,"offset":1000}'),
        (b"0", b'{"v":1,"partition":0,"epoch":1,"offset":5}'),
    ]


def test_a_commit_that_takes_longer_is_waited_for(writer: ProgressWriter) -> None:
    client(writer).errors["commit_transaction"] = [failure(retriable=True)] * 2
    assert [writer.write(ROWS) for _ in range(3)] == [False, False, True]
    assert client(writer).calls == [*ONCE, "commit_transaction", "commit_transaction"]


def test_an_aborted_transaction_is_repeated(writer: ProgressWriter) -> None:
    client(writer).errors["commit_transaction"] = [failure(requires_abort=True)]
    client(writer).errors["abort_transaction"] = [failure(retriable=True)]
    assert [writer.write(ROWS) for _ in range(3)] == [False, False, True]
    aborts = ["abort_transaction", "abort_transaction"]
    assert client(writer).calls == [*ONCE, *aborts, *ONCE]


@pytest.mark.parametrize(
    "code",
    [KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH],
)
@pytest.mark.parametrize("call", ["begin_transaction", "produce", "commit_transaction"])
def test_a_replaced_incarnation_is_told_so(writer: ProgressWriter, code: int, call: str) -> None:
    client(writer).errors[call] = [failure(code, fatal=True)]
    with pytest.raises(Fenced):
        writer.write(ROWS)


@pytest.mark.parametrize("error", [failure(fatal=True), failure(KafkaError._STATE)])
def test_errors_that_no_call_repairs_are_raised(writer: ProgressWriter, error: Exception) -> None:
    client(writer).errors["commit_transaction"] = [error]
    with pytest.raises(Unusable, match="because"):
        writer.write(ROWS)


def test_the_coordinator_is_asked_until_it_answers(writer: ProgressWriter) -> None:
    client(writer).errors["init_transactions"] = [failure(retriable=True)] * 2
    assert [writer.get_ready() for _ in range(4)] == [False, False, True, True]
    assert client(writer).calls == ["init_transactions"] * 3


def test_without_rows_a_tombstone_is_written(writer: ProgressWriter) -> None:
    assert writer.write([])
    assert client(writer).rows == [(PROOF, None)]


@given(st.builds(PartitionOffset, *[st.integers(0, 2**63)] * 3))
def test_progress_is_parsed_as_it_was_written(row: PartitionOffset) -> None:
    assert progress_record.parse(progress_record.value(row)) == row


def test_records_from_before_they_had_a_version_are_read() -> None:
    """A group of a user's own program goes on with what an earlier installation has written."""
    row = progress_record.parse(b'{"partition":3,"epoch":7,"offset":1000}')
    assert row == PartitionOffset(3, 7, 1000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"partition":0,"epoch":1}',
        b'{"partition":0,"epoch":1,"offset":-1}',
        b'{"partition":0,"epoch":1,"offset":1.5}',
        b'{"partition":0,"epoch":true,"offset":1}',
        b'{"partition":0,"epoch":1,"offset":1,"more":1}',
        b'{"v":2,"partition":0,"epoch":1,"offset":1}',
        b'{"v":true,"partition":0,"epoch":1,"offset":1}',
        b'{"v":null,"partition":0,"epoch":1,"offset":1}',
    ],
)
def test_other_values_are_not_progress(data: bytes) -> None:
    with pytest.raises(progress_record.InvalidProgress):
        progress_record.parse(data)


def test_a_record_of_brackets_is_one_that_is_not_understood() -> None:
    """Whoever may write to the topic must not end the group with it."""
    with pytest.raises(progress_record.InvalidProgress, match="must be JSON"):
        progress_record.parse(b"[" * 100_000)
