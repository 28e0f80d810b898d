"""Settings of KIP-848 groups, which the broker keeps and tells the members."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from live.kafka import admin_client, described_settings
from pipeline.base.errors import StageError

_SECONDS = 10.0


def apply(bootstrap: str, group: str, settings: Mapping[str, str]) -> None:
    """Set them, and wait until they are.

    Raises StageError if the broker still has others after some seconds.
    Raises KafkaException if it does not know one.
    """
    if not settings:
        return
    client = admin_client.connect(bootstrap)
    entries = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        for name, value in settings.items()
    ]
    resource = ConfigResource(ResourceType.GROUP, group, incremental_configs=entries)
    for future in client.incremental_alter_configs([resource]).values():
        future.result(_SECONDS)

    def are_set() -> bool:
        kind = ResourceType.GROUP
        return described_settings.values(client, kind, group, settings, _SECONDS) == settings

    # A broker learns of them from the metadata log.
    if not admin_client.waited_for(are_set, _SECONDS):
        raise StageError(f"the settings of group {group} do not become {dict(settings)}")
