"""Our assignors answer for several topics as Kafka's own did when they were recorded."""

from __future__ import annotations

from collections import Counter

import pytest

from algorithms.assignment.assignors import assign_group
from tests.kafka import kafka_driver, recorded_assignors, recorded_groups
from tests.kafka.kafka_driver import Rounds
from tests.kafka.topic_histories import TopicHistory, draw, rebalances
from tools.setup.kafka_jars import NotDownloaded

pytestmark = pytest.mark.kafka

Table = tuple[list[TopicHistory], list[list[Rounds]]]

N = 100
"""Histories per assignor besides the recorded ones."""


@pytest.fixture(scope="module")
def table() -> Table:
    """Histories and Kafka's answers."""
    return recorded_groups.read()


def check(name: str, histories: list[TopicHistory], answers: list[list[Rounds]]) -> int:
    """Compare the rebalances of one assignor; return how many there are."""
    count = 0
    for history, rounds in zip(histories, answers, strict=True):
        if history.assignor == name:
            for one in rebalances(history, rounds):
                placed = assign_group(name, one.topics, one.members, one.owned, one.subscriptions)
                assert placed == one.expected, one
                count += 1
    return count


@pytest.mark.unit
@pytest.mark.parametrize("name", kafka_driver.VERSIONS)
def test_we_agree_with_kafka(table: Table, name: str) -> None:
    assert check(name, *table) >= 4 * recorded_groups.COUNTS[name]


@pytest.mark.unit
def test_the_table_has_equal_and_different_subscriptions(table: Table) -> None:
    kinds, withheld = Counter[tuple[str, bool]](), 0
    for history, rounds in zip(*table, strict=True):
        for one in rebalances(history, rounds):
            equal = len({tuple(topics) for topics in one.subscriptions.values()}) == 1
            kinds[history.assignor, equal] += len(one.topics) > 1
            withheld += sum(map(len, one.expected.values())) < sum(map(len, one.owned.values()))
    assert min(kinds.values()) >= 10
    assert len(kinds) == 2 * len(kafka_driver.VERSIONS)
    assert withheld >= 50


@pytest.mark.unit
def test_the_table_is_small_and_as_it_would_be_written(table: Table) -> None:
    assert recorded_assignors.text(*table) == recorded_groups.FILE.read_text()
    assert recorded_groups.FILE.stat().st_size < 300_000


@pytest.mark.slow
def test_kafka_answers_as_recorded_and_as_we_do(table: Table) -> None:
    others = [history for name in kafka_driver.VERSIONS for history in draw(name, N, 13)]
    try:
        answers = kafka_driver.answers([*table[0], *others])
    except (NotDownloaded, kafka_driver.NoCompiler) as error:
        pytest.skip(str(error))
    recorded = len(table[0])
    assert answers[:recorded] == table[1]
    for name in kafka_driver.VERSIONS:
        assert check(name, others, answers[recorded:]) >= 4 * N
