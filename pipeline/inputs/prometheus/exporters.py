"""Exporters of Kafka's offsets, and what they call them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class Exporter(NamedTuple):
    """Names of metrics and labels; empty where an exporter has none."""

    name: str
    ends: tuple[str, ...]
    """End offsets of partitions: one metric, under each name that it may have."""
    committed: str = ""
    lag: str = ""
    """`committed`, `lag`: of a group, by partition."""
    lag_s: str = ""
    """Time lag of a group, by partition, seconds."""
    members: str = ""
    """Number of members of a group."""
    topic: str = "topic"
    partition: str = "partition"
    group: str = "group"
    member: str = ""
    """Label of `committed` that names the member which reads a partition."""

    @property
    def of_groups(self) -> str:
        """The metric that follows a group by partition; empty if there is none."""
        return self.committed or self.lag

    @property
    def metrics(self) -> tuple[str, ...]:
        """All names."""
        return tuple(filter(None, (*self.ends, self.committed, self.lag, self.members)))


EXPORTERS = (
    Exporter(
        "kafka_exporter",
        ("kafka_topic_partition_current_offset",),
        "kafka_consumergroup_current_offset",
        "kafka_consumergroup_lag",
        members="kafka_consumergroup_members",
        group="consumergroup",
    ),
    Exporter(
        "KMinion",
        ("kminion_kafka_topic_partition_high_water_mark",),
        lag="kminion_kafka_consumer_group_topic_partition_lag",
        members="kminion_kafka_consumer_group_members",
        topic="topic_name",
        partition="partition_id",
        group="group_id",
    ),
    Exporter(
        "Kafka Lag Exporter",
        ("kafka_partition_latest_offset",),
        "kafka_consumergroup_group_offset",
        "kafka_consumergroup_group_lag",
        "kafka_consumergroup_group_lag_seconds",
        member="consumer_id",
    ),
    Exporter(
        "Burrow exporter",
        ("kafka_burrow_topic_partition_offset",),
        "kafka_burrow_partition_current_offset",
        "kafka_burrow_partition_lag",
    ),
    Exporter(
        "JMX exporter",
        (
            "kafka_log_log_logendoffset",
            "kafka_log_Log_LogEndOffset",
            "kafka_log_Log_LogEndOffset_Value",
        ),
    ),
)
"""The first one whose end offsets are there counts, and for the group the first that has some."""

ALL = tuple(metric for exporter in EXPORTERS for metric in exporter.metrics)


class Source(NamedTuple):
    """A metric, and the exporter that has it."""

    exporter: Exporter
    metric: str


def of_ends(present: Collection[str]) -> Source | None:
    """End offsets among the metrics that are there."""
    pairs = (Source(one, metric) for one in EXPORTERS for metric in one.ends)
    return next((source for source in pairs if source.metric in present), None)


def of_groups(present: Collection[str]) -> Source | None:
    """What groups have committed, or their lag, among the metrics that are there."""
    pairs = (Source(one, metric) for one in EXPORTERS for metric in (one.committed, one.lag))
    return next((source for source in pairs if source.metric in present), None)
