"""Strategies compared by events in time, replica-minutes and moved partitions, over replicates.

A candidate is a strategy with its parameters. Every figure is a matrix with one row per replicate
and one column per candidate, all on the same workloads. Strategies, each with all its candidates,
are compared in `algorithms.scores.strategy_fronts`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import derive_seed
from algorithms.inference.intervals import Interval
from algorithms.inference.paired import check_replicates, paired_interval, resampled_means
from algorithms.inference.pairwise_dominance import Beaten, dominated
from algorithms.inference.pareto_front import non_dominated


class Service(NamedTuple):
    """Results of k candidates on n replicates, each ``float64[n, k]``."""

    sla_percent: Floats
    """float64[n, k]: events in time, in %."""
    replica_minutes: Floats
    """float64[n, k]: paid replicas, integrated over time."""


class TradeOff(NamedTuple):
    """A candidate's place among all, by their means over replicates."""

    on_front: bool
    """Whether it can be chosen, and no other that can be is better: at least as good in both means,
    and better in one."""
    beaten: Beaten
    """Which candidate that can be chosen most clearly dominates this one."""


def trade_offs(service: Service, eligible: Bools | None = None) -> tuple[TradeOff, ...]:
    """Return the place of every candidate in the front.

    eligible: bool[k], which candidates can be chosen; by default all. Others are on no front, and
        dominate none.

    O(n k^2).

    >>> service = Service(
    ...     np.array([[99.0, 90.0, 95.0], [97.0, 92.0, 90.0]]),
    ...     np.array([[20.0, 10.0, 25.0], [22.0, 10.0, 25.0]]),
    ... )
    >>> [each.on_front for each in trade_offs(service)]
    [True, True, False]
    """
    checked = check_service(service)
    losses = np.column_stack(
        [-checked.sla_percent.mean(axis=0), checked.replica_minutes.mean(axis=0)]
    )
    allowed = np.ones(len(losses), dtype=np.bool_) if eligible is None else eligible
    front = np.zeros_like(allowed)
    front[allowed] = non_dominated(np.ascontiguousarray(losses[allowed]))
    return tuple(TradeOff(bool(front[j]), _beaten(checked, allowed, j)) for j in range(front.size))


def _beaten(service: Service, allowed: Bools, column: int) -> Beaten:
    """What most clearly dominates a candidate, of those that can be chosen."""
    others = np.flatnonzero(allowed | (np.arange(allowed.size) == column))
    lateness, minutes = 100.0 - service.sla_percent[:, others], service.replica_minutes[:, others]
    dominance = dominated(lateness, minutes, int(np.searchsorted(others, column)))
    return dominance if dominance.by is None else dominance._replace(by=int(others[dominance.by]))


def mean_intervals(values: Floats, seed: int) -> tuple[Interval, ...]:
    """Return the mean of a figure for every candidate, with intervals over replicates.

    values: float64[n, k], the figure on each replicate. A candidate with a NaN has no mean.
    seed: Root seed of the resampling. With one seed, all figures and candidates are resampled from
        the same replicates.
    Returns: one per candidate; all NaN for one without a mean.

    O(9999 n k).
    """
    return _of_known(values, derive_seed(seed, "trade-off"))


def regret_intervals(regrets: Floats, seed: int) -> tuple[Interval, ...]:
    """Return the mean regret of every candidate, with intervals over replicates.

    regrets: float64[n, k], regret on each replicate, such as
        `algorithms.bounds.clairvoyant_front.Regret.share`. A candidate with a NaN has none.
    Returns: one per candidate; all NaN for one without regret.
    """
    return _of_known(regrets, derive_seed(seed, "regret"))


def check_service(service: Service) -> Service:
    """Return results as matrices of the same shape, or raise `InvalidParameterError`."""
    checked = Service(*(check_replicates(values) for values in service))
    shapes = {values.shape for values in checked}
    if len(shapes) > 1:
        raise InvalidParameterError(
            "sla_percent and replica_minutes must have one row per replicate and one column per "
            f"candidate (got shapes {', '.join(str(values.shape) for values in checked)})"
        )
    return checked


def _of_known(values: Floats, seed: int) -> tuple[Interval, ...]:
    """Means of columns with intervals, all NaN for a column with a NaN."""
    array = np.asarray(values, dtype=np.float64)
    filled = np.where(np.isnan(array), 0.0, array)
    intervals = column_intervals(filled, resampled_means(filled, seed))
    none = Interval(np.nan, np.nan, np.nan)
    pairs = zip(array.T, intervals, strict=True)
    return tuple(none if np.isnan(column).any() else each for column, each in pairs)


def column_intervals(values: Floats, drawn: Floats) -> tuple[Interval, ...]:
    """Means of columns with 95 % intervals, from the means of resamples."""
    means = values.mean(axis=0).tolist()
    return tuple(paired_interval(drawn[:, j], mean) for j, mean in enumerate(means))
