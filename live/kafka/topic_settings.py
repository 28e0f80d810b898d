"""What the six topics of a run are like: partitions, replicas, retention, compaction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from confluent_kafka.cimpl import NewTopic

from live.kafka.broker_settings import MIB, min_in_sync
from live.live_settings import LiveSettings

KINDS: Final = ("data", "speed", "command", "event", "state", "progress")
"""Last parts of the names of a run's topics, ``gs.<run>.<kind>``."""

COMMAND_PARTITIONS: Final = 50
"""Partitions of ``command``: one for each consumer."""

SEGMENT_SECONDS = 10.0
"""Least time that a segment of ``data`` holds.

Retention deletes whole segments. A log that loses less than comes in between two measurements would
seem to grow slowly; one that loses ten seconds shrinks, which the monitor notices.
"""

MESSAGE_SECONDS = 7 * 86_400
"""How long ``speed``, ``command`` and ``event`` keep messages at least.

A measured run takes a day at most. Later, nothing reads them: a command without an answer is sent
again, and a controller begins at the end.
"""


def created_kinds(settings: LiveSettings) -> tuple[str, ...]:
    """Topics that a run creates: all of `KINDS`, or not ``data`` if it reads a user's topic."""
    return tuple(kind for kind in KINDS if kind != "data" or not settings.data_topic)


def new_topic(settings: LiveSettings, kind: str, retention_bytes: int | None) -> NewTopic:
    """A topic to be created, one of `KINDS`; ``data`` keeps at least some bytes, or all if None."""
    partitions = {"data": settings.partitions, "command": COMMAND_PARTITIONS}.get(kind, 1)
    config = {"min.insync.replicas": str(min_in_sync(settings.nodes)), **_contents(kind)}
    if kind == "data":
        segment = max(math.ceil(SEGMENT_SECONDS * settings.consumer_rate), MIB)
        config["segment.bytes"] = str(min(segment, 1024 * MIB))
        config["retention.bytes"] = str(retention_bytes or -1)
    return NewTopic(settings.topic(kind), partitions, settings.nodes, config=config)


def _contents(kind: str) -> Mapping[str, str]:
    """What a topic keeps: all, messages for a time, or last values, in small segments."""
    if kind not in ("state", "progress"):
        kept_ms = -1 if kind == "data" else 1000 * MESSAGE_SECONDS
        return {"cleanup.policy": "delete", "retention.ms": str(kept_ms)}
    return {
        "cleanup.policy": "compact",
        "segment.bytes": str(MIB),
        "min.cleanable.dirty.ratio": "0.1",
    }
