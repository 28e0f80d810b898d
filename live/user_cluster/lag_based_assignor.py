"""The lag-aware assignor of KIP-169, for groups of kafka-python's consumers.

    settings = {"bootstrap_servers": "b1:9092", "group_id": "g", "auto_offset_reset": "earliest"}
    assignor = LagBasedAssignor(**settings)
    consumer = KafkaConsumer("t", partition_assignment_strategy=[assignor], **settings)

Only the leader of the group assigns, on each rebalance; a rebalance happens when members or
partitions change, not when lags do.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafka import KafkaAdminClient
from kafka.admin import OffsetSpec
from kafka.coordinator.assignors.abstract import (
    AbstractPartitionAssignor,
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from kafka.errors import KafkaConfigurationError
from kafka.structs import TopicPartition

from algorithms.assignment import assignors

LATEST = "latest"
"""Reset policy by default, as that of Kafka's consumers."""

CALL_MS = 10_000
"""Time limit of a question to the brokers, milliseconds; the group waits meanwhile."""

log = logging.getLogger(__name__)

Lags = dict[str, dict[int, int]]


class Offsets(NamedTuple):
    """Offsets of partitions."""

    committed: Mapping[TopicPartition, int]
    """The group's, of those partitions that have one."""
    begin: Mapping[TopicPartition, int]
    """First offsets, of the other partitions."""
    end: Mapping[TopicPartition, int]
    """Offsets of the next records, of all partitions."""


class LagBasedAssignor(AbstractPartitionAssignor):  # type: ignore[misc]
    """Spreads each topic's partitions evenly by number first, then by lag.

    Lag is the end offset minus the committed offset. Where nothing is committed, it is 0 if
    ``auto_offset_reset`` is ``latest`` (the default), and else all that is stored. See
    `algorithms.assignment.assignors.lag_based` for the rule.

    **settings: Settings of the consumer that the assignor is for; all members must have the same
        ``group_id`` and ``auto_offset_reset``.
    Raises KafkaConfigurationError: Without ``group_id``.
    """

    name = "lag"
    version = 0

    def __init__(self, **settings: Any) -> None:
        if not settings.get("group_id"):
            raise KafkaConfigurationError("group_id is required by LagBasedAssignor")
        self._group = str(settings["group_id"])
        self._reset = str(settings.get("auto_offset_reset") or LATEST)
        names = settings.keys() & KafkaAdminClient.DEFAULT_CONFIG.keys()
        self._settings = {name: settings[name] for name in names}
        self._settings["client_id"] = f"{self._group}.assignor"
        self._settings.setdefault("request_timeout_ms", CALL_MS)
        self._settings.setdefault("bootstrap_timeout_ms", CALL_MS)

    def assign(self, cluster: Any, members: Sequence[Any]) -> dict[str, Any]:
        """Assign the partitions of all subscribed topics.

        Raises KafkaError if the offsets cannot be read. The consumer joins again if that may help,
            and else raises it from `poll`.
        """
        topics = {member.member_id: tuple(member.metadata.topics) for member in members}
        partitions = _partitions(
            cluster, sorted({name for names in topics.values() for name in names})
        )
        assignment = assignors.lag_based(self._lags(partitions), topics)
        return {member: _encoded(self.version, rows) for member, rows in assignment.items()}

    def metadata(self, topics: Iterable[str]) -> Any:
        """Subscription that a member joins with; lags are read by the leader alone."""
        return ConsumerProtocolSubscription(self.version, list(topics), b"")

    def on_assignment(self, assignment: Any, generation: int) -> None:
        """Nothing is kept from one rebalance to the next."""

    def _lags(self, partitions: Sequence[TopicPartition]) -> Lags:
        if not partitions:
            return {}
        offsets = self._offsets(partitions)
        lags: Lags = {}
        for each in partitions:
            lag = assignors.lag(
                offsets.committed.get(each),
                offsets.begin.get(each, 0),
                offsets.end[each],
                self._reset,
            )
            lags.setdefault(each.topic, {})[each.partition] = lag
        return lags

    def _offsets(self, partitions: Sequence[TopicPartition]) -> Offsets:
        """Ask the brokers, through a client that lives as long as this call."""
        client = KafkaAdminClient(**self._settings)
        try:
            groups = client.list_group_offsets({self._group: list(partitions)})
            offsets = groups[self._group]
            committed = {each: row.offset for each, row in offsets.items() if row.offset >= 0}
            rest = [each for each in partitions if each not in committed]
            return Offsets(
                committed,
                _listed(client, rest, OffsetSpec.EARLIEST),
                _listed(client, partitions, OffsetSpec.LATEST),
            )
        finally:
            client.close()


def _partitions(cluster: Any, topics: Sequence[str]) -> list[TopicPartition]:
    partitions = []
    for topic in topics:
        numbers = cluster.partitions_for_topic(topic)
        if not numbers:
            # The group's leader learns of it soon, and then rebalances again.
            log.warning("no metadata of topic %s yet: its partitions are not assigned", topic)
            continue
        partitions += [TopicPartition(topic, number) for number in sorted(numbers)]
    return partitions


def _listed(
    client: Any, partitions: Sequence[TopicPartition], which: OffsetSpec
) -> dict[TopicPartition, int]:
    if not partitions:
        return {}
    rows = client.list_partition_offsets(dict.fromkeys(partitions, which))
    return {each: row.offset for each, row in rows.items()}


def _encoded(version: int, rows: Iterable[tuple[str, int]]) -> Any:
    by_topic: dict[str, list[int]] = {}
    for topic, partition in rows:
        by_topic.setdefault(topic, []).append(partition)
    named = [(topic, sorted(numbers)) for topic, numbers in sorted(by_topic.items())]
    return ConsumerProtocolAssignment(version, named, b"")
