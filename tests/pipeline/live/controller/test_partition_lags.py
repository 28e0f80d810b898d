"""The thread that follows lags, without a broker."""

from __future__ import annotations

import threading

from pipeline.live.controller.partition_lags import LagReader
from pipeline.live.live_settings import LiveSettings

SETTINGS = LiveSettings(
    run="r",
    bootstrap="127.0.0.1:1",
    folder="",
    partitions=2,
    capacity=1.0,
    consumer_rate=1.0,
    iteration_s=5.0,
    iterations=1,
)


def test_its_thread_ends_with_the_reader() -> None:
    """Each recovery of a controller makes a new reader."""
    before = set(threading.enumerate())
    reader = LagReader(SETTINGS, print)
    (thread,) = set(threading.enumerate()) - before
    assert reader.take().records.tolist() == [0.0, 0.0]
    assert thread.is_alive()
    del reader
    thread.join(20)
    assert not thread.is_alive()
