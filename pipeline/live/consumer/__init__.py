"""The consumer of a live run: ``from pipeline.live.consumer import Consumer``."""

from pipeline.live.consumer.consumer import Consumer
from pipeline.live.consumer.record_queues import ConsumedRecord

__all__ = ["ConsumedRecord", "Consumer"]
