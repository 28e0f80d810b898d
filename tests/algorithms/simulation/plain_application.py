"""A slow and obvious simulation of an application, written from the contract's text alone.

It shares nothing with `algorithms.simulation`. Draws come from `algorithms.core`, with keys as
documented: by source, number of the event there, and the way it was passed on.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.portable_math import log
from algorithms.core.seeds import derive_seed

BITS = 2**64
GOLDEN = 0x9E3779B97F4A7C15
Edges = Sequence[tuple[str, str]]
Decide = Callable[[float, "PlainApplication"], Mapping[str, int]]


def mixed(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % BITS
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % BITS
    return z ^ (z >> 31)


def part(key: int, number: int) -> int:
    return mixed((key + (number + 1) * GOLDEN) % BITS)


def exponential(key: int) -> float:
    return -float(log(keyed_draws.unit(np.uint64(key))))


@dataclass
class Event:
    key: int
    born: float
    path: tuple[str, ...]
    arrived: float = 0.0
    began: float = 0.0
    service: float = 0.0


@dataclass
class Instance:
    """A worker; `number` tells it from the others of its function."""

    number: int
    working: bool
    event: Event | None = None
    removed: bool = False


@dataclass
class PlainFunction:
    mu: float
    cs: float
    selectivity: float
    seed: int
    instances: list[Instance]
    queue: deque[Event] = field(default_factory=deque)
    arrivals: list[float] = field(default_factory=list)
    entered: int = 0
    events: list[Event] = field(default_factory=list)
    """All events that have arrived, ever."""
    done: list[tuple[float, Event]] = field(default_factory=list)
    """Completed ones, with the time."""

    def backlog(self) -> int:
        return len(self.events) - len(self.done)


class PlainApplication:
    """An application with its present state."""

    def __init__(
        self,
        functions: Mapping[str, Mapping[str, Any]],
        edges: Edges,
        sources: Mapping[str, Sequence[tuple[float, float]]],
        settings: Mapping[str, Any],
    ) -> None:
        self.edges = edges
        self.fed = [name for name in sources if name in functions]
        self.settings = {"decision_s": 30.0, "startup_s": 0.0, "replace": False} | settings
        self.seed = self.settings.get("seed", 0)
        self.functions = {
            name: PlainFunction(
                fields["mu"],
                fields.get("cs", 1.0),
                fields.get("selectivity", 1.0),
                derive_seed(self.seed, "function", name),
                [Instance(i, True) for i in range(fields.get("initial", 1))],
            )
            for name, fields in functions.items()
        }
        self.agenda: list[tuple[float, int, int, Callable[[float], None]]] = []
        self.order = count()
        self.responses: dict[tuple[str, ...], list[tuple[float, float]]] = {}
        for place, (name, pieces) in enumerate(sources.items()):
            self.plan_arrivals(place, name, pieces)
        self.seconds = max(sum(s for s, _ in pieces) for pieces in sources.values())

    def plan_arrivals(self, place: int, name: str, pieces: Sequence[tuple[float, float]]) -> None:
        """Enter all arrivals of a source: the level of the rate's integral decides when."""
        seed = derive_seed(self.seed, "source", name)
        targets = [name] if name in self.functions else [b for a, b in self.edges if a == name]
        constant = self.settings.get("spacing") == "constant"
        level, begin, integral, number = 0.0, 0.0, 0.0, 0
        level += 0.5 if constant else exponential(part(seed, 0))
        for seconds, rate in pieces:
            while level < integral + seconds * rate:
                time = min(begin + (level - integral) / rate, begin + seconds)
                key = part(seed, number)
                order = place * 10**9 + number
                heapq.heappush(self.agenda, (time, 1, order, self.arrival(key, targets)))
                number += 1
                level += 1.0 if constant else exponential(part(seed, number))
            integral += seconds * rate
            begin += seconds

    def arrival(self, key: int, targets: list[str]) -> Callable[[float], None]:
        def happen(now: float) -> None:
            for target in targets:
                self.functions[target].entered += 1
                self.enter(key, 0, now, (target,), now)

        return happen

    def later(self, time: float, happen: Callable[[float], None]) -> None:
        heapq.heappush(self.agenda, (time, 0, next(self.order), happen))

    def enter(self, key: int, number: int, born: float, path: tuple[str, ...], now: float) -> None:
        function = self.functions[path[-1]]
        event = Event(part(mixed((key + function.seed) % BITS), number), born, path, arrived=now)
        function.arrivals.append(now)
        function.events.append(event)
        function.queue.append(event)
        for instance in function.instances:
            if instance.working and instance.event is None:
                self.take(function, instance, now)
                return

    def take(self, function: PlainFunction, instance: Instance, now: float) -> None:
        if not function.queue:
            return
        event = function.queue.popleft()
        instance.event, event.began = event, now
        event.service = 1.0 / function.mu * self.service(function, event.key)

        def complete(time: float) -> None:
            function.done.append((time, event))
            self.pass_on(function, event, time)
            instance.event = None
            if not instance.removed:
                self.take(function, instance, time)

        self.later(now + event.service, complete)

    @staticmethod
    def service(function: PlainFunction, key: int) -> float:
        if function.cs == 0.0:
            return 1.0
        key = (key + GOLDEN) % BITS
        if function.cs == 1.0:
            return exponential(key)
        shape = 1.0 / (function.cs * function.cs)
        return float(keyed_draws.gamma(np.uint64(key), shape)) / shape

    def pass_on(self, function: PlainFunction, event: Event, now: float) -> None:
        following = [b for a, b in self.edges if a == event.path[-1]]
        if not following:
            self.responses.setdefault(event.path, []).append((now, now - event.born))
            return
        copies = math.floor(function.selectivity)
        rest = function.selectivity - copies
        if rest > 0.0 and keyed_draws.unit(np.uint64(event.key)) < rest:
            copies += 1
        for name in following:
            for number in range(copies):
                self.enter(event.key, number, event.born, (*event.path, name), now)

    def scale(self, name: str, target: int, now: float) -> None:
        """Keep the instances with the lowest numbers; none of them where all are replaced."""
        function = self.functions[name]
        kept = 0 if self.settings["replace"] else min(target, len(function.instances))
        for instance in function.instances[kept:]:
            instance.removed = True
        del function.instances[kept:]
        for number in range(kept, target):
            instance = Instance(number, False)
            function.instances.append(instance)
            self.later(now + self.settings["startup_s"], self.start(function, instance))

    def start(self, function: PlainFunction, instance: Instance) -> Callable[[float], None]:
        def happen(now: float) -> None:
            if not instance.removed:
                instance.working = True
                self.take(function, instance, now)

        return happen

    def run_until(self, time: float) -> None:
        """Completions and starts up to a time, itself included, and arrivals before it."""
        while self.agenda and self.agenda[0][:2] <= (time, 0):
            now, _, _, happen = heapq.heappop(self.agenda)
            happen(now)


@dataclass
class PlainResult:
    counts: list[list[int]] = field(default_factory=list)
    backlogs: list[list[int]] = field(default_factory=list)


def simulate(application: PlainApplication, decide: Decide) -> PlainResult:
    """Run to the end; `decide` sees the application at a decision, and gives all counts."""
    result = PlainResult()
    functions = application.functions
    decisions, time = count(1), 0.0
    while time < application.seconds:
        result.backlogs.append([function.backlog() for function in functions.values()])
        result.counts.append([len(function.instances) for function in functions.values()])
        time = next(decisions) * application.settings["decision_s"]
        application.run_until(min(time, application.seconds))
        if time < application.seconds:
            for name, target in decide(time, application).items():
                if target != len(functions[name].instances):
                    application.scale(name, target, time)
    result.backlogs.append([function.backlog() for function in functions.values()])
    application.run_until(math.inf)
    return result
