"""A private interface of kafka-python: a member that joins its group again without a cause.

Its public interface has no call for that; Java's is ``enforceRebalance``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafka import KafkaConsumer

TRIED = {"kafka-python": "3.0."}
"""Prefix of the version that this module was tested with, which is the one that is installed."""


def request_rejoin(consumer: KafkaConsumer) -> None:
    """Have a member join again at its next poll; of a stable group, only the leader's counts."""
    consumer._coordinator.request_rejoin()
