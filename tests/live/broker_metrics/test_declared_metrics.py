"""The 37 metrics, and what is asked of the brokers for them."""

from __future__ import annotations

import pytest

from algorithms.learning.broker_model import METRICS
from live.broker_metrics import broker_reader, declared_metrics
from live.broker_metrics.broker_reader import RunningNode
from live.broker_metrics.declared_metrics import NAMES, QUANTITIES, READS

pytestmark = pytest.mark.unit


def test_they_are_those_that_agents_are_trained_on():
    assert NAMES == METRICS


def test_all_but_two_are_read_from_the_brokers():
    without = {each.name for each in QUANTITIES if not each.reads}
    assert without == {"brokers", "messages_out"}


def test_sums_of_times_come_with_as_many_numbers():
    for each in QUANTITIES:
        if each.how == declared_metrics.MEAN:
            half = len(each.reads) // 2
            sums, numbers = each.reads[:half], each.reads[half:]
            assert [read.pattern for read in sums] == [read.pattern for read in numbers]
            assert {read.attribute for read in sums} == {"Mean*Count"}
            assert {read.attribute for read in numbers} == {"Count"}


def test_the_reader_is_told_brokers_reads_and_the_period():
    nodes = [RunningNode(2, 200), RunningNode(3, 300)]
    lines = broker_reader.broker_orders(nodes, [5002, 5003])
    assert lines == ["broker\t2\t200\t5002", "broker\t3\t300\t5003"]
    *reads, last = [tuple(line.split("\t")) for line in broker_reader.read_orders(5.0)]
    assert reads == [("read", *read) for read in READS]
    assert last == ("go", "5000")
