"""The group that a recording shows: its members, what they serve, and whether the model fits it."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.autoscaling import candidate_grid
from algorithms.core.arrays import Floats
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.recommendation.consumer_settings import COMMIT_S, Consumers
from pipeline.inputs.traces.recorded_group import NO_MEMBER, RecordedGroup

MOST_RATIO = 2.0
"""Ratio of the simulated and the recorded lag above which the model does not fit."""

UNCOMMITTED_S = 2.0 * COMMIT_S
"""Lag that commits explain, in s of the load: two of Kafka's commit intervals."""

_QUANTILE, _TAIL = 0.95, 0.1

_NEARLY_ALL = 0.9
"""Share of the snapshots: during a rolling update, hosts differ."""
_UNLIKE = 0


class Served(NamedTuple):
    """What members serve, events/s, while their partitions have more lag than commits explain."""

    rate: float
    """Median over members of their medians; a lower bound without such intervals."""
    low: float
    high: float
    """`low`, `high`: 10 and 90 % over members; NaN without such intervals."""
    intervals: int
    """Number of these intervals; 0 for a lower bound."""


class Today(NamedTuple):
    """What a recording shows of the group."""

    members: int
    """Members that read partitions, at the median of the snapshots that have some."""
    served: Served | None
    """What they serve; None without two snapshots with the same owners."""
    lag: float
    simulated_lag: float
    """`lag`, `simulated_lag`: 95th percentile of the total lag, events, as recorded and as
    simulated."""
    fits: bool
    """Whether they differ by less than `MOST_RATIO`, or by what commits explain."""


def members_of(group: RecordedGroup) -> int | None:
    """Members at the median of the snapshots that have some; None without any."""
    counts = [n for t in range(len(group.times)) if (n := group.members_at(t))]
    return int(np.median(counts)) if counts else None


def members_per_replica(group: RecordedGroup) -> int | None:
    """Members that each host has in nearly all snapshots with several hosts; None without such.

    Members of one host alone may be replicas behind one address.
    """
    sizes: Counter[int] = Counter()
    for owners in group.owners:
        hosts = Counter(group.hosts[member] for member in np.unique(owners) if member != NO_MEMBER)
        numbers = {*hosts.values()}
        if len(hosts) > 1:
            sizes[numbers.pop() if len(numbers) == 1 and "" not in hosts else _UNLIKE] += 1
    number, times = sizes.most_common(1)[0] if sizes else (_UNLIKE, 0)
    return None if number == _UNLIKE or times < _NEARLY_ALL * sizes.total() else number


def served(group: RecordedGroup) -> Served | None:
    """What members serve, from successive snapshots in which they have the same partitions.

    A member that keeps up is seen with lag too: what it has read since its last commit.
    """
    with_lag: dict[int, list[float]] = {}
    greatest: list[float] = []
    lag = group.lag
    for t in range(len(group.times) - 1):
        length_s = float(group.times[t + 1] - group.times[t])
        for member in np.unique(group.owners[t]):
            held = group.owners[t] == member
            if member == NO_MEMBER or length_s <= 0.0 or not _stays(group, t, held):
                continue
            moved = group.committed[t + 1, held] - group.committed[t, held]
            if np.isnan(moved).any() or (moved < 0.0).any():
                continue
            rate = float(moved.sum()) / length_s
            # Read at most since the last commit before the interval.
            greatest.append(float(moved.sum()) / (length_s + COMMIT_S))
            written = (group.ends[t + 1, held] - group.ends[t, held]) / length_s
            if (lag[t : t + 2, held] > UNCOMMITTED_S * written).all():
                with_lag.setdefault(int(member), []).append(rate)
    if not greatest:
        return None
    if not with_lag:
        return Served(max(greatest), math.nan, math.nan, 0)
    medians = [float(np.median(rates)) for rates in with_lag.values()]
    low, middle, high = np.quantile(medians, (_TAIL, 0.5, 1.0 - _TAIL)).tolist()
    return Served(middle, low, high, sum(map(len, with_lag.values())))


def _stays(group: RecordedGroup, t: int, held: NDArray[np.bool_]) -> bool:
    """Whether a member has the same partitions in the next snapshot."""
    owner = group.owners[t][held][0]
    return bool(np.array_equal(group.owners[t + 1] == owner, held))


def compared(bench: Bench, kind: Consumers, group: RecordedGroup) -> Today | None:
    """The recorded group beside a simulation of as many constant replicas.

    bench, kind: The workload, and the consumers in use.
    group: What the recording shows.
    Returns: None if no snapshot has members.
    """
    members = members_of(group)
    if members is None:
        return None
    run = Run(candidate_grid.constant(members), kind)
    settings = candidate_outcomes.settings_of(bench, run)
    simulated = candidate_outcomes.detailed_run(bench, run.candidate, settings).trajectory.lag
    totals = np.nansum(group.lag, axis=1)
    lag, modelled = (float(np.quantile(each, _QUANTILE)) for each in (totals, simulated))
    return Today(members, served(group), lag, modelled, _fits(bench.rates, lag, modelled))


def _fits(rates: Floats, lag: float, modelled: float) -> bool:
    uncommitted = UNCOMMITTED_S * float(np.quantile(rates.sum(axis=1), _QUANTILE))
    low, high = sorted((lag, modelled))
    return high <= MOST_RATIO * low or high - low <= uncommitted
