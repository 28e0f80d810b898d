"""Kafka's range assignor on fixed groups that read several topics."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.assignment import Observation, assignors, registry
from algorithms.core.input_errors import InvalidParameterError

pytestmark = pytest.mark.unit


def placed(name: str, partitions: int, topics: list[tuple[int, ...]] | None = None) -> list[int]:
    algorithm = registry.get(name)
    algorithm = algorithm if topics is None else algorithm.on_topics(topics)
    (owners,) = algorithm.assign(np.ones((1, partitions)), 1.0, 0).tolist()
    return [int(owner) for owner in owners]


@pytest.mark.parametrize(("partitions", "n"), [(1, 1), (5, 2), (6, 3), (7, 7), (12, 5)])
@pytest.mark.parametrize("assignor", ["range", "kip848_range"])
def test_one_topic_is_assigned_as_kafka_does(partitions: int, n: int, assignor: str) -> None:
    """`tests/kafka` compares these assignors with Kafka's own classes."""
    kafka = assignors.assign(assignor, partitions, range(n), [-1] * partitions)
    assert placed(f"range_{n}", partitions) == kafka.tolist()


@pytest.mark.parametrize(("partitions", "n"), [(1, 1), (5, 2), (6, 3), (7, 7), (12, 5)])
@pytest.mark.parametrize("assignor", ["roundrobin", "sticky", "cooperative_sticky"])
def test_other_assignors_give_the_static_assignment(partitions: int, n: int, assignor: str) -> None:
    kafka = assignors.assign(assignor, partitions, range(n), [-1] * partitions)
    assert placed(f"kd_{n}", partitions) == kafka.tolist()


def test_each_topic_is_assigned_on_its_own() -> None:
    topics = [(0, 2), (1, 3), (6, 5, 4, 7)]
    owners = placed("range_3", 8, topics)
    assert owners == [0, 0, 1, 1, 1, 0, 0, 2]
    for topic in topics:
        kafka = assignors.assign("range", len(topic), range(3), [-1] * len(topic))
        assert [owners[index] for index in topic] == kafka.tolist()


def test_first_consumers_get_more_of_many_small_topics() -> None:
    """The weakness of the range assignor: five topics of 3 partitions, for 2 consumers."""
    topics = [tuple(range(first, first + 3)) for first in range(0, 15, 3)]
    assert np.bincount(placed("range_2", 15, topics)).tolist() == [10, 5]
    assert np.bincount(placed("kd_2", 15, topics)).tolist() == [8, 7]


def test_topics_do_not_matter_to_other_algorithms() -> None:
    assert registry.get("MWF").on_topics([(0,), (1,)]) is registry.get("MWF")
    assert placed("kd_3", 4, [(0, 1), (2, 3)]) == placed("kd_3", 4)


def test_a_partition_that_was_away_returns_to_its_consumer() -> None:
    rates = np.array([[1.0, 2.0, 3.0, 4.0], [np.nan, 2.0, 3.0, 4.0], [1.0, 2.0, np.nan, 4.0]])
    expected = [[0, 0, 1, 1], [-1, 0, 1, 1], [0, 0, -1, 1]]
    algorithm = registry.get("range_2")
    assert algorithm.assign(rates, 1.0, 0).tolist() == expected
    state = algorithm.start(4, 1.0, 0)
    steps = [algorithm.step(state, Observation(rates=row)).owners for row in rates]
    assert [[] if owners is None else owners.tolist() for owners in steps] == expected


def test_consumers_that_would_be_idle_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"n of range_n must .* 1 and 3 .*4"):
        placed("range_4", 5, [(0, 1, 2), (3, 4)])
    with pytest.raises(InvalidParameterError, match=r"largest topic .*range_0"):
        registry.get("range_0")


@pytest.mark.parametrize("topics", [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (2, 3)], []])
def test_topics_hold_each_partition_once(topics: list[tuple[int, ...]]) -> None:
    with pytest.raises(InvalidParameterError, match="each index between 0 and 2 once"):
        placed("range_1", 3, topics)


def test_fixed_groups_have_a_number_of_members() -> None:
    assert registry.members_of("range_7") == registry.members_of("kd_7") == 7
    assert registry.parameter_of("range_7") is None
    assert registry.members_of("SR_7") is None
    assert not registry.get("range_7").keeps_capacity
