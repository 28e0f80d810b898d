"""Settings of the members of Kafka's own groups."""

from __future__ import annotations

from live.consumer.consumer_connections import Settings, client_settings, data_settings
from live.groups import keda_rule
from live.live_settings import LiveSettings
from live.strategy_kinds import CLASSIC, KIP_848

# Sessions keep Kafka's default, 45 s, and so do heartbeats with KIP-848, 5 s: the brokers set them.
_PROTOCOLS: dict[str, Settings] = {
    CLASSIC: {"group.protocol": "classic", "partition.assignment.strategy": "cooperative-sticky"},
    KIP_848: {"group.protocol": "consumer", "group.remote.assignor": "uniform"},
}

_HEARTBEAT_S, _LEAST_MS = 3.0, 100
"""Kafka's default for classic groups, seconds, and the shortest time, milliseconds."""


def group_id(settings: LiveSettings) -> str:
    """Name of a run's group."""
    return f"gs.{settings.run}.group"


def heartbeat_ms(settings: LiveSettings) -> int:
    """Time between the heartbeats of a classic group's member, scaled as KEDA's times are.

    With one, members learn of each round of a rebalance: else rebalances would take too much of a
    run in which strategies decide faster. A session must have room for some.
    """
    own_ns = min(keda_rule.scaled_ns(_HEARTBEAT_S, settings.iteration_s), _HEARTBEAT_S * 1e9)
    return max(round(own_ns / 1e6), _LEAST_MS)


def member_settings(settings: LiveSettings, slot: int, protocol: str) -> Settings:
    """Settings of a member's client; its buffers are those of the controller's consumers.

    protocol: ``classic`` or ``848``.
    Raises KeyError if the protocol is unknown.
    """
    own = dict(_PROTOCOLS[protocol])
    if protocol == CLASSIC:
        own["heartbeat.interval.ms"] = heartbeat_ms(settings)
    return {
        **client_settings(settings, slot),
        **data_settings(settings),
        **own,
        "group.id": group_id(settings),
        # A group that has committed nothing yet begins with the first record.
        "auto.offset.reset": "earliest",
    }
