"""What is committed in a compacted topic, on a broker."""

from __future__ import annotations

import threading
import time

import pytest
from confluent_kafka import Producer

from live.controller.transactions import (
    BrokerSilent,
    Fenced,
    Outgoing,
    TransactionalWriter,
    committed,
    stable,
)
from live.kafka import topics
from live.kafka.broker_cluster import Cluster
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("brokers") / "cluster") as running:
        yield running


@pytest.fixture
def topic(cluster, request):
    run = f"r{abs(hash(request.node.name))}"
    settings = short_settings(run=run, bootstrap=cluster.bootstrap, partitions=1)
    topics.create(settings)
    return settings.topic("progress")


def writer(cluster, name: str) -> TransactionalWriter:
    made = TransactionalWriter(cluster.bootstrap, name)
    made.take_over(30.0)
    return made


def test_the_newest_value_of_each_key(cluster, topic):
    one = writer(cluster, f"{topic}-one")
    one.commit([Outgoing(topic, 0, b"1", b"a"), Outgoing(topic, 0, b"2", b"b")])
    one.commit([Outgoing(topic, 0, b"3", b"a"), Outgoing(topic, 0, None, b"b")])
    assert committed(cluster.bootstrap, topic) == {b"a": b"3"}


def test_an_empty_topic(cluster, topic):
    assert committed(cluster.bootstrap, topic) == {}


def test_the_older_writer_is_fenced_and_has_written_nothing(cluster, topic):
    older = writer(cluster, f"{topic}-same")
    newer = writer(cluster, f"{topic}-same")
    with pytest.raises(Fenced):
        older.commit([Outgoing(topic, 0, b"old", b"a")])
    newer.commit([Outgoing(topic, 0, b"new", b"a")])
    assert committed(cluster.bootstrap, topic) == {b"a": b"new"}


def opened(cluster, topic: str) -> Producer:
    """A transaction with a message, which nobody has committed yet."""
    slow = Producer({"bootstrap.servers": cluster.bootstrap, "transactional.id": f"{topic}-slow"})
    slow.init_transactions(30)
    slow.begin_transaction()
    slow.produce(topic, b"slow", key=b"s", partition=0)
    slow.flush(30)
    return slow


def test_what_an_open_transaction_hides_is_waited_for(cluster, topic):
    """A consumer that writes progress hides what a lost one has written after it."""
    slow = opened(cluster, topic)
    writer(cluster, f"{topic}-lost").commit([Outgoing(topic, 0, b"last", b"p")])
    began = time.monotonic()
    end = threading.Timer(1.0, slow.commit_transaction)
    end.start()
    assert committed(cluster.bootstrap, topic) == {b"s": b"slow", b"p": b"last"}
    assert time.monotonic() - began >= 1.0
    end.join()


def test_a_transaction_that_stays_open_is_an_error(cluster, topic):
    slow = opened(cluster, topic)
    with pytest.raises(BrokerSilent, match="not read to its end in 2 s"):
        committed(cluster.bootstrap, topic, seconds=2.0)
    slow.abort_transaction(30)
    assert committed(cluster.bootstrap, topic) == {}


def test_what_no_open_transaction_hides_is_not_waited_for(cluster, topic):
    """A controller that recovers looks for a newer one, whose transaction may be open."""
    writer(cluster, f"{topic}-one").commit([Outgoing(topic, 0, b"1", b"a")])
    slow = opened(cluster, topic)
    began = time.monotonic()
    assert stable(cluster.bootstrap, topic) == {b"a": b"1"}
    assert time.monotonic() - began < 3
    slow.abort_transaction(30)
