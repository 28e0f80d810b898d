"""Groups that read several topics: what the assignor does with them, and what strategies see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.assignment import assignors
from algorithms.assignment.assignors import assign_group
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import Result, simulate
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation import scripted

pytestmark = pytest.mark.unit

SIX = np.full((20, 6), 15.0)
"""Events/s of two topics with three partitions each."""


def peak(replicas: int, assignor: str, topics: tuple[int, ...] | None) -> float:
    """Peak lag of consumers that serve 20 events/s."""
    settings = {"mu": 20.0, "initial_replicas": replicas, "assignor": assignor}
    return simulate(SIX, "constant", settings=settings, topics=topics).peak_lag


@pytest.mark.parametrize("assignor", ["range", "kip848_range", "kip169"])
def test_six_members_do_no_more_than_three_where_each_topic_has_three(assignor: str) -> None:
    assert peak(6, assignor, (3, 3)) == peak(3, assignor, (3, 3)) == pytest.approx(20 * 30.0)
    assert peak(6, assignor, None) == peak(6, assignor, (6,)) == 0.0


@pytest.mark.parametrize(
    "assignor", ["roundrobin", "sticky", "cooperative_sticky", "kip848_uniform"]
)
def test_assignors_over_all_topics_use_six_members(assignor: str) -> None:
    assert peak(6, assignor, (3, 3)) == 0.0
    assert peak(3, assignor, (3, 3)) == pytest.approx(20 * 30.0)


@pytest.mark.slow
@pytest.mark.parametrize("assignor", assignors.names())
def test_members_own_what_assign_group_gives_them(assignor: str) -> None:
    """Members join and leave; their ids are padded, so that they are in order as text."""
    rng = np.random.default_rng(len(assignor))
    for sizes in ((3, 3), (1, 4, 2), (7, 12), (5, 1, 1, 6)):
        p = sum(sizes)
        counts = [int(n) for n in rng.integers(1, p + 2, 12)]
        scripted_simulation(counts, sizes, assignor)
        columns = [(f"t{t}", i) for t, size in enumerate(sizes) for i in range(size)]
        owned = settled(assignor, sizes, counts[0], {})
        notes = scripted.STARTED[-1].notes[:, 2]
        for step, count in enumerate(counts):
            owned = settled(assignor, sizes, count, owned) if len(owned) != count else owned
            seen = [f"{int(owner):03d}" for owner in notes[step]]
            assert seen == [next(m for m in owned if c in owned[m]) for c in columns]


def scripted_simulation(counts: list[int], sizes: tuple[int, ...], assignor: str) -> None:
    """A group with these counts of members, each of which is settled at the next decision."""
    answers: list[Any] = [(count, 0, [0] * sum(sizes)) for count in [*counts[1:], counts[-1]]]
    simulate_in_detail(
        np.zeros((len(counts) + 1, sum(sizes))),
        scripted.strategy(answers),
        settings={
            "assignor": assignor,
            "initial_replicas": counts[0],
            "max_replicas": sum(sizes) + 1,
            "startup_s": 0.0,
            "heartbeat_s": 0.0,
            "rebalance_s": 0.01,
            "decision_s": 1.0,
        },
        topics=sizes,
    )


def settled(
    assignor: str, sizes: tuple[int, ...], count: int, owned: dict[str, list[tuple[str, int]]]
) -> dict[str, list[tuple[str, int]]]:
    """What members own after as many rounds as it takes."""
    topics = {f"t{t}": size for t, size in enumerate(sizes)}
    members = [f"{m:03d}" for m in range(count)]
    while True:
        owned = assign_group(assignor, topics, members, owned)
        if sum(map(len, owned.values())) == sum(sizes):
            return owned


@pytest.mark.parametrize("name", ["headroom", "linear", "keda_hpa", "least_loaded_1", "BFD"])
def test_one_topic_is_the_default(name: str) -> None:
    rng = np.random.default_rng(5)
    rates = rng.uniform(0.0, 80.0, (60, 7))
    settings = {"mu": 100.0}
    assert same(
        simulate(rates, name, settings=settings), simulate(rates, name, None, settings, [7])
    )


def same(one: Result, other: Result) -> bool:
    """Whether two results have the same bits."""
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


def test_headroom_places_members_topic_by_topic() -> None:
    """One partition each is enough; range on two topics cannot do that, however many there are."""
    settings = {"mu": 20.0, "max_replicas": 9}
    for topics, expected in ((None, 6), ((3, 3), 9)):
        result = simulate(SIX, "headroom", settings=settings, topics=topics)
        assert result.replicas[-1] == expected


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([3, 2], r"topics must sum to the number of partitions, 6 \(got 5\)"),
        ([], r"topics must sum to the number of partitions, 6 \(got 0\)"),
        ([0, 6], r"topics\[0\] must be between 1 and 2147483647 \(got 0\)"),
        ([3, 3.0], r"topics\[1\] must be an integer .*3\.0"),
        ("33", r"topics must be a sequence of integers, .*\(got str\)"),
        (6, r"topics must be a sequence of integers, .*\(got int\)"),
    ],
)
def test_wrong_topics_are_refused(topics: Any, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        simulate(SIX, "constant", topics=topics)


def test_topics_may_be_an_array() -> None:
    assert same(
        simulate(SIX, "constant", topics=np.array([2, 4])),
        simulate(SIX, "constant", topics=(2, 4)),
    )
