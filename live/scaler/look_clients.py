"""Clients that look at one group of a user's cluster; they connect when they are first used."""

from __future__ import annotations

import time
from typing import Any

from live.kafka import log_offsets
from live.scaler import group_look
from live.scaler.group_look import Look
from live.scaler.scaler_settings import ScalerSettings, ScalerTarget
from live.user_cluster import cluster_access
from live.user_cluster.connection_faults import ConnectionFaults

CALL_S = 4.0
"""Time limit of each question to the brokers, seconds."""


class LookClients:
    """Raises InputError if the login's settings are not valid; brokers need not answer yet."""

    def __init__(self, settings: ScalerSettings, target: ScalerTarget) -> None:
        bootstrap, properties = settings.bootstrap, settings.properties
        self._bootstrap, self._target = bootstrap, target
        self._faults = ConnectionFaults()
        self.admin: Any = cluster_access.unconnected(bootstrap, properties, self._faults)
        own = cluster_access.client_settings(bootstrap, properties)
        self.consumer: Any = log_offsets.reader(bootstrap, {**own, "group.id": target.group})

    def now_s(self) -> float:
        """The monotonic clock, seconds."""
        return time.monotonic()

    def fault(self) -> str:
        """Why brokers do not answer, as far as the library has said it since the last look."""
        self.admin.poll(0)
        return self._faults.message(self._bootstrap, CALL_S) if self._faults.are_any else ""

    def look(self) -> Look:
        """Take a look. Raises NoLook if it is not complete."""
        self._faults.clear()
        return group_look.take(self, self._target.topics, self._target.group, CALL_S)
