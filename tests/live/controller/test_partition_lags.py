"""The thread that follows lags, without a broker."""

from __future__ import annotations

import threading

import pytest

from live.controller.partition_lags import LagReader
from tests.live.short_settings import short_settings


@pytest.mark.slow
def test_its_thread_ends_with_the_reader() -> None:
    """Each recovery of a controller makes a new reader."""
    before = set(threading.enumerate())
    reader = LagReader(short_settings(), print)
    (thread,) = set(threading.enumerate()) - before
    assert reader.take().records.tolist() == [0.0, 0.0]
    assert thread.is_alive()
    del reader
    thread.join(20)
    assert not thread.is_alive()
