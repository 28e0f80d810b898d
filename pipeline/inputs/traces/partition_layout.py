"""Topics of a recording: its partitions by topic and number, whatever their order in the file.

Kafka's assignors order topics by name and partitions by number, and number the partitions of a
topic from 0 without gaps. A partition whose number is missing in a file has received nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.traces import partition_order
from pipeline.inputs.traces.model import Floats

MOST_MISSING = 1_000
"""Partitions of a file that may be missing between others."""

_LISTED = 3


class Topic(NamedTuple):
    """A topic of a workload."""

    name: str
    """Its name; empty where a workload names none."""
    partitions: int
    """Number of its partitions."""
    names: tuple[str, ...] = ()
    """Names of the partitions where they are no numbers; else empty."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each partition, ``topic/number``."""
        prefix = f"{self.name}/" if self.name else ""
        return self.names or tuple(f"{prefix}{number}" for number in range(self.partitions))


class Layout(NamedTuple):
    """Where the partitions of a recording are in its workload."""

    topics: tuple[Topic, ...]
    """Topics by name."""
    columns: tuple[int, ...]
    """Column in the recording of each partition, topic by topic; -1 for one that is missing."""
    notes: tuple[str, ...] = ()
    """What was added, in sentences."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each partition."""
        return tuple(label for topic in self.topics for label in topic.labels)

    def arranged(self, rates: Floats) -> Floats:
        """Rates ``float64[N, P]`` of a recording in this order; 0 where a partition is missing."""
        places = np.array(self.columns)
        if places.size == rates.shape[1] and (places == np.arange(places.size)).all():
            return rates
        columns = np.ascontiguousarray(rates[:, np.maximum(places, 0)])
        columns[:, places < 0] = 0.0
        return columns


def of(path: Path, partitions: Sequence[str]) -> Layout:
    """Lay out the partitions of a recording, which are named ``topic/partition`` or ``partition``.

    Partitions with numbers are sorted by these, those with other names by name. Without a topic,
    numbers may begin with 1.

    partitions: Names of its partitions, different from each other.
    Raises InputError if more than `MOST_MISSING` partitions are missing.

    >>> found = of(Path("t.csv"), ["b/1", "a/2", "a/0"])
    >>> [(topic.name, topic.partitions) for topic in found.topics], found.columns
    ([('a', 3), ('b', 2)], (2, -1, 1, -1, 0))
    >>> found.notes
    ('Partitions a/1, b/0 are not in the file; they count as partitions without events.',)
    """
    members: dict[str, list[int]] = {}
    for index, name in enumerate(partitions):
        members.setdefault(name.rpartition("/")[0], []).append(index)
    placed = [_placed(name, partitions, members[name]) for name in sorted(members)]
    missing = sum(topic.partitions - len(members[topic.name]) for topic, _ in placed)
    if missing > MOST_MISSING:
        raise InputError(_too_sparse(path, [topic for topic, _ in placed], members, missing))
    columns = [_columns(topic, places) for topic, places in placed]
    layout = Layout(tuple(topic for topic, _ in placed), tuple(i for own in columns for i in own))
    return layout._replace(notes=_notes(layout, missing))


def named_topics(partitions: Sequence[str]) -> tuple[Topic, ...]:
    """Topics of partitions that are in order, with those alone that a recording has."""
    sizes: dict[str, int] = {}
    for name in partitions:
        topic = name.rpartition("/")[0]
        sizes[topic] = sizes.get(topic, 0) + 1
    return tuple(Topic(name, count) for name, count in sizes.items())


def _placed(
    name: str, partitions: Sequence[str], indexes: Sequence[int]
) -> tuple[Topic, dict[int, int]]:
    """A topic, and the column of each of its partitions that the file has, by place."""
    texts = [partitions[index].rpartition("/")[2] for index in indexes]
    numbers = [int(text) if text.isascii() and text.isdigit() else -1 for text in texts]
    if min(numbers) < 0 or len(set(numbers)) < len(numbers):
        ordered = sorted(indexes, key=lambda index: partition_order.key(partitions[index]))
        names = tuple(partitions[index] for index in ordered)
        return Topic(name, len(names), names), dict(enumerate(ordered))
    by_number = dict(sorted(zip(numbers, indexes, strict=True)))
    if not name and list(by_number) == list(range(1, len(numbers) + 1)):
        names = tuple(map(str, by_number))
        return Topic(name, len(names), names), dict(enumerate(by_number.values()))
    return Topic(name, max(numbers) + 1), by_number


def _columns(topic: Topic, places: dict[int, int]) -> list[int]:
    return [places.get(place, -1) for place in range(topic.partitions)]


def _too_sparse(
    path: Path, topics: Sequence[Topic], members: dict[str, list[int]], missing: int
) -> str:
    worst = max(topics, key=lambda topic: topic.partitions - len(members[topic.name]))
    of_topic = f" of topic {named(worst.name)}" if worst.name else ""
    return (
        f"{path}: at most {MOST_MISSING:,} partitions can be missing between others (got "
        f"{missing:,}: partitions{of_topic} go up to {worst.partitions - 1:,}, and the file has "
        f"{len(members[worst.name]):,} of them); check their numbers, or add a row for each"
    )


def _notes(layout: Layout, missing: int) -> tuple[str, ...]:
    if not missing:
        return ()
    labels = [
        label for label, column in zip(layout.labels, layout.columns, strict=True) if column < 0
    ]
    listed = ", ".join(labels[:_LISTED])
    rest = f" and {missing - _LISTED:,} more" if missing > _LISTED else ""
    if missing == 1:
        return (f"Partition {listed} is not in the file; it counts as one without events.",)
    return (
        f"Partitions {listed}{rest} are not in the file; they count as partitions without events.",
    )
