"""Rounds of a group's rebalances, as its coordinator has logged them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

LEVEL_VARIABLE, LEVEL_OPTION = "JAVA_TOOL_OPTIONS", "-Dgroupscale.coordinator=info"
"""Environment that makes a broker log what its coordinators do."""

_TIME = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \w+ \S+ (.*)")

PREPARES, STABLE, ASSIGNED, EPOCH, TARGET, EXPIRED = (
    "prepares",
    "stable",
    "assigned",
    "epoch",
    "target",
    "expired",
)

_KINDS = (
    (PREPARES, re.compile(r"Preparing to rebalance group (?P<group>\S+) ")),
    (STABLE, re.compile(r"Stabilized group (?P<group>\S+) generation")),
    (ASSIGNED, re.compile(r"Assignment received from leader .* for group (?P<group>\S+) for")),
    (EXPIRED, re.compile(r"Member \S+ in group (?P<group>\S+) has failed")),
    (EPOCH, re.compile(r"\[GroupId (?P<group>[^\]]+)\] Bumped group epoch")),
    (TARGET, re.compile(r"\[GroupId (?P<group>[^\]]+)\] Computed a new target assignment")),
    (EXPIRED, re.compile(r"\[GroupId (?P<group>[^\]]+)\] Member \S+ fenced .* session expired")),
)


class Logged(NamedTuple):
    """One step of a coordinator."""

    at_ns: int
    kind: str
    group: str


def parsed(lines: Iterable[str]) -> Iterator[Logged]:
    """Steps in a log's lines; others are left out."""
    for line in lines:
        stamped = _TIME.match(line)
        if not stamped:
            continue
        for kind, pattern in _KINDS:
            named = pattern.search(stamped[2])
            if named:
                at = datetime.strptime(stamped[1], "%Y-%m-%d %H:%M:%S.%f").astimezone()
                yield Logged(round(at.timestamp() * 1e3) * 1_000_000, kind, named["group"])
                break


class RoundTimes(NamedTuple):
    """What a coordinator did after an event, in seconds."""

    rounds: int
    """Generations of a classic group, target assignments of a KIP-848 group."""
    begun_s: float | None
    """From the event until the coordinator's first step; None without one."""
    detected_s: float | None
    """From the event until the coordinator removes a silent member; None if it removes none."""


def round_times(steps: Sequence[Logged], start_ns: int) -> RoundTimes:
    """Summary of a group's steps since an event."""
    # The log has whole milliseconds.
    later = [step for step in steps if step.at_ns >= start_ns - 1_000_000]
    expired = [step for step in later if step.kind == EXPIRED]
    begun = [step for step in later if step.kind in (PREPARES, EPOCH)]
    return RoundTimes(
        sum(step.kind in (ASSIGNED, TARGET) for step in later),
        _seconds(begun, start_ns),
        _seconds(expired, start_ns),
    )


def _seconds(steps: Sequence[Logged], start_ns: int) -> float | None:
    return max(steps[0].at_ns - start_ns, 0) / 1e9 if steps else None


class BrokerLog:
    """Reads what a broker has logged about a group since the last call."""

    def __init__(self, file: Path, group: str) -> None:
        self._file, self._group, self._offset = file, group, 0

    def steps(self) -> list[Logged]:
        """New steps of the group."""
        with self._file.open("rb") as log:
            if log.seek(0, os.SEEK_END) < self._offset:
                self._offset = 0  # The file is new, as the one before was full.
            log.seek(self._offset)
            text = log.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._offset += len(whole)
        lines = whole.decode(errors="replace").splitlines()
        return [step for step in parsed(lines) if step.group == self._group]
