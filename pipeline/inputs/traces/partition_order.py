"""The order of partitions: by topic as text, then by the number of the partition, as in Kafka."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DIGITS = re.compile(r"([0-9]+)")

Key = tuple[str, list[tuple[int, int, str]], str]


def order(names: Sequence[str]) -> list[int]:
    """Positions of names in order.

    Names that are not numbers are sorted as texts, and numbers in them by their value.

    >>> order(["orders/10", "orders/2", "clicks/0"])
    [2, 1, 0]
    >>> order(["p10", "p9", "east"])
    [2, 1, 0]
    """
    return sorted(range(len(names)), key=lambda place: key(names[place]))


def key(name: str) -> Key:
    """Key of a name ``topic/partition`` or ``partition``; different names have different keys."""
    topic, _, partition = name.rpartition("/")
    parts = _DIGITS.split(partition)
    # Texts and numbers alternate, texts first.
    return topic, [_part(place, part) for place, part in enumerate(parts)], name


def _part(place: int, part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if place % 2 else (1, 0, part)
