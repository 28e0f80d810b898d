"""Which incarnation of a consumer the controller asks for, from topic `state`."""

from __future__ import annotations

from live.kubernetes.state_reader import StateReader
from live.live_settings import LiveSettings
from live.protocol import group_records


class LaunchOrders:
    """Follows the record of one consumer."""

    def __init__(self, settings: LiveSettings, slot: int) -> None:
        self._key = group_records.consumer_key(slot)
        self._asked: int | None = None
        self._reader = StateReader(settings)

    def next(self, after: int, wait_s: float) -> int | None:
        """The incarnation to start, if it is a later one; None if none is asked for in time.

        after: The last incarnation that was started here; 0 for none.
        """
        for key, value in self._reader.read(wait_s):
            if key == self._key:
                self._asked = group_records.asked_incarnation(value)
        if not self._reader.is_caught_up or self._asked is None or self._asked <= after:
            return None
        return self._asked

    def close(self) -> None:
        """End reading."""
        self._reader.close()
