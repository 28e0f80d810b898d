"""Settings of the members of Kafka's own groups."""

from __future__ import annotations

from live.consumer.consumer_connections import Settings, data_settings
from live.live_settings import LiveSettings
from live.strategy_kinds import CLASSIC, KIP_848

# Heartbeats and sessions keep Kafka's defaults: 3 s and 45 s, with KIP-848 5 s and 45 s.
_PROTOCOLS: dict[str, Settings] = {
    CLASSIC: {"group.protocol": "classic", "partition.assignment.strategy": "cooperative-sticky"},
    KIP_848: {"group.protocol": "consumer", "group.remote.assignor": "uniform"},
}


def group_id(settings: LiveSettings) -> str:
    """Name of a run's group."""
    return f"gs.{settings.run}.group"


def member_settings(settings: LiveSettings, slot: int, protocol: str) -> Settings:
    """Settings of a member's client; its buffers are those of the controller's consumers.

    protocol: ``classic`` or ``848``.
    Raises KeyError if the protocol is unknown.
    """
    return {
        **settings.security.confluent,
        "bootstrap.servers": settings.bootstrap,
        "client.id": settings.slot(slot),
        "log_level": 3,
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 500,
        **data_settings(settings),
        **_PROTOCOLS[protocol],
        "group.id": group_id(settings),
        # A group that has committed nothing yet begins with the first record.
        "auto.offset.reset": "earliest",
    }
