"""Dynamic configurations that keep copies of moved partitions from taking all bandwidth.

Rates act only on replicas that a topic lists, so that all other replication stays as fast as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from live.user_cluster.replica_logs import Partition

BROKER, TOPIC = "broker", "topic"

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
"""Of a broker, bytes/s: what it sends, and what it fetches."""

LEADERS = "leader.replication.throttled.replicas"
FOLLOWERS = "follower.replication.throttled.replicas"
"""Of a topic, as ``partition:broker,…``: replicas that send, and replicas that fetch."""

Lists = Mapping[Partition, Sequence[int]]
"""Brokers of partitions, the preferred leader first."""

Change = Mapping[str, str | None]
"""Values by name; None deletes."""


class Resource(NamedTuple):
    """What a configuration belongs to."""

    kind: str
    """`BROKER` or `TOPIC`."""
    name: str


def throttled(
    before: Lists, after: Lists, brokers: Iterable[int], rate: int
) -> dict[Resource, Change]:
    """Throttle the copies of a plan, and nothing else.

    before, after: Lists of the partitions that change.
    brokers: All brokers of the cluster.
    rate: Bytes/s that each of them sends and fetches at most.
    """
    changes: dict[Resource, Change] = {
        Resource(BROKER, str(broker)): dict.fromkeys(RATES, str(rate)) for broker in brokers
    }
    for topic in sorted({topic for topic, _ in after}):
        own = [partition for partition in sorted(after) if partition[0] == topic]
        moved = [one for one in own if set(after[one]) - set(before[one])]
        if moved:
            changes[Resource(TOPIC, topic)] = {
                LEADERS: _listed((one, before[one]) for one in moved),
                FOLLOWERS: _listed((one, _added(before[one], after[one])) for one in moved),
            }
    return changes


def unthrottled(after: Lists, brokers: Iterable[int]) -> dict[Resource, Change]:
    """Delete the throttles of a plan, whether they are set or not."""
    changes: dict[Resource, Change] = {
        Resource(BROKER, str(broker)): dict.fromkeys(RATES) for broker in brokers
    }
    for topic in sorted({topic for topic, _ in after}):
        changes[Resource(TOPIC, topic)] = dict.fromkeys((LEADERS, FOLLOWERS))
    return changes


def _added(before: Sequence[int], after: Sequence[int]) -> list[int]:
    return [broker for broker in after if broker not in before]


def _listed(replicas: Iterable[tuple[Partition, Sequence[int]]]) -> str:
    return ",".join(f"{number}:{broker}" for (_, number), row in replicas for broker in row)
