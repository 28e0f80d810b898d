"""Replicas in proportion to the total rate."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling import totals
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.number_checks import check_factors
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel


class Linear(NamedTuple):
    """State of the strategy ``linear``."""

    partitions: int
    f_up: float
    """Factor of the total rate."""
    per_replica: float
    """Rate for which one replica is planned, ``mu f_down``, events/s."""


def start(group: Group, *, f_up: float, f_down: float) -> Linear:
    """Start ``linear``: ``ceil(total rate * f_up / (mu * f_down))`` replicas.

    Raises InvalidParameterError unless ``0 < f_down < f_up <= 1``.

    Ezzeddine 2024, the reference "Linear". The quotient is lowered by 1e-9 before it is rounded up;
    at least 1. O(P).
    """
    check_factors(f_up, f_down)
    return Linear(group.partitions, f_up, group.mu * f_down)


@decides(Linear)
@kernel
def _decide(state: Linear, seen: Seen, after: Longs) -> tuple[int, int]:
    return totals.count_of(totals.total(seen.rates) * state.f_up / state.per_replica), 0
