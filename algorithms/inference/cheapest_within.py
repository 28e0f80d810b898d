"""The cheapest of several candidates that keeps to an objective, and how sure that is.

Candidates were run on the same recording, which is cut into blocks. A candidate keeps to the
objective if at most a given share of all its events is late. Blocks are resampled, the same ones
for every candidate, so that comparisons are paired.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.intervals import Interval
from algorithms.inference.paired import paired_interval, resampled_means

_ROUNDING = 1e-9
"""Share of the events, and relative difference of costs, that rounding may explain."""


class Totals(NamedTuple):
    """Totals of k candidates in the same n blocks.

    Attributes
    ----------
    hours : float64[n]
        Length of each block, hours.
    cost, events, late : float64[n, k]
        Cost, events, and those of them that are late.
    """

    hours: Floats
    cost: Floats
    events: Floats
    late: Floats


class Ratios(NamedTuple):
    """Cost and lateness, of candidates or of resamples (float64[r, k]).

    Attributes
    ----------
    cost : float64[k]
        Cost per hour.
    late : float64[k]
        Share of the events that are late; 0 without events.
    """

    cost: Floats
    late: Floats


class HeldOut(NamedTuple):
    """How well a choice does on blocks that it has not seen.

    Attributes
    ----------
    picks : int64[n]
        Candidate that is chosen without each block.
    cost, late : float
        Cost per hour and share of late events of these, each on the block that it has not seen.
    """

    picks: Longs
    cost: float
    late: float


def ratios(totals: Totals) -> Ratios:
    """Cost per hour and share of late events of each candidate over all blocks.

    Parameters
    ----------
    totals : Totals
        At least one block and one candidate.

    Raises
    ------
    InvalidParameterError
        If shapes differ, or a value is negative or not finite.

    Examples
    --------
    >>> totals = Totals(np.array([1.0, 3.0]), *np.array([[[2.0], [6.0]], [[9], [1]], [[1], [0]]]))
    >>> cost, late = ratios(totals)
    >>> cost.tolist(), late.tolist()
    ([2.0], [0.1])
    """
    _check(totals)
    sums = (totals.cost.sum(axis=0), totals.events.sum(axis=0), totals.late.sum(axis=0))
    return _ratios(float(totals.hours.sum()), *sums)


def resampled(totals: Totals, seed: int) -> Ratios:
    """Cost per hour and share of late events in resamples of the blocks.

    Parameters
    ----------
    totals : Totals
        Totals of k candidates.
    seed : int
        Seed of the resampling.

    Returns
    -------
    Ratios
        ``float64[r, k]``; NaN for fewer than 2 blocks.

    Notes
    -----
    As many blocks with replacement, 9999 times, the same for all candidates. A ratio of sums allows
    for blocks of different length. O(9999 n k).
    """
    _check(totals)
    k = totals.cost.shape[1]
    columns = np.hstack([totals.hours[:, None], totals.cost, totals.events, totals.late])
    means = resampled_means(columns, seed)
    hours, cost, events, late = np.split(means, [1, k + 1, 2 * k + 1], axis=1)
    return _ratios(hours, cost, events, late)


def keeps(values: Ratios, allowed: float) -> Bools:
    """Whether at most a share of the events is late, except for rounding."""
    within: Bools = values.late <= allowed + _ROUNDING
    return within


def order(values: Ratios, allowed: float) -> Longs:
    """Candidates from the best to the worst.

    Parameters
    ----------
    values : Ratios
        Of k candidates.
    allowed : float
        Share of the events that may be late.

    Returns
    -------
    int64[k]
        First those that keep to the objective, by cost; then the others, by share of late events.
        Ties: the smaller share or cost, then the position. Costs that differ by rounding are equal.
    """
    outside = ~keeps(values, allowed)
    cost = _without_rounding(values.cost)
    first = np.where(outside, values.late, cost)
    second = np.where(outside, cost, values.late)
    return np.lexsort((second, first, outside)).astype(np.int64)


def probability(resamples: Ratios, allowed: float) -> Floats:
    """Share of the resamples in which each candidate keeps to the objective; NaN if unknown."""
    share: Floats = keeps(resamples, allowed).mean(axis=0)
    return np.where(np.isnan(resamples.cost[0]), math.nan, share)


def share_of_first(resamples: Ratios, allowed: float, ranked: Longs) -> Floats:
    """Share of the resamples in which each candidate is the cheapest that keeps to the objective.

    Parameters
    ----------
    resamples : Ratios
        From `resampled`.
    allowed : float
        Share of the events that may be late.
    ranked : int64[m]
        The candidates that count, as `order` has them: the first of equals is taken.

    Returns
    -------
    float64[k]
        They sum to the share of resamples in which any candidate keeps to the objective; NaN for
        fewer than 2 blocks.
    """
    r, k = resamples.cost.shape
    if np.isnan(resamples.cost[0, 0]):
        return np.full(k, math.nan)
    if ranked.size == 0:
        return np.zeros(k)
    cost = np.where(keeps(resamples, allowed), _without_rounding(resamples.cost), math.inf)
    cheapest = cost[:, ranked].argmin(axis=1)
    some = np.isfinite(cost[np.arange(r), ranked[cheapest]])
    share: Floats = np.bincount(ranked[cheapest[some]], minlength=k) / r
    return share


def cost_interval(values: Ratios, resamples: Ratios, i: int) -> Interval:
    """Cost per hour of one candidate, with its 95 % interval."""
    return paired_interval(resamples.cost[:, i], float(values.cost[i]))


def on_time_interval(values: Ratios, resamples: Ratios, i: int) -> Interval:
    """Share of one candidate's events that are not late, with its 95 % interval."""
    return paired_interval(1.0 - resamples.late[:, i], 1.0 - float(values.late[i]))


