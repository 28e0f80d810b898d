"""The consumer of a live run: ``from live.consumer import Consumer``."""

from live.consumer.consumer import Consumer
from live.consumer.record_queues import ConsumedRecord

__all__ = ["ConsumedRecord", "Consumer"]
