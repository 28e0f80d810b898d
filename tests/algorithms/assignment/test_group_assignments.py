"""Assignments of several topics: against plain assignors, one topic, and rules for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from algorithms.assignment import assignors
from algorithms.assignment.assignors import assign_group
from tests.algorithms.assignment import assignor_cases, plain_groups
from tests.kafka import topic_histories
from tests.kafka.topic_histories import Partitions

pytestmark = pytest.mark.unit

NAMES = assignors.names()
TOPICS = "abcdef"
Step = tuple[dict[str, int], Partitions, dict[str, list[str]]]


def steps(name: str, n: int, seed: int) -> Iterator[Step]:
    """Topics, owned partitions and subscriptions of each rebalance of n histories."""
    for history in topic_histories.draw(name, n, seed):
        columns = [(TOPICS[t], p) for t, size in enumerate(history.sizes) for p in range(size)]
        topics = {TOPICS[t]: size for t, size in enumerate(history.sizes)}
        own: Partitions = {
            f"{m:02d}": [c for c, owner in zip(columns, history.owners, strict=True) if owner == m]
            for m in range(12)
        }
        for reading in history.reading:
            read = {f"{m:02d}": [TOPICS[t] for t in of_one] for m, of_one in reading.items()}
            yield topics, {member: own.get(member, []) for member in read}, read
            own = assign_group(name, topics, list(read), own, read)


def agrees(name: str, n: int, seed: int) -> int:
    """Compare with the plain assignor; return the number of rebalances."""
    count = 0
    for topics, owned, read in steps(name, n, seed):
        before = {member: set(own) for member, own in owned.items()}
        expected = plain_groups.ASSIGNORS[name](topics, before, read)
        placed = assign_group(name, topics, list(read), owned, read)
        assert placed == {m: sorted(expected[m]) for m in sorted(read)}, (topics, owned, read)
        count += 1
    return count


@pytest.mark.parametrize("name", NAMES)
def test_the_plain_assignor_agrees(name: str) -> None:
    assert agrees(name, 40, 1) == 160


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_plain_assignor_agrees_on_thousands(name: str) -> None:
    assert agrees(name, 1_000, 2) == 4_000


@pytest.mark.parametrize("name", NAMES)
def test_every_partition_that_is_read_has_one_owner_that_reads_it(name: str) -> None:
    for topics, owned, read in steps(name, 30, 3):
        placed = assign_group(name, topics, list(read), owned, read)
        pairs = [one for own in placed.values() for one in own]
        needed = plain_groups.all_read(topics, read)
        assert len(pairs) == len(set(pairs))
        assert all(topic in read[member] for member, own in placed.items() for topic, _ in own)
        assert (
            set(pairs) <= set(needed) if name == "cooperative_sticky" else sorted(pairs) == needed
        )


@pytest.mark.parametrize("name", NAMES)
def test_names_of_topics_matter_only_by_their_order(name: str) -> None:
    new = {"a": "Aa", "b": "a.1", "c": "b-2", "d": "zz"}
    for topics, owned, read in steps(name, 30, 4):
        placed = assign_group(name, topics, list(read), owned, read)
        renamed = assign_group(
            name,
            {new[t]: topics[t] for t in reversed(topics)},
            list(reversed(read)),
            {m: [(new[t], p) for t, p in reversed(own)] for m, own in owned.items()},
            {m: [new[t] for t in reversed(of_one)] for m, of_one in read.items()},
        )
        assert renamed == {m: [(new[t], p) for t, p in own] for m, own in placed.items()}


@pytest.mark.parametrize("name", NAMES)
def test_one_topic_is_placed_as_assign_places_it(name: str) -> None:
    for seed in range(60):
        group = assignor_cases.drawn(seed, 1 + seed % 17, 1 + seed % 9)
        owners = assignors.assign(name, *group).tolist()
        # KIP-169 compares the digits, the others the numbers.
        text = str if name == "kip169" else "{:03d}".format
        members = [text(m) for m in group.members]
        owned = {
            text(m): [("t", p) for p, owner in enumerate(group.owners) if owner == m]
            for m in group.members
        }
        lags = {"t": dict(enumerate(group.lags))}
        placed = assign_group(name, {"t": group.partitions}, members, owned, None, lags)
        assert placed == {
            text(m): [("t", p) for p, owner in enumerate(owners) if owner == m]
            for m in sorted(group.members, key=text)
        }
