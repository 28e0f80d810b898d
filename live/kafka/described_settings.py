"""Settings of topics and brokers, as the cluster has them."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import TimeoutError as OutOfTime

from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    ResourceType,
)


def values(
    client: AdminClient, kind: ResourceType, name: str, keys: Iterable[str], seconds: float
) -> dict[str, str]:
    """Values by key; empty where the user may not read them.

    kind, name: Resource, such as a topic.
    seconds: Time within which brokers must answer.
    """
    resource = ConfigResource(kind, name)
    try:
        (future,) = client.describe_configs([resource], request_timeout=seconds).values()
        entries = future.result(seconds + 1)
    except (KafkaException, OutOfTime):
        return {}
    return {key: str(entries[key].value) for key in keys if key in entries}
