"""Parameters that a sweep compares a strategy with, each a trade of replicas for latency."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

_SHARES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_MOST_CONSTANTS = 8


class SweptGroup(NamedTuple):
    """What the parameters may depend on."""

    partitions: int
    mu: float
    """Events/s that one consumer serves."""
    wsla_s: float
    """Greatest latency within the SLA, s."""


Sweep = Callable[[SweptGroup], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Over:
    """The same values of one parameter for every group."""

    parameter: str
    values: tuple[float, ...]

    def __call__(self, group: SweptGroup) -> Sequence[Mapping[str, Any]]:
        """One candidate for each value."""
        return [{self.parameter: value} for value in self.values]


UPPER_UTILIZATIONS = Over("f_up", _SHARES)


def utilizations(group: SweptGroup) -> Sequence[Mapping[str, Any]]:
    """Upper utilizations, and the lower ones in the ratio of the published defaults."""
    return [{"f_up": f, "f_down": round(f * 4.0 / 9.0, 6)} for f in _SHARES[1:]]


def replica_counts(group: SweptGroup) -> Sequence[Mapping[str, Any]]:
    """Numbers of replicas from 1 to P, evenly spaced, at most `_MOST_CONSTANTS`."""
    p = group.partitions
    counts = sorted({round(n) for n in np.linspace(1, p, min(p, _MOST_CONSTANTS))})
    return [{"initial_replicas": n} for n in counts]


def lag_thresholds(group: SweptGroup) -> Sequence[Mapping[str, Any]]:
    """Thresholds of the lag around what one consumer serves within the SLA."""
    least = (group.mu * group.wsla_s * factor for factor in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0))
    return [{"t_in": round(t / 3.0, 6), "t_out": round(t, 6)} for t in least]


def time_thresholds(group: SweptGroup) -> Sequence[Mapping[str, Any]]:
    """Thresholds of the time lag, seconds, from what a commit takes to minutes."""
    return [{"in_s": round(s / 3.0, 6), "out_s": s} for s in (6.0, 15.0, 30.0, 60.0, 120.0, 300.0)]


def capacities(group: SweptGroup) -> Sequence[Mapping[str, Any]]:
    """Shares of what one consumer serves."""
    return [{"capacity": round(group.mu * share, 6)} for share in _SHARES]
