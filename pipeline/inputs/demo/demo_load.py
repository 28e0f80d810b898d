"""Two days of three topics: a hot partition, a deploy gap, a night's backfill.

The load is generated, the same on every machine. The group that reads it is Kafka's default, and
has a member per partition of the largest topic.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from algorithms.assignment.assignors import assign_group
from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from pipeline.inputs.traces.partition_layout import Topic

STARTED_AT = datetime(2026, 3, 2, tzinfo=UTC)
STEP_S = 60.0
DAYS = 2

MU = 300.0
"""Events/s that a consumer of the demo serves."""

HOT = ("orders", 3)
"""The partition that gets more than others."""

_TOPICS = (("clicks", 32, 600.0), ("orders", 8, 240.0), ("payments", 6, 60.0))
"""Name, partitions and mean rate of each topic, events/s."""

MEMBERS = 16
"""Members of the group that reads the topics."""

_HOT_SHARE = 0.16
_STEPS_PER_DAY = 1_440
_NOON, _GAP = 12 * 60, 5
"""A deployment of the producers at noon of the first day: for some minutes, nothing is sent."""
_BACKFILL = (_STEPS_PER_DAY + 2 * 60, _STEPS_PER_DAY + 4 * 60)
_BACKFILL_RATE = 700.0
"""A backfill of the orders, in the night of the second day, events/s."""
_NOISE, _MINUTES = 0.06, 0.04
_COMMIT_S = 5.0


class DemoLoad(NamedTuple):
    """The recording."""

    topics: tuple[Topic, ...]
    rates: Floats
    """``[N, P]`` events/s of each partition, topic by topic."""

    @property
    def partitions(self) -> list[tuple[str, int]]:
        """Topic and number of each partition."""
        return [(topic.name, number) for topic in self.topics for number in range(topic.partitions)]

    def offsets(self) -> Floats:
        """``[N + 1, P]`` end offsets as each step begins, and as the last one ends."""
        written = np.cumsum(self.rates * STEP_S, axis=0)
        return np.floor(np.vstack([np.zeros(self.rates.shape[1]), written]))

    def owners(self) -> list[int]:
        """Member of each partition, by Kafka's default assignor."""
        names = [f"{member:02d}" for member in range(MEMBERS)]
        sizes = {topic.name: topic.partitions for topic in self.topics}
        group = assign_group("range", sizes, names)
        owner = {each: int(member) for member, held in group.items() for each in held}
        return [owner[each] for each in self.partitions]

    def committed(self) -> Floats:
        """``[N + 1, P]`` committed offsets at the same times, of members that serve `MU` each."""
        ends, owners = self.offsets(), np.array(self.owners())
        left = np.zeros(ends.shape[1])
        read = np.zeros_like(ends)
        for step in range(1, len(ends)):
            left += ends[step] - ends[step - 1]
            waiting = np.bincount(owners, left, MEMBERS)
            share = np.minimum(MU * STEP_S / np.maximum(waiting, 1.0), 1.0)
            left -= left * share[owners]
            read[step] = ends[step] - left
        ages = np.random.default_rng(derive_seed(0, "demo", "commits"))
        age_s = ages.uniform(0.0, _COMMIT_S, (len(ends), MEMBERS))[:, owners]
        rates = np.vstack([self.rates[:1], self.rates])
        return np.floor(np.maximum(read - rates * age_s, 0.0))


def generate() -> DemoLoad:
    """The recording, the same for each call."""
    draws = np.random.default_rng(derive_seed(0, "demo", "load"))
    total = _day_and_night() * _wandering(draws)
    parts = [_topic(draws, *each) * total[:, None] for each in _TOPICS]
    rates = np.hstack(parts)
    rates *= draws.lognormal(0.0, _MINUTES, rates.shape)
    (_, before, _), (_, orders, _) = _TOPICS[:2]
    rates[slice(*_BACKFILL), before : before + orders] += _BACKFILL_RATE / orders
    rates[_NOON : _NOON + _GAP] = 0.0
    return DemoLoad(tuple(Topic(name, count) for name, count, _ in _TOPICS), np.round(rates, 3))


def _day_and_night() -> Floats:
    """A share of the mean for each step: most at two in the afternoon, least twelve hours away."""
    hours = np.arange(DAYS * _STEPS_PER_DAY) / 60.0
    swing = np.sin((hours - 8.0) * np.pi / 12.0)
    made: Floats = 1.0 + 0.6 * swing + 0.1 * np.sin((hours - 9.0) * np.pi / 6.0)
    return made


def _wandering(draws: np.random.Generator) -> Floats:
    """A factor that wanders over hours."""
    hours = np.arange(24 * DAYS + 1)
    levels = draws.normal(0.0, _NOISE, len(hours))
    made: Floats = np.exp(np.interp(np.arange(DAYS * _STEPS_PER_DAY) / 60.0, hours, levels))
    return made


def _topic(draws: np.random.Generator, name: str, partitions: int, rate: float) -> Floats:
    """Mean rate of each partition of a topic."""
    weights = draws.lognormal(0.0, 0.12, partitions)
    weights /= weights.sum()
    if name == HOT[0]:
        weights *= 1.0 - _HOT_SHARE
        weights[HOT[1]] += _HOT_SHARE
    made: Floats = rate * weights
    return made
