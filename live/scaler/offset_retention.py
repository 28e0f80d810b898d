"""A note on brokers that forget the commits of an idle group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka.admin import ResourceType  # type: ignore[attr-defined]

from live.kafka import described_settings
from live.scaler.group_look import Look
from live.scaler.idle_settings import LATEST
from live.scaler.look_clients import CALL_S, LookClients
from live.scaler.scaler_settings import ScalerTarget

KEY = "offsets.retention.minutes"

_WEEK_MINUTES = 7 * 24 * 60
"""A group that works on some days of the week is idle for less."""

Log = Callable[..., None]


def note(admin: Any, broker: int, target: ScalerTarget) -> str:
    """What a short retention means for a group; empty if it is a week, or not known."""
    known = described_settings.values(admin, ResourceType.BROKER, str(broker), [KEY], CALL_S)
    minutes = int(known.get(KEY, _WEEK_MINUTES))
    if minutes >= _WEEK_MINUTES:
        return ""
    is_latest = target.offset_reset == LATEST
    begun = "skips what came before it" if is_latest else "reads all that is stored again"
    return (
        f"brokers forget the commits of a group without members after {minutes:,} minutes "
        f"({KEY}); the next member then {begun}; raise it above the group's longest idle time"
    )


def noting_looks(
    clients: LookClients, name: str, target: ScalerTarget, log: Log
) -> Callable[[], Look]:
    """Takes looks; logs the note, if there is one, after the first that is complete."""
    is_noted = False

    def look() -> Look:
        nonlocal is_noted
        taken = clients.look()
        if not is_noted:
            is_noted = True
            said = note(clients.admin, taken.leaders[0], target)
            if said:
                log("note", group=name, reason=said)
        return taken

    return look
