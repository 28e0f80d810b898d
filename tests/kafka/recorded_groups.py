"""Kafka's recorded answers to several topics. ``python -m tests.kafka.recorded_groups`` records."""

from __future__ import annotations

import json
from pathlib import Path

from tests.kafka import kafka_driver
from tests.kafka.kafka_driver import Rounds
from tests.kafka.recorded_assignors import text
from tests.kafka.topic_histories import TopicHistory, draw

FILE = Path(__file__).with_name("recorded_groups.json")
SEED = 2027

COUNTS = {
    "range": 20,
    "roundrobin": 20,
    "kip848_range": 20,
    "sticky": 80,
    "cooperative_sticky": 80,
    "kip848_uniform": 80,
    "kip848_uniform_4_0": 40,
}
"""Histories by assignor. Those of which the owners matter need more."""


def histories() -> list[TopicHistory]:
    """Draw the histories to record."""
    return [history for name, n in COUNTS.items() for history in draw(name, n, SEED)]


def read() -> tuple[list[TopicHistory], list[list[Rounds]]]:
    """Histories and Kafka's answers."""
    rows = json.loads(FILE.read_text())
    asked = [
        TopicHistory(
            name,
            tuple(sizes),
            tuple(owners),
            tuple(tuple((m, tuple(topics)) for m, topics in reading) for reading in generations),
        )
        for name, sizes, owners, generations, _ in rows
    ]
    return asked, [rounds for *_, rounds in rows]


if __name__ == "__main__":
    drawn = histories()
    FILE.write_text(text(drawn, kafka_driver.answers(drawn)))
