"""Fronts of strategies, each over its candidates: hypervolume and coverage, over replicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import derive_seed
from algorithms.inference.front_quality import hypervolume
from algorithms.inference.intervals import Interval
from algorithms.inference.paired import Pairs, compare, resampled_means
from algorithms.inference.pareto_front import non_dominated
from algorithms.scores.service_trade_off import Service, check_service, column_intervals

SLA_FLOOR = 80.0
"""Events in time, in %, from which a point counts for the hypervolume."""

REFERENCE_POINT = (1.0, 1.0)
"""Corner of the hypervolume on the axes of `on_service_axes`."""


class Hypervolumes(NamedTuple):
    """Hypervolumes of s strategies, each over its candidates."""

    strategies: tuple[str, ...]
    """Names, in the order of their first candidates."""
    replicates: Floats
    """float64[n, s]: hypervolume on each replicate, between 0 and 1."""
    intervals: tuple[Interval, ...]
    """Means over replicates with 95 % intervals."""
    pairs: Pairs
    """Differences between every two strategies, paired over replicates."""


class Coverage(NamedTuple):
    """Which part of a strategy's front another one dominates."""

    strategies: tuple[str, ...]
    """Names of the s strategies."""
    share: Floats
    """float64[s, s]: mean share of the front of the strategy of the column that the one of the row
    dominates; 0 on the diagonal."""
    low: Floats
    high: Floats
    """`low`, `high`: float64[s, s]: 95 % intervals; NaN for fewer than 2 replicates."""


def on_service_axes(sla_percent: Floats, replica_minutes: Floats, most_minutes: float) -> Floats:
    """Points on axes without units, both minimised.

    sla_percent, replica_minutes: float64[...], events in time, in %, and replica-minutes; of the
        same shape.
    most_minutes: Replica-minutes that count as 1: the partitions times the duration in minutes.
    Returns: float64[..., 2], share of the most replica-minutes, and ``(100 - SLA %) / (100 -
        SLA_FLOOR)``. Up to `REFERENCE_POINT` they span ``(1 - x) (SLA % - 80) / 20``.

    >>> on_service_axes(np.array([90.0]), np.array([30.0]), 120.0).tolist()
    [[0.25, 0.5]]
    """
    most = check_number("most_minutes", most_minutes, above=0.0)
    return np.stack([replica_minutes / most, (100.0 - sla_percent) / (100.0 - SLA_FLOOR)], axis=-1)


def hypervolumes(
    service: Service, strategies: Sequence[str], most_minutes: float, seed: int
) -> Hypervolumes:
    """Return the area that each strategy dominates, and the differences between strategies.

    most_minutes: As for `on_service_axes`.

    A strategy dominates what its front on a replicate dominates, so more candidates never give a
    smaller area. O(9999 n s + n k log k).

    >>> service = Service(np.array([[90.0, 100.0]]), np.array([[30.0, 60.0]]), np.zeros((1, 2)))
    >>> areas = hypervolumes(service, ["linear", "linear"], 120.0, seed=1)
    >>> areas.strategies, areas.replicates.tolist()
    (('linear',), [[0.625]])
    """
    checked, names = check_service(service), _names(service, strategies)
    points = on_service_axes(checked.sla_percent, checked.replica_minutes, most_minutes)
    columns = _columns(names, strategies)
    areas = np.array(
        [[hypervolume(row[own], REFERENCE_POINT) for own in columns] for row in points]
    )
    drawn = resampled_means(areas, derive_seed(seed, "hypervolume"))
    return Hypervolumes(
        strategies=names,
        replicates=areas,
        intervals=column_intervals(areas, drawn),
        pairs=compare(areas, drawn),
    )


def coverage(service: Service, strategies: Sequence[str], seed: int) -> Coverage:
    """Return which share of each strategy's front every other one dominates.

    The coverage of two sets of Zitzler and Thiele 1999, on each replicate, for strict dominance:
    equal points do not count. O(9999 n s^2 + n k^2).

    >>> service = Service(
    ...     np.array([[95.0, 90.0, 99.0]]), np.array([[10.0, 20.0, 30.0]]), np.zeros((1, 3))
    ... )
    >>> coverage(service, ["ds2", "linear", "linear"], seed=1).share.tolist()
    [[0.0, 0.5], [0.0, 0.0]]
    """
    checked, names = check_service(service), _names(service, strategies)
    points = np.stack([-checked.sla_percent, checked.replica_minutes], axis=-1)
    columns = _columns(names, strategies)
    shares = np.array([_covered(row, columns) for row in points])
    drawn = resampled_means(shares, derive_seed(seed, "coverage"))
    ends = np.array(column_intervals(shares, drawn)).T.reshape(3, len(names), len(names))
    return Coverage(names, *ends)


def _names(service: Service, strategies: Sequence[str]) -> tuple[str, ...]:
    candidates = np.shape(service.sla_percent)[1]
    if len(strategies) != candidates:
        raise InvalidParameterError(
            f"strategies must have one name per candidate, {candidates} (got {len(strategies)})"
        )
    return tuple(dict.fromkeys(strategies))


def _columns(names: Sequence[str], strategies: Sequence[str]) -> list[list[int]]:
    """Candidates of each strategy."""
    return [[j for j, own in enumerate(strategies) if own == name] for name in names]


def _covered(points: Floats, columns: Sequence[Sequence[int]]) -> list[float]:
    """Shares on one replicate, all pairs of strategies."""
    fronts = [points[own][non_dominated(points[own])] for own in columns]
    return [_share(one, other) for one in fronts for other in fronts]


def _share(points: Floats, others: Floats) -> float:
    at_most = (points[:, None, :] <= others[None, :, :]).all(axis=2)
    less = (points[:, None, :] < others[None, :, :]).any(axis=2)
    return float((at_most & less).any(axis=0).mean())
