"""Our assignors answer as Kafka's own did when they were recorded."""

from __future__ import annotations

from collections import Counter

import pytest

from algorithms.assignment import assignors
from tests.kafka import kafka_driver, recorded_assignors
from tests.kafka.group_histories import UNOWNED, History, rebalances
from tests.kafka.kafka_driver import Rounds

pytestmark = [pytest.mark.unit, pytest.mark.kafka]

Table = tuple[list[History], list[list[Rounds]]]

OF_OWNERS = ("sticky", "cooperative_sticky", "kip848_uniform", "kip848_uniform_4_0")
"""Assignors that read who owns what: they need many cases."""


@pytest.fixture(scope="module")
def table() -> Table:
    """Histories and Kafka's answers."""
    return recorded_assignors.read()


@pytest.mark.parametrize("name", kafka_driver.VERSIONS)
def test_we_agree_with_kafka(table: Table, name: str) -> None:
    for history, rounds in zip(*table, strict=True):
        if history.assignor == name:
            for members, before, after in rebalances(history, rounds):
                ours = assignors.assign(name, len(before), members, before)
                assert ours.tolist() == list(after), (members, before)


def test_every_assignor_of_kafka_is_recorded(table: Table) -> None:
    """KIP-169 was never adopted, so Kafka has no such assignor."""
    recorded = {history.assignor for history in table[0]}
    assert recorded == set(assignors.names()) - {"kip169"}


def test_the_table_is_as_it_would_be_written(table: Table) -> None:
    assert recorded_assignors.text(*table) == recorded_assignors.FILE.read_text()


def test_the_table_has_enough_cases_that_differ(table: Table) -> None:
    cases, moving, withheld = Counter[str](), Counter[str](), 0
    for history, rounds in zip(*table, strict=True):
        for members, before, after in rebalances(history, rounds):
            cases[history.assignor] += 1
            withheld += UNOWNED in after
            moving[history.assignor] += any(
                old in members and old != new for old, new in zip(before, after, strict=True)
            )
    assert all(cases[name] >= 300 and moving[name] >= 50 for name in OF_OWNERS), (cases, moving)
    assert withheld >= 50


def test_the_table_is_small() -> None:
    assert recorded_assignors.FILE.stat().st_size < 200_000
