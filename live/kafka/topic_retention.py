"""Whether a topic keeps its records for as long as a run needs them."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka.admin import AdminClient, ResourceType  # type: ignore[attr-defined]

from live.kafka import described_settings
from live.kafka.admin_client import CALL_SECONDS
from pipeline.base.errors import InputError

LIMITS = ("retention.ms", "retention.bytes")
"""Settings that let a topic's records go."""


def check(client: AdminClient, topic: str, asked: Mapping[str, str] | None) -> None:
    """Check that a cluster's policies have not shortened the retention of a new topic.

    A user who may not read settings is taken to have those that were asked for.

    asked: Settings that were asked for; one without a limit, or left out, is ``-1``.
    Raises InputError if records may go before the run has processed them.
    """
    actual = described_settings.values(client, ResourceType.TOPIC, topic, LIMITS, CALL_SECONDS)
    compare(topic, actual, asked)


def compare(topic: str, actual: Mapping[str, str], asked: Mapping[str, str] | None) -> None:
    """Check limits among the settings of a topic. Raises InputError as `check`."""
    for name in LIMITS:
        value = actual.get(name, "-1")
        least = int((asked or {}).get(name, -1))
        if int(value) >= 0 and not 0 <= least <= int(value):
            raise InputError(
                f"`{name}` of topic {topic} must be {least}, since a run may lag behind (the "
                f"cluster has set {value}); change its policy, or run without --bootstrap"
            )
