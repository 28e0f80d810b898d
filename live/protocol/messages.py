"""Messages between monitor, controller and consumers, and their JSON form.

Commands carry the incarnation of the consumer that they are for; a consumer skips the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from live.protocol.message_checks import (
    MAX_CONSUMERS,
    MAX_COUNT,
    MAX_NUMBER,
    MAX_PARTITIONS,
    MAX_RATE,
    MAX_SPAN,
    WHOLE,
    Check,
    InvalidMessage,
    by_partition,
    fields,
    integer,
    number,
    rows,
)

VERSION = 1
"""Version of the format, field ``v``."""

MAX_BYTES = 100_000
"""Size of an encoded message; one about 200 partitions takes 20,000 bytes."""


class PartitionEpoch(NamedTuple):
    """One tenure of a partition: each start of it, anywhere, has the next epoch."""

    partition: int
    epoch: int


class PartitionOffset(NamedTuple):
    """A tenure, and the offset of the record to process next."""

    partition: int
    epoch: int
    offset: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """Speeds of the partitions, from the monitor."""

    sequence: int
    """Number of the measurement; grows by one."""
    span_s: float
    """Time that the speeds are a mean of, seconds."""
    speeds: Mapping[int, float]
    """Bytes/s by partition."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Command: stop processing these tenures, write their progress, and answer `Stopped`."""

    incarnation: int
    plan: int
    partitions: tuple[PartitionEpoch, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """Command: process these partitions from the given offsets, and answer `Started`."""

    incarnation: int
    plan: int
    partitions: tuple[PartitionOffset, ...]


@dataclass(frozen=True, slots=True)
class End:
    """Command: leave the group, answer `Bye`, and end the process."""

    incarnation: int


@dataclass(frozen=True, slots=True)
class Hello:
    """Event: the consumer is ready for commands."""

    consumer: int
    incarnation: int
    """`consumer`, `incarnation`: slot of the consumer, and how many processes the slot has had,
    this one included."""
    pid: int
    """Process id."""
    began_ns: int
    """When the process began, nanoseconds of the system clock."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Event: progress up to these offsets is written, and nothing more will be processed."""

    consumer: int
    incarnation: int
    plan: int
    partitions: tuple[PartitionOffset, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """Event: these partitions are assigned."""

    consumer: int
    incarnation: int
    plan: int
    partitions: tuple[PartitionEpoch, ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """Event: the consumer is alive."""

    consumer: int
    incarnation: int
    """`consumer`, `incarnation`: as in `Hello`."""
    owned: Mapping[int, int]
    """Epochs by partition."""
    processed: int
    """Records processed since the process began."""


@dataclass(frozen=True, slots=True)
class Bye:
    """Event: the process ends; its progress is written."""

    consumer: int
    incarnation: int


Command = Stop | Start | End
Event = Hello | Stopped | Started | Beat | Bye
Message = Measurement | Command | Event


class Received(NamedTuple):
    """A decoded message, and when it was sent, in nanoseconds of the sender's system clock."""

    message: Message
    at_ns: int


_COUNT = integer(0, MAX_COUNT)
_NUMBER = integer(1, MAX_NUMBER)
_PARTITION = integer(0, MAX_PARTITIONS - 1)
_EPOCHS = rows(PartitionEpoch, {"partition": _PARTITION, "epoch": _NUMBER})
_OFFSETS = rows(PartitionOffset, {"partition": _PARTITION, "epoch": _NUMBER, "offset": _COUNT})
_PROCESS: dict[str, Check] = {"consumer": integer(0, MAX_CONSUMERS - 1), "incarnation": _NUMBER}
_ADDRESSEE: dict[str, Check] = {"incarnation": _NUMBER}
_SPEEDS = by_partition(number(MAX_RATE))

_KINDS: dict[str, tuple[type[Message], dict[str, Check]]] = {
    "measurement": (
        Measurement,
        {"sequence": _COUNT, "span_s": number(MAX_SPAN), "speeds": _SPEEDS},
    ),
    "stop": (Stop, {**_ADDRESSEE, "plan": _NUMBER, "partitions": _EPOCHS}),
    "start": (Start, {**_ADDRESSEE, "plan": _NUMBER, "partitions": _OFFSETS}),
    "end": (End, _ADDRESSEE),
    "hello": (Hello, {**_PROCESS, "pid": _NUMBER, "began_ns": _COUNT}),
    "stopped": (Stopped, {**_PROCESS, "plan": _NUMBER, "partitions": _OFFSETS}),
    "started": (Started, {**_PROCESS, "plan": _NUMBER, "partitions": _EPOCHS}),
    "beat": (Beat, {**_PROCESS, "owned": by_partition(_NUMBER), "processed": _COUNT}),
    "bye": (Bye, _PROCESS),
}

_HEAD: dict[str, Check] = {"v": integer(VERSION, VERSION), "kind": lambda _, kind: kind}
_CHECKS = {
    kind: fields({**_HEAD, "at_ns": _COUNT, **checks}) for kind, (_, checks) in _KINDS.items()
}
_NAMES = {kind: name for name, (kind, _) in _KINDS.items()}


def kind_of(message: Message) -> str:
    """Name of a message's kind, as in field ``kind``."""
    return _NAMES[type(message)]


def encode(message: Message, at_ns: int) -> bytes:
    """A message as JSON, sent at ns of the system clock. Raises ValueError unless finite."""
    kind = kind_of(message)
    body = {name: _plain(getattr(message, name)) for name in _KINDS[kind][1]}
    content = {"v": VERSION, "kind": kind, "at_ns": at_ns, **body}
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [row._asdict() for row in value]
    return dict(value) if isinstance(value, Mapping) else value


def decode(data: bytes) -> Received:
    """Decode a message and check all of it.

    Raises InvalidMessage if it is not JSON, or of another version or unknown kind, or if a field is
        missing, unknown, of another type or out of bounds.
    """
    content = _parsed(data)
    version, kind = content.get("v"), content.get("kind")
    if type(version) is not int or version != VERSION:
        raise InvalidMessage("v", version, str(VERSION))
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidMessage("kind", kind, "one of " + ", ".join(_KINDS))
    values = _CHECKS[kind](WHOLE, content)
    message, checks = _KINDS[kind]
    return Received(message(**{name: values[name] for name in checks}), values["at_ns"])


def _parsed(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise InvalidMessage(WHOLE, data, f"at most {MAX_BYTES:,} bytes long")
    try:
        content = json.loads(data.decode("utf-8"), object_pairs_hook=_without_duplicates)
    except InvalidMessage:
        raise
    except (ValueError, RecursionError):
        raise InvalidMessage(WHOLE, data, "JSON") from None
    if not isinstance(content, dict):
        raise InvalidMessage(WHOLE, content, "a JSON object")
    return content


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise InvalidMessage(WHOLE, names, "an object without duplicate names")
    return dict(pairs)
