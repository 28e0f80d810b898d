"""Plain packing strategies on lists: slow, obvious, and independent of the kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Bins = list[list[int]]


class Answer(NamedTuple):
    """A decision: number of replicas, and bin of each partition if there is an assignment."""

    replicas: int
    bins: list[int] | None


def pack(
    rates: Sequence[float],
    lags: Sequence[float],
    rate_cap: float,
    lag_cap: float,
    n0: int = 1,
    strict: bool = False,
) -> Bins:
    """Try n = n0, n0 + 1, ...; sort all bins again before each partition."""
    cut_rates = [min(rate, rate_cap) for rate in rates]
    cut_lags = [min(lag, lag_cap) for lag in lags]
    order = sorted(range(len(rates)), key=lambda p: (-cut_rates[p], p))
    n = n0
    while True:
        bins = packed(order, cut_rates, cut_lags, (rate_cap, lag_cap), n, strict)
        if bins is not None:
            return [sorted(held) for held in bins]
        n += 1


def packed(
    order: Sequence[int],
    rates: Sequence[float],
    lags: Sequence[float],
    caps: tuple[float, float],
    n: int,
    strict: bool,
) -> Bins | None:
    """Bins of a packing into n, None if some partition fits nowhere."""
    bins: Bins = [[] for _ in range(n)]
    free_rate, free_lag = [caps[0]] * n, [caps[1]] * n
    ranking = list(range(n))
    for p in order:
        ranking.sort(key=lambda b: -free_rate[b])
        for b in ranking:
            fits = free_rate[b] > rates[p] if strict else free_rate[b] >= rates[p]
            if (fits or (strict and not bins[b])) and free_lag[b] >= lags[p]:
                bins[b].append(p)
                free_rate[b] -= rates[p]
                free_lag[b] -= lags[p]
                break
        else:
            return None
    return bins


def bin_of_each(bins: Bins) -> list[int]:
    """Bin of each partition."""
    places = {p: b for b, held in enumerate(bins) for p in held}
    return [places[p] for p in range(len(places))]


def spread(
    rates: Sequence[float], lags: Sequence[float], rate_cap: float, lag_cap: float, n: int
) -> Bins:
    """Into n bins if that is possible, else into the least number from 1."""
    bins = pack(rates, lags, rate_cap, lag_cap, n)
    return bins if len(bins) == n else pack(rates, lags, rate_cap, lag_cap)


class Capacities(NamedTuple):
    """Settings on which the decisions of the least-loaded strategies depend."""

    mu: float
    wsla_s: float
    rebalance_s: float
    f_up: float = 0.9
    f_down: float = 0.4

    def at(self, factor: float) -> tuple[float, float]:
        """Capacities of rate and lag at a factor."""
        return self.mu * factor, float(math.floor(self.mu * self.wsla_s * factor + 1e-9))


def least_loaded_1(
    rates: Sequence[float],
    lags: Sequence[float],
    owners: Sequence[int],
    replicas: int,
    limits: Capacities,
) -> tuple[str, Answer | None]:
    """Kind and answer of Algorithm 1."""
    up, down = limits.at(limits.f_up), limits.at(limits.f_down)
    bins = pack(rates, lags, *up)
    if len(bins) > replicas:
        return "up", Answer(len(bins), bin_of_each(bins))
    bins = pack(rates, lags, *down)
    if len(bins) < replicas:
        return "down", Answer(len(bins), bin_of_each(bins))
    for member in sorted(set(owners) - {-1}):
        lag, rate = 0.0, 0.0
        for p, owner in enumerate(owners):
            if owner == member:
                lag += lags[p]
                rate += rates[p]
        if lag > limits.mu * limits.wsla_s * limits.f_up or rate > limits.mu * limits.f_up:
            bins = spread(rates, lags, *up, replicas)
            return "reassign", Answer(replicas, bin_of_each(bins))
    return "none", None


def least_loaded_2(
    rates: Sequence[float],
    lags: Sequence[float],
    owners: Sequence[int],
    replicas: int,
    limits: Capacities,
) -> tuple[str, Answer | None]:
    """Kind and answer of Algorithm 2."""
    kind, _ = least_loaded_1(rates, lags, owners, replicas, limits)
    if kind == "none":
        return kind, None
    later = [lag + rate * limits.rebalance_s for lag, rate in zip(lags, rates, strict=True)]
    if kind == "down":
        bins = pack(rates, later, *limits.at(limits.f_down))
        if len(bins) < replicas:
            return "down", Answer(len(bins), bin_of_each(bins))
        return "none", None
    up = limits.at(limits.f_up)
    bins = pack(rates, later, *up)
    if len(bins) > replicas:
        return "up", Answer(len(bins), bin_of_each(bins))
    return "reassign", Answer(replicas, bin_of_each(spread(rates, later, *up, replicas)))
