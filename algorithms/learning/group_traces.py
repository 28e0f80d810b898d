"""Traces that agents on groups are trained on, chosen by and judged on: generated, from seeds.

Some traces are split by time: agents train on the first 60 %, are chosen on the next 20 %, and
judged on the rest. All others are only judged on: the same families with other random numbers and
ranges, and families that no agent has seen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import derive_seed
from algorithms.learning.group_training import Parts
from algorithms.learning.learned_group import (
    LEAST_SECONDS,
    MOST_SECONDS,
    TRAIN_SHARE,
    training_seconds,
)
from algorithms.workloads import load_profiles, poisson_counts

VALIDATION, TEST = "validation", "test"
"""Parts that strategies are simulated on."""

VALIDATION_SHARE = 0.2
"""Share of a trace that is split by time, after its part for training."""


class Family(NamedTuple):
    """A load profile between two rates, in units of what one consumer serves in a second."""

    profile: str
    low: float
    high: float


TRAINED: Final = {
    "bursts-1": Family("bursts", 0.1, 1.75),
    "steps-1": Family("steps", 0.1, 1.75),
    "diurnal-1": Family("diurnal", 0.1, 1.75),
}
"""Traces that are split by time."""

UNSEEN: Final = {
    "bursts-2": Family("bursts", 0.2, 1.4),
    "bursts-3": Family("bursts", 0.05, 2.2),
    "steps-2": Family("steps", 0.2, 1.4),
    "steps-3": Family("steps", 0.05, 2.2),
    "diurnal-2": Family("diurnal", 0.05, 2.2),
    "ramp": Family("ramp", 0.1, 1.9),
    "flash-crowd": Family("flash_crowd", 0.2, 2.2),
    "steady": Family("steady", 0.0, 0.9),
}
"""Traces that are only judged on."""


class GroupTrace(NamedTuple):
    """A trace."""

    name: str
    rates: Floats
    """float64[N]: total rates of seconds, events/s."""
    by_time: bool
    """Whether it is split by time; if not, all of it is for judging."""

    def part(self, name: str) -> Floats:
        """Rates of the part for training, `VALIDATION` or `TEST`; empty if it has none."""
        first = training_seconds(len(self.rates)) if self.by_time else 0
        second = round((TRAIN_SHARE + VALIDATION_SHARE) * len(self.rates)) if self.by_time else 0
        cuts = {VALIDATION: (first, second), TEST: (second, len(self.rates))}
        begin, end = cuts.get(name, (0, first))
        return self.rates[begin:end]


def generated(seconds: int, mu: float, root: int) -> tuple[GroupTrace, ...]:
    """Generate all traces.

    mu: Rate that one consumer serves, events/s.
    root: Root seed. Counts of events per second are Poisson with the profile's rate as mean.

    >>> traces = generated(300, 200.0, 1)
    >>> len(traces), traces[0].name, traces[0].by_time, len(traces[0].part("test"))
    (11, 'bursts-1', True, 60)
    """
    check_count("seconds", seconds, LEAST_SECONDS, MOST_SECONDS)
    check_seed(root)
    if not 0.0 < mu < np.inf:
        raise InvalidParameterError(f"mu must be finite and above 0 (got {mu})")
    return tuple(
        GroupTrace(name, _drawn(name, family, seconds, mu, root), name in TRAINED)
        for name, family in (TRAINED | UNSEEN).items()
    )


def _drawn(name: str, family: Family, seconds: int, mu: float, root: int) -> Floats:
    seed = derive_seed(root, "group trace", name)
    means = load_profiles.generate(family.profile, seconds, family.low * mu, family.high * mu, seed)
    drawn: Floats = poisson_counts.draw(means[:, None], 1.0, seed)[:, 0]
    return drawn


def parts_of(traces: tuple[GroupTrace, ...]) -> Parts:
    """What agents are trained on and chosen by: nothing that they are judged on."""
    split = [trace for trace in traces if trace.by_time]
    return Parts(
        training=tuple(trace.part("training") for trace in split),
        validation=tuple(trace.part(VALIDATION) for trace in split),
    )