def extra_cost(values: Ratios, resamples: Ratios, i: int, j: int) -> Interval:
    """Cost per hour of candidate i less that of candidate j, with its paired 95 % interval."""
    difference = float(values.cost[i] - values.cost[j])
    return paired_interval(resamples.cost[:, i] - resamples.cost[:, j], difference)


def held_out(totals: Totals, allowed: float, eligible: Longs) -> HeldOut:
    """Choose without each block, and judge the choice on that block.

    What is best on a recording is partly best by chance, so that it does somewhat worse elsewhere.
    This says how much.

    Parameters
    ----------
    totals : Totals
        Totals of k candidates in n blocks.
    allowed : float
        Share of the events that may be late.
    eligible : int64[m]
        Candidates to choose from, ascending.

    Returns
    -------
    HeldOut
        NaN for fewer than 2 blocks, from which nothing can be left out, and without candidates.

    Notes
    -----
    Leave-one-out cross-validation; each choice is the first of `order`. O(n² k + n k log k).
    """
    _check(totals)
    n = totals.hours.size
    if n < 2 or eligible.size == 0:
        return HeldOut(np.empty(0, np.int64), math.nan, math.nan)
    picks = np.empty(n, np.int64)
    for block in range(n):
        rest = Totals(*(np.delete(values, block, axis=0) for values in totals))
        among = Ratios(*(values[eligible] for values in ratios(rest)))
        picks[block] = eligible[order(among, allowed)[0]]
    blocks = np.arange(n)
    cost, events, late = (float(values[blocks, picks].sum()) for values in totals[1:])
    return HeldOut(picks, cost / float(totals.hours.sum()), late / events if events > 0.0 else 0.0)


def _ratios(hours: float | Floats, cost: Floats, events: Floats, late: Floats) -> Ratios:
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(events > 0.0, late / events, np.where(np.isnan(events), math.nan, 0.0))
    return Ratios(cost / hours, share)


def _without_rounding(cost: Floats) -> Floats:
    """Costs with nine digits of the greatest, so that sums in different order are equal."""
    unit = float(np.nanmax(cost, initial=0.0)) * _ROUNDING
    rounded: Floats = np.round(cost / unit) if unit > 0.0 else cost
    return rounded


def _check(totals: Totals) -> None:
    n = totals.hours.size
    shape = totals.cost.shape
    if totals.hours.shape != (n,) or len(shape) != 2 or shape[0] != n or 0 in shape:
        raise InvalidParameterError(
            f"totals must have shape (blocks, candidates), {n} blocks (got {shape})"
        )
    for name, values in totals._asdict().items():
        if name != "hours" and values.shape != shape:
            raise InvalidParameterError(f"{name} must have shape {shape} (got {values.shape})")
        if not (np.isfinite(values) & (values >= 0.0)).all():
            raise InvalidParameterError(f"{name} must be finite and at least 0")
