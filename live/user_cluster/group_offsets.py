"""Ends of a topic's partitions, and how far a group has read them. Only reads."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import TimeoutError as OutOfTime

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from live.kafka import log_offsets
from live.user_cluster.cluster_access import TopicAccess, client_settings
from pipeline.base.errors import InputError

Offsets = dict[int, int]


class GroupOffsets:
    """Reads offsets of a group; of None, ends alone."""

    def __init__(self, to: TopicAccess, group: str | None) -> None:
        self._to = to
        self._consumer = _silent(to, group)
        self.group = group

    def check(self, seconds: float) -> None:
        """Check that the user may see the group; the offsets of another one seem not to answer.

        Raises InputError if the brokers say no. A group that does not exist is not an error.
        """
        if self.group is None:
            return
        futures = self._to.client.describe_consumer_groups([self.group], request_timeout=seconds)
        try:
            futures[self.group].result(seconds + 1)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
                raise InputError(_refused(self.group)) from None
        except OutOfTime:
            return

    def ends(self, partitions: Iterable[int], seconds: float) -> Offsets:
        """Offset of the next record by partition, of those whose leader answers in time."""
        return log_offsets.ends(self._consumer, self._to.topic, partitions, seconds)

    def committed(self, partitions: Iterable[int], seconds: float) -> Offsets:
        """Committed offset by partition, of those that have one; none if nobody answers in time."""
        if self.group is None:
            return {}
        places = [TopicPartition(self._to.topic, number) for number in partitions]
        try:
            rows = self._consumer.committed(places, timeout=seconds)
        except KafkaException:
            return {}
        return {row.partition: row.offset for row in rows if row.offset >= 0 and not row.error}

    def close(self) -> None:
        """Close the connection."""
        self._consumer.close()


def _silent(to: TopicAccess, group: str | None) -> Consumer:
    """A consumer that joins no group and commits nothing.

    The admin client's question for a group's offsets ends the process where a broker answers with
    an error for the group as a whole (confluent-kafka 2.16.1); a consumer's does not.
    """
    settings = client_settings(to.bootstrap, to.properties)
    named = {} if group is None else {"group.id": group}
    return log_offsets.reader(to.bootstrap, {**settings, **named})


def _refused(group: str) -> str:
    return (
        f"no permission to read the offsets of group {group!r}; the user needs the right Describe "
        "on it (kafka-acls --add --operation Describe --group …)"
    )
