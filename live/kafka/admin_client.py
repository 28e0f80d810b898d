"""A client for questions about a cluster; each of its calls ends in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

CALL_SECONDS = 5.0
"""Time limit of one call to a broker."""

_RETRY_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ClusterView:
    """What a broker knows of its cluster."""

    brokers: frozenset[int]
    """Nodes that answer."""
    leaders: dict[str, dict[int, int]]
    """Leader of each partition by topic; -1 without one."""


def connect(bootstrap: str, properties: Mapping[str, Any] | None = None) -> AdminClient:
    """A client of the brokers at these addresses, which need not answer yet.

    Keep a reference to it while its futures run: they fail when it is gone.

    properties: Further settings of the client, such as ``sasl.username``.
    """
    return AdminClient(
        {
            **(properties or {}),
            "bootstrap.servers": bootstrap,
            "socket.timeout.ms": int(CALL_SECONDS * 1000),
            "reconnect.backoff.ms": 50,
            "reconnect.backoff.max.ms": 250,
            # Callers report what is wrong. The library writes a line for each refused connection.
            "log_level": 0,
        }
    )


def look(client: AdminClient, seconds: float = CALL_SECONDS) -> ClusterView | None:
    """View of one of the brokers; None if none answers in time."""
    try:
        metadata = client.list_topics(timeout=seconds)
    except KafkaException:
        return None
    leaders = {
        name: {number: each.leader for number, each in topic.partitions.items()}
        for name, topic in metadata.topics.items()
    }
    return ClusterView(frozenset(metadata.brokers), leaders)


def waited_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether a condition comes true in time; it is tried once at least."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(_RETRY_SECONDS)
    return True
