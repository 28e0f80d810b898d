"""What the launcher says of ends of processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from live.controller.launcher_channel import LauncherChannel, LauncherGone
from live.processes.line_channel import send

pytestmark = pytest.mark.unit


@pytest.fixture
def pipe() -> Iterator[tuple[LauncherChannel, int]]:
    reading, writing = os.pipe()
    yield LauncherChannel(reading, -1), writing
    os.close(reading)


def test_ends_are_waited_for_and_stay(pipe: tuple[LauncherChannel, int]) -> None:
    channel, writing = pipe
    assert channel.have_ended([], 0.0)
    assert not channel.have_ended([(3, 1)], 0.02)
    threading.Timer(0.05, send, (writing, {"exited": [3, 1, -9]})).start()
    assert channel.have_ended([(3, 1)], 5.0)
    assert not channel.have_ended([(3, 1), (3, 2)], 0.0)
    assert channel.exits() == [(3, 1, -9)]
    assert channel.exits() == []
    assert channel.have_ended([(3, 1)], 0.0)
    os.close(writing)


def test_a_launcher_that_has_gone_is_noticed(pipe: tuple[LauncherChannel, int]) -> None:
    channel, writing = pipe
    os.close(writing)
    with pytest.raises(LauncherGone):
        channel.have_ended([(3, 1)], 5.0)
