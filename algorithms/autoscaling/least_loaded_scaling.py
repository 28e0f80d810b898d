"""Scaling by the least-loaded packing, with one or two passes of Ezzeddine's algorithms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import exact_packing, least_loaded, member_totals
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.exact_packing import Search
from algorithms.autoscaling.least_loaded import Bins
from algorithms.autoscaling.member_totals import Members
from algorithms.autoscaling.number_checks import check_factors
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

_SLACK = 1e-9
_NONE, _UP, _DOWN, _REASSIGN = 0, 1, 2, 3


class LeastLoaded(NamedTuple):
    """State of the strategies ``least_loaded_1`` and ``least_loaded_2``."""

    partitions: int
    work: Bins
    """Work arrays of the packing."""
    search: Search
    """Those of the search for fewer bins; for no partitions if packings stay as they are."""
    projected: Floats
    """float64[P]: lags after a rebalance."""
    members: Members
    """Totals of each member."""
    rates_up: float
    rates_down: float
    lags_up: float
    lags_down: float
    """`rates_up`, `rates_down`, `lags_up`, `lags_down`: capacities at both factors, events/s and
    events."""
    longest_lag: float
    highest_rate: float
    """`longest_lag`, `highest_rate`: limits of one member."""
    rebalance_s: float
    """Duration of a rebalance, seconds."""
    replan: bool
    """Whether the kind of the decision is checked again with projected lags."""
    placements: int
    """Placements that the search tries for one number of bins; 0 without it."""


def lag_capacity(mu: float, wsla_s: float, factor: float) -> float:
    """Events that one consumer serves within the latency bound at a factor, without fraction."""
    return float(np.floor(mu * wsla_s * factor + _SLACK))


def start(
    group: Group, *, f_up: float, f_down: float, replan: bool, exact: bool = False
) -> LeastLoaded:
    """Start Algorithm 1 (``least_loaded_1``) or Algorithm 2 (``least_loaded_2``).

    Algorithm 1 packs at `f_up`: more bins than replicas scale up. Else it packs at `f_down`: fewer
    bins scale down. Else a member above the limits of lag or rate at `f_up` starts a reassignment,
    spread over all replicas. Algorithm 2 takes the kind of the decision from Algorithm 1 and packs
    again with the lags to expect after a rebalance.

    f_up, f_down: Shares of the capacities that are used when scaling up and down, ``0 < f_down <
        f_up <= 1``.
    replan: Whether this is Algorithm 2.
    exact: Whether every packing has the fewest bins, the solution of Eq. 5 (``ilp``): a search
        continues from the least-loaded one. Above 12 partitions the search ends early, and its
        best packing counts.

    Ezzeddine 2024, Algorithms 1 and 2. Capacities at a factor f: ``mu f`` and
    ``floor(mu wsla_s f + 1e-9)``. Comparisons are strict. Bin i goes to the member of rank i. Ties
    as in `algorithms.autoscaling.least_loaded.pack`. An attempt with as many bins as replicas comes
    first, which mostly has room. Up to six packings per decision.
    """
    check_factors(f_up, f_down)
    partitions = group.partitions
    return LeastLoaded(
        partitions=partitions,
        work=least_loaded.create(partitions, group.max_replicas),
        search=exact_packing.create(partitions if exact else 0),
        projected=np.empty(partitions),
        members=member_totals.create(partitions),
        rates_up=group.mu * f_up,
        rates_down=group.mu * f_down,
        lags_up=lag_capacity(group.mu, group.wsla_s, f_up),
        lags_down=lag_capacity(group.mu, group.wsla_s, f_down),
        longest_lag=group.mu * group.wsla_s * f_up,
        highest_rate=group.mu * f_up,
        rebalance_s=group.rebalance_s,
        replan=bool(replan),
        placements=exact_packing.placements(partitions) if exact else 0,
    )


@decides(LeastLoaded)
@kernel
def _decide(state: LeastLoaded, seen: Seen, after: Longs) -> tuple[int, int]:
    # The last packing of Algorithm 1 is the one of its kind, so its bins are the answer.
    kind, replicas = _first_algorithm(state, seen)
    if state.replan and kind != _NONE:
        kind, replicas = _second_algorithm(state, seen, kind)
    if kind == _NONE:
        return -1, 0
    least_loaded.copy_bins(state.work.bins, after)
    return replicas, 1


@kernel
def _first_algorithm(state: LeastLoaded, seen: Seen) -> tuple[int, int]:
    """Kind and replicas of Algorithm 1; leaves the packing in `work`."""
    # Mostly the replicas are enough, and the least number that is enough does not matter.
    if not _is_enough(state, seen):
        replicas = _pack_up(state, seen, seen.lags, 1)
        if replicas > seen.replicas:
            return _UP, replicas
    replicas = _pack_down(state, seen, seen.lags)
    if replicas < seen.replicas:
        return _DOWN, replicas
    if not member_totals.any_above(
        state.members, seen.owners, seen.lags, seen.rates, state.longest_lag, state.highest_rate
    ):
        return _NONE, seen.replicas
    if not state.replan:
        _spread(state, seen, seen.lags)
    return _REASSIGN, seen.replicas


@kernel
def _second_algorithm(state: LeastLoaded, seen: Seen, kind: int) -> tuple[int, int]:
    """Kind and replicas of Algorithm 2, which checks the kind of Algorithm 1."""
    lags = state.projected
    for p in range(lags.shape[0]):
        lags[p] = seen.lags[p] + seen.rates[p] * state.rebalance_s
    if kind == _DOWN:
        replicas = _pack_down(state, seen, lags)
        return (_DOWN if replicas < seen.replicas else _NONE), replicas
    replicas = _pack_up(state, seen, lags, 1)
    if replicas > seen.replicas:
        return _UP, replicas
    _spread(state, seen, lags)
    return _REASSIGN, seen.replicas


@kernel
def _spread(state: LeastLoaded, seen: Seen, lags: Floats) -> None:
    """Pack into as many bins as replicas; if that takes more, into the least number."""
    if _pack_up(state, seen, lags, max(seen.replicas, 1)) != seen.replicas:
        _pack_up(state, seen, lags, 1)


@kernel
def _is_enough(state: LeastLoaded, seen: Seen) -> bool:
    """Whether the packing at `f_up` has room in as many bins as replicas: one attempt."""
    n = min(seen.replicas, state.work.ranking.shape[0])
    if n < 1:
        return False
    return bool(_pack(state, seen, seen.lags, state.rates_up, state.lags_up, n, n + 1) <= n)


@kernel
def _pack_up(state: LeastLoaded, seen: Seen, lags: Floats, n0: int) -> int:
    # The work arrays have room for the greatest number of replicas.
    first = min(n0, state.work.ranking.shape[0])
    most = least_loaded.MAX_BINS
    return _pack(state, seen, lags, state.rates_up, state.lags_up, first, most)


@kernel
def _pack_down(state: LeastLoaded, seen: Seen, lags: Floats) -> int:
    """Pack to scale down; only fewer bins than replicas matter."""
    return _pack(state, seen, lags, state.rates_down, state.lags_down, 1, seen.replicas)


@kernel
def _pack(
    state: LeastLoaded,
    seen: Seen,
    lags: Floats,
    rate_cap: float,
    lag_cap: float,
    n0: int,
    below: int,
) -> int:
    """Pack into at least `n0` bins; leave the packing in `work` if they are fewer than `below`."""
    work, search = state.work, state.search
    n = least_loaded.fill(work, seen.rates, lags, rate_cap, lag_cap, n0, False, below)
    if state.placements == 0 or n <= n0:
        return n
    fewer = min(n, below)
    least = exact_packing.improve(
        search, seen.rates, lags, rate_cap, lag_cap, False, fewer, state.placements
    )
    if least == fewer:
        return n
    least_loaded.copy_bins(search.bins, work.bins)
    return max(least, n0)
