"""Kafka's recorded answers. ``python -m tests.kafka.recorded_assignors`` records them again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.kafka import kafka_driver
from tests.kafka.group_histories import History, draw
from tests.kafka.kafka_driver import Rounds

FILE = Path(__file__).with_name("recorded_assignors.json")
SEED = 2026

COUNTS = {
    "range": 10,
    "roundrobin": 10,
    "kip848_range": 10,
    "sticky": 60,
    "cooperative_sticky": 60,
    "kip848_uniform": 60,
    "kip848_uniform_4_0": 60,
}
"""Histories by assignor. Those of which the owners matter need more."""


def histories() -> list[History]:
    """Draw the histories to record."""
    return [history for name, n in COUNTS.items() for history in draw(name, n, SEED)]


def text(asked: Sequence[tuple[Any, ...]], answered: list[list[Rounds]]) -> str:
    """The table as JSON, one history per line."""
    lines = [
        json.dumps([*history, rounds], separators=(",", ":"))
        for history, rounds in zip(asked, answered, strict=True)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def read() -> tuple[list[History], list[list[Rounds]]]:
    """Histories and Kafka's answers."""
    rows = json.loads(FILE.read_text())
    asked = [
        History(name, tuple(owners), tuple(tuple(ids) for ids in generations))
        for name, owners, generations, _ in rows
    ]
    return asked, [rounds for *_, rounds in rows]


if __name__ == "__main__":
    drawn = histories()
    FILE.write_text(text(drawn, kafka_driver.answers(drawn)))
