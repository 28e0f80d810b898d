"""The four clients of a consumer, and their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from live.consumer.command_reader import CommandReader
from live.consumer.data_reader import DataReader
from live.consumer.event_sender import EventSender
from live.consumer.progress_writer import ProgressWriter
from live.live_settings import FIXED_FIRST, LiveSettings
from live.records import fetch_sizes

CALL_S = 5.0
"""Longest call to the brokers, seconds."""

COMMAND_WAIT_MS = 100
"""How long a broker holds an answer without commands: the delay of `hello` after the first one."""

DATA_WAIT_MS = 50
"""How long a broker holds an answer without records: a new partition waits for it to return."""

Settings = dict[str, object]


@dataclass(frozen=True, slots=True)
class Connections:
    """What a consumer reads from and writes to."""

    data: DataReader
    commands: CommandReader
    events: EventSender
    progress: ProgressWriter
    """`data`, `commands`, `events`, `progress`: one client for each topic."""


def call_s(settings: LiveSettings) -> float:
    """Time limit of a call: several fit into a lease, as each is a turn of the loop."""
    return min(CALL_S, settings.lease_s / 4)


def connect(
    settings: LiveSettings,
    slot: int,
    now: Callable[[], int],
    note: Callable[[str], None],
    properties: Mapping[str, str] | None = None,
) -> Connections:
    """Create the clients; they connect in the background.

    now: Nanoseconds of the run's clock.
    note: Called with an explanation of what a client reports.
    properties: Further settings of all clients, such as ``sasl.username``.
    """
    common = {**client_settings(settings, slot), **(properties or {})}
    moved_ns = int(settings.iteration_s * 1e9) if settings.order == FIXED_FIRST else None
    return Connections(
        DataReader(
            {**common, **data_settings(settings)},
            settings.topic("data"),
            now,
            note,
            moved_ns,
            fetch_sizes.queue_bytes(settings),
        ),
        CommandReader({**common, **_COMMANDS}, settings.topic("command"), slot, note),
        EventSender({**common, **_EVENTS}, settings.topic("event"), now),
        ProgressWriter(
            {**common, **_PROGRESS, "transactional.id": settings.slot(slot)},
            settings.topic("progress"),
            call_s(settings),
        ),
    )


def client_settings(settings: LiveSettings, slot: int) -> Settings:
    """Settings that all clients of a consumer have, and members of Kafka's own groups."""
    return {
        **settings.security.confluent,
        "bootstrap.servers": settings.bootstrap,
        "client.id": settings.slot(slot),
        "log_level": 3,
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 500,
    }


def data_settings(settings: LiveSettings) -> Settings:
    """Settings of the data reader, which keep buffers below 1 s of C̄, and partitions equal.

    A batch that is larger than these limits is fetched all the same, alone.
    """
    share = fetch_sizes.partition_bytes(settings)
    return {
        **_READER,
        "auto.offset.reset": "error",
        # A user's producers may have transactions; what they abort must not be processed.
        "isolation.level": "read_committed" if settings.data_topic else "read_uncommitted",
        "fetch.wait.max.ms": DATA_WAIT_MS,
        "fetch.queue.backoff.ms": 10,
        "queued.max.messages.kbytes": fetch_sizes.client_bytes(settings) // 1024,
        "fetch.max.bytes": fetch_sizes.answer_bytes(settings),
        "max.partition.fetch.bytes": share,
        # The client raises `fetch.max.bytes` to this, which is 1 MB by default.
        "message.max.bytes": share,
    }


_READER: Settings = {
    # The client requires a name; no group is joined and no offset is committed.
    "group.id": "unused",
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "fetch.error.backoff.ms": 50,
}

_COMMANDS: Settings = {
    **_READER,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": COMMAND_WAIT_MS,
}

_EVENTS: Settings = {
    "acks": "all",
    "linger.ms": 0,
    # Order is kept over retries; an event that comes twice does no harm.
    "max.in.flight.requests.per.connection": 1,
    "message.timeout.ms": 30_000,
    "retry.backoff.ms": 50,
}

_PROGRESS: Settings = {
    # Longer than a restart of the broker takes, which must not end the consumer.
    "transaction.timeout.ms": 60_000,
    "linger.ms": 0,
    "retry.backoff.ms": 50,
}
