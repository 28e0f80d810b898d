"""A controller of slots, plainly: it looks, lets the strategy decide, moves, and then scales.

Written from docs/deploy.md, not from the kernels. Counts come from a function, so that strategies
have their own oracles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import Group
from tests.algorithms.autoscaling.plain_placement import evened, load, packed, with_orphans

Count = Callable[["Look"], int | None]


class Look(NamedTuple):
    """What a strategy sees: means since its last decision."""

    time: float
    rates: Any
    lags: Any
    owners: list[int]
    count: int


class PlainController:
    """Answers decision by decision: replicas and the slot of each partition."""

    def __init__(self, group: Group, count: Count, decides_s: float, look_s: float) -> None:
        self.group, self.count_of = group, count
        look = math.ceil(look_s / group.decision_s) * group.decision_s
        self.intervals = (Fraction(look_s), Fraction(math.ceil(decides_s / look) * look))
        self.passed = [0, 0]
        self.kept = 0.95 ** float(self.intervals[1])
        self.rows: list[Any] = []
        self.weights = [0.0] * group.partitions
        self.decisions = 0
        self.count: int | None = None
        self.used = group.initial_replicas
        self.settled, self.evened = float("-inf"), 0.0

    def due(self, which: int, time: float) -> bool:
        number = math.floor(Fraction(time) / self.intervals[which])
        last, self.passed[which] = self.passed[which], max(number, self.passed[which])
        return number > last

    def decide(
        self, time: float, rates: Any, lags: Any, owners: list[int], replicas: int
    ) -> tuple[int, list[int]] | None:
        self.rows.append(np.array(rates))
        if not self.due(0, time):
            return None
        if self.due(1, time):
            self.ask(Look(time, self.mean(), lags, owners, replicas))
        if self.count is None or time < self.settled - 1e-9:
            return None
        inside = all(0 <= owner < self.count for owner in owners)
        if not inside or self.count > self.used:
            return self.moved(time, owners, replicas)
        self.used = self.count
        if replicas == self.count:
            return self.even(time, owners)
        return self.count, list(owners)

    def mean(self) -> Any:
        total = self.rows[0].copy()
        for row in self.rows[1:]:
            total = total + row
        mean = np.round(total / len(self.rows), 6)
        self.rows = []
        self.decisions += 1
        new = max(1.0 - self.kept, 1.0 / self.decisions)
        self.weights = [w + new * (rate - w) for w, rate in zip(self.weights, mean, strict=True)]
        return mean

    def ask(self, look: Look) -> None:
        present = look.count if self.count is None else self.count
        answer = self.count_of(look._replace(count=present))
        least = max(self.group.min_replicas, 1)
        self.count = min(max(present if answer is None else answer, least), self.group.max_replicas)

    def slots(self, owners: list[int], number: int) -> dict[int, set[int]]:
        held: dict[int, set[int]] = {slot: set() for slot in range(number)}
        for p, owner in enumerate(owners):
            if owner in held:
                held[owner].add(p)
        return held

    @property
    def loads(self) -> list[float]:
        return self.weights if sum(self.weights) > 0 else [1.0] * len(self.weights)

    def moved(self, time: float, owners: list[int], replicas: int) -> tuple[int, list[int]]:
        """Onto the slots in use from now on; the other pods stay for now."""
        assert self.count is not None
        held = self.slots(owners, self.count)
        orphans = set(range(len(owners))) - set[int]().union(*held.values())
        held = with_orphans(held, self.loads)
        if self.count > self.used:
            held = evened(held, orphans, self.loads)
        self.used = self.count
        after = max(self.count, replicas)
        self.settled = time + self.takes(after > replicas)
        return after, named(held)

    def even(self, time: float, owners: list[int]) -> tuple[int, list[int]] | None:
        """At most once a minute, and only if a packing is much better."""
        if time < self.evened + 60.0:
            return None
        held = self.slots(owners, self.used)
        largest = max(load(each, self.loads) for each in held.values())
        if largest <= 1.15 * packed(self.loads, self.used):
            return None
        after = named(evened(held, set(), self.loads))
        if after == list(owners):
            return None
        self.evened, self.settled = time, time + self.takes(grows=False)
        return self.used, after

    def takes(self, grows: bool) -> float:
        """Pods start, and what moves waits for one round: there is no protocol of Kafka's."""
        group = self.group
        start = group.startup_s if grows else 0.0
        return start + group.rebalance_s + group.move_pause_s


def named(held: dict[int, set[int]]) -> list[int]:
    after = {p: slot for slot, each in held.items() for p in each}
    return [after[p] for p in range(len(after))]
