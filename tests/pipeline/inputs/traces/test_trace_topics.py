"""Topics of a trace's partitions, from their names."""

from __future__ import annotations

import pytest

from algorithms.assignment import kafka_range, kafka_static
from pipeline.inputs.traces import trace_topics

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("partitions", "topics"),
    [
        (["a/1", "b/0", "a/0"], ((2, 0), (1,))),
        (["a/9", "a/10", "a/2"], ((2, 0, 1),)),
        (["a/b/1", "a/b/0", "a/1"], ((1, 0), (2,))),
        (["1", "0"], ((1, 0),)),
        (["x", "a"], ((0, 1),)),
        (["t/x", "t/1", "t/0"], ((0, 1, 2),)),
        (["t/²", "t/1"], ((0, 1),)),
    ],
)
def test_topics_come_before_the_last_slash(
    partitions: list[str], topics: trace_topics.Topics
) -> None:
    assert trace_topics.of(partitions) == topics


@pytest.mark.parametrize(
    ("topics", "n", "same"),
    [
        (((0, 1, 2),), 3, True),
        (((0, 1, 2),), 2, False),
        (((0, 1), (2, 3), (4,)), 2, True),
        (((0, 1, 2), (3, 4)), 2, False),
        (((0, 2), (1, 3)), 2, False),
        (((1, 0), (2, 3)), 2, False),
    ],
)
def test_sizes_at_which_range_assigns_as_kd_does(
    topics: trace_topics.Topics, n: int, same: bool
) -> None:
    count = sum(map(len, topics))
    by_range = kafka_range.start(count, 1.0, 0, n=n, topics=topics)
    in_turn = kafka_static.start(count, 1.0, 0, n=n)
    assert (by_range.home.tolist() == in_turn.home.tolist()) is same
    assert trace_topics.are_dealt_in_turn(topics, n) is same
