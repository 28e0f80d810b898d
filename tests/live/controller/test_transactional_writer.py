"""What a transactional writer makes of the client's errors."""

from __future__ import annotations

from typing import cast

import pytest
from confluent_kafka import KafkaError

from live.controller import transactions
from live.controller.transactions import (
    BrokerSilent,
    Fenced,
    Outgoing,
    TransactionalWriter,
)
from tests.live.consumer.client_fakes import FakeProducer, failure

pytestmark = pytest.mark.unit

WRITTEN = ["begin_transaction", "produce", "commit_transaction"]
FENCED = (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH)


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> TransactionalWriter:
    monkeypatch.setattr(transactions, "Producer", FakeProducer)
    return TransactionalWriter("b:1", "gs.r.controller")


def client(writer: TransactionalWriter) -> FakeProducer:
    return cast(FakeProducer, writer._producer)


def commit(writer: TransactionalWriter) -> None:
    writer.commit([Outgoing("state", 0, b"x", b"k")])


@pytest.mark.parametrize("code", FENCED)
@pytest.mark.parametrize("call", WRITTEN)
def test_a_newer_writer_ends_this_one(writer: TransactionalWriter, call: str, code: int) -> None:
    client(writer).errors[call] = [failure(code)]
    with pytest.raises(Fenced):
        commit(writer)
    assert "abort_transaction" not in client(writer).calls


@pytest.mark.parametrize("code", FENCED)
def test_a_newer_writer_may_show_when_a_transaction_is_aborted(
    writer: TransactionalWriter, code: int
) -> None:
    """Otherwise its error would be one to recover from, by taking over from the newer writer."""
    client(writer).errors["commit_transaction"] = [failure(requires_abort=True)]
    client(writer).errors["abort_transaction"] = [failure(code)]
    with pytest.raises(Fenced):
        commit(writer)


@pytest.mark.parametrize("code", FENCED)
def test_a_newer_writer_may_show_when_the_id_is_taken_over(
    writer: TransactionalWriter, code: int
) -> None:
    client(writer).errors["init_transactions"] = [failure(), failure(code, fatal=True)]
    with pytest.raises(Fenced):
        writer.take_over(60.0)
    assert client(writer).calls == ["init_transactions"] * 2


def test_a_fatal_error_is_no_newer_writer(writer: TransactionalWriter) -> None:
    client(writer).errors["init_transactions"] = [failure(KafkaError._FATAL, fatal=True)]
    with pytest.raises(BrokerSilent):
        writer.take_over(60.0)


def test_a_broker_that_does_not_even_abort_is_silent(writer: TransactionalWriter) -> None:
    client(writer).errors["commit_transaction"] = [failure(requires_abort=True)]
    client(writer).errors["abort_transaction"] = [failure(KafkaError._TIMED_OUT)]
    with pytest.raises(BrokerSilent):
        commit(writer)


def test_a_commit_is_tried_again(writer: TransactionalWriter) -> None:
    client(writer).errors["commit_transaction"] = [failure(retriable=True)] * 2
    commit(writer)
    assert client(writer).calls == [*WRITTEN, *["commit_transaction"] * 2]
