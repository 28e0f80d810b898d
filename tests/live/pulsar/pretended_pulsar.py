"""A Pulsar and a clock that exist in this process alone, with loops that a test can kill.

What has arrived and been completed depends on the time alone, so every loop measures the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from live.pulsar import loop_journal, scaling_loop
from live.pulsar.functions_admin import (
    FunctionFailed,
    FunctionMissing,
    FunctionSpec,
    UserSums,
)

BEGAN_NS = 5_000_000_000


class Killed(BaseException):
    """The loop's process is killed here."""


class Clock:
    """In place of the module `time`: sleeping takes no time."""

    def __init__(self) -> None:
        self.now_ns = BEGAN_NS

    @property
    def seconds(self) -> float:
        """Since the load began."""
        return (self.now_ns - BEGAN_NS) * 1e-9

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ns += round(seconds * 1e9)

    def monotonic_ns(self) -> int:
        """The time, ns."""
        return self.now_ns

    def monotonic(self) -> float:
        """The time, s."""
        return self.now_ns * 1e-9


class Pulsar:
    """In place of `FunctionsAdmin`. The load doubles in the middle, and functions lag behind."""

    def __init__(self, clock: Clock, specs: list[FunctionSpec]) -> None:
        self.clock, self.specs = clock, {spec.name: spec for spec in specs}
        self.parallelism = dict.fromkeys(self.specs, 1)
        self.requests: list[tuple[str, int]] = []
        self.created: list[tuple[str, int]] = []
        self.dies_in = -1
        """Moments until the loop is killed; a negative number never gets there."""

    def moment(self) -> None:
        """A moment in which the loop can be killed."""
        self.dies_in -= 1
        if self.dies_in == 0:
            raise Killed

    def resize(self, spec: FunctionSpec, jar: Path, parallelism: int) -> None:
        """Carry out a change; the loop can die before and after it."""
        self.moment()
        self._check(spec.name)
        self.parallelism[spec.name] = parallelism
        self.requests.append((spec.name, parallelism))
        self.moment()

    def create(self, spec: FunctionSpec, jar: Path, parallelism: int) -> None:
        """Create a function."""
        self.parallelism[spec.name] = parallelism
        self.created.append((spec.name, parallelism))

    def names(self) -> list[str]:
        """Names of all functions."""
        return sorted(self.parallelism)

    def ends(self, name: str) -> tuple[list[str], str]:
        """Topics of a function."""
        self._check(name)
        return [self.specs[name].source], self.specs[name].output

    def instances(self, name: str) -> int:
        """Instances asked for."""
        self._check(name)
        return self.parallelism[name]

    running = instances

    def sums(self, name: str) -> list[Mapping[str, UserSums]]:
        """A tenth of a second for each record that is done."""
        self._check(name)
        done = self.published(self.specs[name].output)
        return [{"service": UserSums(done, done * 0.1, done * 0.02), "gap": UserSums(0, 0, 0)}]

    def published(self, topic: str) -> int:
        """Records of a topic: 10/s, then 20/s; each function is 3 s behind what it reads."""
        behind = {"images": 0.0, "a-out": 3.0, "b-out": 6.0}[topic]
        at_s = max(self.clock.seconds - behind, 0.0)
        return int(10 * at_s + 10 * max(at_s - 20.0, 0.0))

    def waiting(self, topic: str) -> int:
        """Entries of five records that are not done; refused from 10 to 18 s."""
        if 10.0 <= self.clock.seconds < 18.0:
            raise FunctionFailed("Pulsar does not answer")
        (output,) = (spec.output for spec in self.specs.values() if spec.source == topic)
        return -((self.published(output) - self.published(topic)) // 5)

    def _check(self, name: str) -> None:
        if name not in self.parallelism:
            raise FunctionMissing(name)


def pretend(monkeypatch: pytest.MonkeyPatch, specs: list[FunctionSpec]) -> Pulsar:
    """A Pulsar whose clock is the loops', and entries of the journal at which they can die."""
    pulsar = Pulsar(Clock(), specs)
    monkeypatch.setattr(scaling_loop, "time", pulsar.clock)
    write = loop_journal.LoopJournal.write

    def written(self: loop_journal.LoopJournal, kind: str, at_s: float, **content: Any) -> None:
        pulsar.moment()
        write(self, kind, at_s, **content)
        pulsar.moment()

    monkeypatch.setattr(loop_journal.LoopJournal, "write", written)
    return pulsar
