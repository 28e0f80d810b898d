"""Fronts of strategies, each over its candidates: their hypervolume, over replicates."""

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

    >>> service = Service(np.array([[90.0, 100.0]]), np.array([[30.0, 60.0]]))
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
