"""Sizes of all replicas, and the reassignments under way, as the brokers report them.

It uses kafka-python: librdkafka knows neither request.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import closing
from typing import Any, NamedTuple

from kafka.errors import KafkaError

from live.groups import client_internals
from live.login.client_properties import ClientProperties
from live.speeds.log_sizes import aside, connected
from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable

READ_SECONDS = 60.0
"""Time limit of all requests."""

Partition = tuple[str, int]
"""Topic and number."""


class ReplicaLogs(NamedTuple):
    """Logs on the brokers that answer."""

    sizes: dict[Partition, int]
    """Bytes of each partition's largest replica."""
    moving: list[Partition]
    """Partitions whose reassignment is under way."""


def read(bootstrap: str, properties: ClientProperties, brokers: Iterable[int]) -> ReplicaLogs:
    """Read the logs of all replicas on these brokers.

    Raises InputError if a broker does not answer in time, or the user may not see its logs.
    """

    def measure() -> ReplicaLogs:
        with closing(connected(bootstrap.split(","), properties.kafka_python)) as client:
            sizes: dict[Partition, int] = {}
            for broker in brokers:
                for partition, size in _of_broker(client, broker):
                    sizes[partition] = max(size, sizes.get(partition, 0))
            moving = client.list_partition_reassignments()
            return ReplicaLogs(sizes, sorted((each.topic, each.partition) for each in moving))

    reason = f"no answer within {READ_SECONDS:g} s"
    try:
        return aside(measure).result(READ_SECONDS)
    except OutOfTime:
        pass
    except (KafkaError, OSError) as error:
        reason = printable(f"{type(error).__name__} {error}".strip())
    raise InputError(
        f"the brokers do not report their logs ({reason}); the user needs the right Describe on "
        "the cluster (kafka-acls --add --operation Describe --cluster), and all brokers must be "
        "reachable at their advertised addresses"
    )


def _of_broker(client: Any, broker: int) -> Iterable[tuple[Partition, int]]:
    folders = client_internals.log_dirs(client, broker)
    # Without the right, the answer is empty, and the client does not say why.
    if not folders:
        raise KafkaError(f"of broker {broker}: no logs")
    for folder in folders:
        if folder["error_code"]:
            raise KafkaError(f"of broker {broker}: error {folder['error_code']}")
        for topic in folder["topics"]:
            for each in topic["partitions"]:
                yield (topic["name"], each["partition_index"]), each["partition_size"]
