"""Which broker of a user's cluster has which replica. Only reads."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import TimeoutError as OutOfTime
from typing import Any, NamedTuple

from confluent_kafka import KafkaException, TopicCollection

from live.login.client_properties import ClientProperties
from live.user_cluster import cluster_access, replica_logs
from live.user_cluster.replica_logs import Partition
from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable

SECONDS = 30.0
"""Time limit of a description."""

AT_ONCE = 200
"""Topics that one request describes."""

NOT_A_TOPIC = "__cluster_metadata"
"""Log of the controllers, which brokers report among their topics."""


class ClusterPlacement(NamedTuple):
    """Replicas of a cluster."""

    racks: dict[int, str]
    """Rack of each broker that answers, by its id; empty without one."""
    replicas: dict[Partition, tuple[int, ...]]
    """Brokers of each partition, the preferred leader first, by topic and number."""
    sizes: dict[Partition, int]
    """Bytes of one replica."""


def read(bootstrap: str, properties: ClientProperties) -> ClusterPlacement:
    """Read the placement of all topics, internal ones included.

    Raises InputError if no broker answers, the user may not see all topics and logs, or partitions
        are being reassigned.
    """
    # What is wrong is reported here; the client would log each attempt.
    logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
    client, topics = cluster_access.reached(bootstrap, properties)
    nodes = _result(client.describe_cluster(request_timeout=SECONDS)).nodes
    racks = {node.id: node.rack or "" for node in nodes}
    logs = replica_logs.read(bootstrap, properties, sorted(racks))
    replicas = dict(sorted(_replicas(client, sorted(topics))))
    _check(logs.moving, logs.sizes.keys() - replicas.keys())
    return ClusterPlacement(racks, replicas, {each: logs.sizes.get(each, 0) for each in replicas})


def _replicas(client: Any, topics: list[str]) -> Iterable[tuple[Partition, tuple[int, ...]]]:
    for start in range(0, len(topics), AT_ONCE):
        names = topics[start : start + AT_ONCE]
        futures = client.describe_topics(TopicCollection(names), request_timeout=SECONDS)
        for name, future in futures.items():
            for each in _result(future).partitions:
                yield (name, each.id), tuple(node.id for node in each.replicas)


def _result(future: Any) -> Any:
    try:
        return future.result(SECONDS + 1)
    except OutOfTime:
        reason = "no answer"
    except KafkaException as error:
        reason = printable(error.args[0].str())
    raise InputError(
        f"cannot describe the cluster: {reason}; the user needs the right Describe on the cluster "
        "and on all topics"
    )


def _check(moving: list[Partition], hidden: Iterable[Partition]) -> None:
    if moving:
        raise InputError(
            f"partitions are being reassigned ({len(moving):,}, such as {_named(moving[0])}); plan "
            "when this is done (kafka-reassign-partitions --list)"
        )
    unseen = sorted({topic for topic, _ in hidden} - {NOT_A_TOPIC})
    if unseen:
        raise InputError(
            f"brokers have replicas of topics that the user may not see ({len(unseen):,}, such as "
            f"{printable(unseen[0])}); the user needs the right Describe on all topics"
        )


def _named(partition: Partition) -> str:
    return printable(f"{partition[0]}-{partition[1]}")
