"""Lets the last member of a group come and go, and measures each time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from live.records.run_clock import RunClock
from tools.bench.rebalances import event_rows, event_times, hosts
from tools.bench.rebalances.broker_log import BrokerLog, Logged, round_times
from tools.bench.rebalances.cells import BATCH, CRASH, JOIN, LEAVE, SERVICE_S, Cell
from tools.bench.rebalances.event_times import Owners
from tools.bench.rebalances.group_files import GroupFiles
from tools.bench.rebalances.group_member import CLOSING, SUBSCRIBING, MemberSettings
from tools.bench.rebalances.hosts import Host
from tools.bench.rebalances.member_host import MOST_MEMBERS

QUIET_S = 1.0
"""A group without a rebalance for this long, and evenly assigned, has settled."""

SETTLE_S = 45.0
"""An event after which a group has not settled by then is no measurement."""

READ_S = 10.0
"""The final owners may take so long after that until they have read."""

CLIENT = metadata.version("confluent-kafka")

_LOOK_S = 0.05
_HISTORY_S = 10.0


class Place(NamedTuple):
    """Where a group runs."""

    bootstrap: str
    broker_log: Path
    folder: Path
    """New folder of the group, which is called like it."""
    clock_offset_ns: int

    @property
    def group(self) -> str:
        """Name of the group."""
        return self.folder.name


class Unsettled(Exception):
    """A group that does not settle in time."""


class MeasuredGroup:
    """A group of a cell without its last member, while this context manager is open."""

    def __init__(self, cell: Cell, place: Place) -> None:
        self._cell, self._now = cell, RunClock(place.clock_offset_ns).now
        place.folder.mkdir(parents=True)
        client = {
            "bootstrap.servers": place.bootstrap,
            "group.id": place.group,
            "log_level": 3,
            "auto.offset.reset": "earliest" if cell.has_backlog else "latest",
            **cell.client(),
        }
        self._settings = MemberSettings(
            str(place.folder),
            cell.topic,
            place.clock_offset_ns,
            client,
            BATCH if cell.has_backlog else 0,
            SERVICE_S,
        )
        self._files = GroupFiles(place.folder)
        self._log = BrokerLog(place.broker_log, place.group)
        self._steps: list[Logged] = []
        self._first = [f"first{number}" for number in range(cell.members - 1)]
        self._hosts: list[Host] = []
        self._spare: Host | None = None
        self._random = random.Random(f"{cell.name} {time.time_ns()}")
        self._joined = 0
        self._last = ""

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def _start(self) -> None:
        """Let the first members join at random phases: a client keeps that of its heartbeats."""
        for number in range(0, len(self._first), MOST_MEMBERS):
            self._hosts.append(Host(self._settings, f"host{number // MOST_MEMBERS}"))
        self._spare = Host(self._settings, "spare")
        phases = sorted(self._random.uniform(0.0, self._cell.heartbeat_s) for _ in self._first)
        began = time.monotonic()
        for number, (member, phase_s) in enumerate(zip(self._first, phases, strict=True)):
            time.sleep(max(began + phase_s - time.monotonic(), 0.0))
            self._files.add(member)
            self._hosts[number // MOST_MEMBERS].join(member)
        self._settle(self._first)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        hosts.kill_all([*self._hosts, *([self._spare] if self._spare else [])])

    def event(self, kind: str) -> dict[str, Any]:
        """Wait for a random phase of the heartbeats, and carry out and measure an event.

        Returns: a row of results; without times if they cannot be taken.
        Raises Unsettled if the group does not settle.
        """
        time.sleep(self._random.uniform(0.0, self._cell.heartbeat_s))
        act: dict[str, Callable[[], int]] = {
            JOIN: self._join,
            LEAVE: self._leave,
            CRASH: self._crash,
        }
        start_ns = act[kind]()
        members = [*self._first, self._last] if kind == JOIN else self._first
        self._settle(members)
        row = self._measured(kind, start_ns)
        until = time.monotonic() + READ_S
        while not event_rows.is_timed(row) and time.monotonic() < until:
            time.sleep(_LOOK_S)
            row = self._measured(kind, start_ns)
        if kind != JOIN:
            self._files.forget(self._last)
        return row

    def _join(self) -> int:
        assert self._spare is not None
        self._joined += 1
        self._last = f"last{self._joined}"
        self._files.add(self._last)
        self._spare.join(self._last)
        return self._noted(SUBSCRIBING)

    def _leave(self) -> int:
        assert self._spare is not None
        self._spare.leave(self._last)
        return self._noted(CLOSING)

    def _crash(self) -> int:
        assert self._spare is not None
        start_ns = self._now()
        self._spare.kill()
        self._spare = None
        self._files.killed(self._last, start_ns)
        self._spare = Host(self._settings, "spare")
        return start_ns

    def _noted(self, what: str) -> int:
        """When the last member did something, which it does soon."""
        until = time.monotonic() + SETTLE_S
        while time.monotonic() < until:
            for entry in reversed(self._files.entries()):
                if entry["member"] == self._last and entry["what"] == what:
                    at_ns: int = entry["at_ns"]
                    return at_ns
            time.sleep(_LOOK_S)
        raise Unsettled(f"{self._cell.name}: {self._last} is not {what}")

    def _settle(self, members: Sequence[str]) -> None:
        """Wait until the group is settled with these members."""
        until = time.monotonic() + SETTLE_S
        while time.monotonic() < until:
            time.sleep(_LOOK_S)
            entries = self._files.entries()
            owners: Owners = event_times.owners_after(entries)
            if entries and event_times.is_even(owners, members, self._cell.partitions):
                quiet_ns = self._now() - entries[-1]["at_ns"]
                if quiet_ns > QUIET_S * 1e9:
                    return
        raise Unsettled(f"{self._cell.name}: not settled within {SETTLE_S:g} s")

    def _measured(self, kind: str, start_ns: int) -> dict[str, Any]:
        self._steps += self._log.steps()
        reads = self._files.reads(start_ns - round(_HISTORY_S * 1e9))
        times = event_times.event_times(
            reads, self._files.entries(), start_ns, self._last, self._cell.partitions
        )
        rounds = round_times(self._steps, start_ns) if times is not None else None
        return event_rows.event_row(kind, CLIENT, os.getloadavg()[0], times, rounds)
