"""What is measured: cells, each a group whose last member comes and goes again and again.

A reduced design: one factor at a time is varied around the centre of each protocol.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from algorithms.core.group_declarations import CLASSIC_HEARTBEAT_S, INCREMENTAL_HEARTBEAT_S

EAGER, COOPERATIVE, KIP_848 = "eager", "cooperative", "kip848"
PROTOCOLS = (EAGER, COOPERATIVE, KIP_848)

JOIN, LEAVE, CRASH = "join", "leave", "crash"
EVENTS = (JOIN, LEAVE, CRASH)
CYCLE = (JOIN, LEAVE, JOIN, CRASH)
"""Events of one repeat: the member closes its client once, and is killed once."""

REPEATS = 20

TOTAL_RATE = 400.0
"""Records per second of a topic: each partition gets one in 40 ms if there are 16."""

_CALM_S = 0.1

BATCH, SERVICE_S = 100, 0.005
"""With a backlog: records of a poll, and how long each of them takes."""

_MEMBERS, _PARTITIONS = 5, 16
_OTHER_MEMBERS, _OTHER_PARTITIONS = (2, 8, 16), (5, 64)
_SHORT_HEARTBEAT_S = 0.5
_INTERVAL_S = 1.0
_SESSION_S, _ROOM_S = 6.0, 3.0
"""Shortest session, and how much longer it is than a heartbeat."""

_CLIENTS = {
    EAGER: {"group.protocol": "classic", "partition.assignment.strategy": "range"},
    COOPERATIVE: {
        "group.protocol": "classic",
        "partition.assignment.strategy": "cooperative-sticky",
    },
    KIP_848: {"group.protocol": "consumer", "group.remote.assignor": "uniform"},
}


class Cell(NamedTuple):
    """One group."""

    protocol: str
    heartbeat_s: float
    interval_s: float = 0.0
    """Least time between two assignments of a KIP-848 group."""
    members: int = _MEMBERS
    """Members with the one that comes and goes."""
    partitions: int = _PARTITIONS
    has_backlog: bool = False

    @property
    def name(self) -> str:
        """Name of its file of results; its groups' names begin with it."""
        interval = f"-interval{self.interval_s:g}" if self.protocol == KIP_848 else ""
        backlog = "-backlog" if self.has_backlog else ""
        return (
            f"{self.protocol}-heartbeat{self.heartbeat_s:g}{interval}"
            f"-members{self.members}-partitions{self.partitions}{backlog}"
        )

    @property
    def session_s(self) -> float:
        """Time after which the broker removes a member that is silent."""
        return max(_SESSION_S, self.heartbeat_s + _ROOM_S)

    @property
    def calm_s(self) -> float:
        """How long a partition waits for a record at most where the machine is not too busy."""
        if self.has_backlog:
            return math.inf  # Its batches are of few partitions each.
        return _CALM_S + self.partitions / TOTAL_RATE

    @property
    def assignor(self) -> str:
        """The assignor as Kafka calls it."""
        client = _CLIENTS[self.protocol]
        return client.get("partition.assignment.strategy") or client["group.remote.assignor"]

    @property
    def topic(self) -> str:
        """Topic that it reads; cells of as many partitions share one."""
        return f"{'backlog' if self.has_backlog else 'steady'}-{self.partitions}"

    def client(self) -> dict[str, object]:
        """Settings of its members that are not the client's defaults."""
        own: dict[str, object] = dict(_CLIENTS[self.protocol])
        if self.protocol != KIP_848:
            own["heartbeat.interval.ms"] = round(self.heartbeat_s * 1e3)
            own["session.timeout.ms"] = round(self.session_s * 1e3)
        return own

    def group_settings(self) -> dict[str, str]:
        """Settings of its group, which the broker keeps; empty for classic protocols."""
        if self.protocol != KIP_848:
            return {}
        return {
            "consumer.heartbeat.interval.ms": str(round(self.heartbeat_s * 1e3)),
            "consumer.session.timeout.ms": str(round(self.session_s * 1e3)),
            "consumer.assignment.interval.ms": str(round(self.interval_s * 1e3)),
        }


BROKER_SETTINGS = {
    # Else a KIP-848 group has no heartbeat below 5 s, and no session below 45 s.
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.min.assignment.interval.ms": "0",
}


def centres() -> list[Cell]:
    """The centre of each protocol: Kafka's defaults, one of five members, 16 partitions."""
    return [
        Cell(EAGER, CLASSIC_HEARTBEAT_S),
        Cell(COOPERATIVE, CLASSIC_HEARTBEAT_S),
        Cell(KIP_848, INCREMENTAL_HEARTBEAT_S, _INTERVAL_S),
    ]


def design() -> list[Cell]:
    """All cells, the centres first."""
    around = [list(_around(centre)) for centre in centres()]
    return [*centres(), *(cell for rows in around for cell in rows)]


def _around(centre: Cell) -> Iterator[Cell]:
    yield centre._replace(heartbeat_s=_SHORT_HEARTBEAT_S)
    if centre.protocol == KIP_848:
        yield centre._replace(interval_s=0.0)
        yield centre._replace(heartbeat_s=_SHORT_HEARTBEAT_S, interval_s=0.0)
    yield centre._replace(has_backlog=True)
    for members in _OTHER_MEMBERS:
        yield centre._replace(members=members)
    for partitions in _OTHER_PARTITIONS:
        yield centre._replace(partitions=partitions)
