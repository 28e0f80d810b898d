"""Process of a controller that stops at the run's `HaltPoint`: as `controller_process`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from live import live_settings
from live.controller import controller_process
from live.controller.launcher_channel import LauncherChannel
from live.controller.transactions import Outgoing, TransactionalWriter
from live.protocol.group_protocol import GroupProtocol
from live.protocol.messages import Event, decode, kind_of
from pipeline.experiments.live.faults import halt_point
from pipeline.experiments.live.faults.halt_point import HaltPoint

SEND_S = 0.1
"""Time for Kafka's client to send what is written in an open transaction, seconds."""


def install(point: HaltPoint) -> None:
    """Have this process look at each moment whether to stop there."""

    def observe(group: GroupProtocol, event: Event, now: float) -> None:
        if group.is_settled:
            point.passed(halt_point.OBSERVE)

    _wrap(GroupProtocol, "restored", after=lambda: point.passed(halt_point.RECOVER))
    _wrap(GroupProtocol, "heard", before=observe)
    _wrap(GroupProtocol, "plan", after=lambda: point.passed(halt_point.DECIDE))
    _wrap(
        LauncherChannel,
        "launch",
        before=lambda *_: point.passed(halt_point.ASK),
        after=lambda: point.passed(halt_point.ASKED),
    )
    _wrap_commit(point)


def _wrap(
    owner: type,
    name: str,
    before: Callable[..., None] = lambda *_: None,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Have a method call others first, with its arguments, and last."""
    method = getattr(owner, name)

    @wraps(method)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        before(*arguments)
        result = method(*arguments, **named)
        after()
        return result

    # A class method stays bound to its class, and must not get an object as well.
    setattr(owner, name, staticmethod(wrapped) if hasattr(method, "__self__") else wrapped)


def _wrap_commit(point: HaltPoint) -> None:
    commit = TransactionalWriter.commit

    @wraps(commit)
    def wrapped(writer: TransactionalWriter, messages: Iterable[Outgoing]) -> None:
        written = list(messages)
        kinds = kinds_of(written)
        commit(writer, _then_look(written, kinds, point))
        for kind in kinds:
            point.passed(halt_point.is_committed(kind))

    setattr(TransactionalWriter, "commit", wrapped)  # noqa: B010


def kinds_of(messages: Iterable[Outgoing]) -> list[str]:
    """Kinds of the commands among messages, without repetition."""
    commands = (m.value for m in messages if m.topic.endswith(".command"))
    return sorted({kind_of(decode(value).message) for value in commands if value is not None})


def _then_look(
    messages: Iterable[Outgoing], kinds: Iterable[str], point: HaltPoint
) -> Iterator[Outgoing]:
    """Messages; after the last one, their transaction is open still."""
    yield from messages
    for kind in kinds:
        if point.is_requested(halt_point.is_open(kind)):
            time.sleep(SEND_S)
            point.passed(halt_point.is_open(kind))


if __name__ == "__main__":
    install(HaltPoint(Path(live_settings.load(Path(sys.argv[1])).folder)))
    sys.exit(controller_process.main(sys.argv[1:]))
