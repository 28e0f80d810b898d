"""A constant number of replicas that is enough for the peaks of all partitions at once."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling import least_loaded
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.least_loaded_scaling import lag_capacity
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError


class Overprovision(NamedTuple):
    """State of the strategy ``overprovision``."""

    partitions: int
    replicas: int
    """Number of bins."""
    bins: Longs
    """int64[P]: bin of each partition."""


def start(group: Group, *, f_up: float) -> Overprovision:
    """Start ``overprovision``: pack every partition's peak rate once, and keep that assignment.

    group: Requires ``peaks``.
    f_up: Share of the capacities that is used.

    Ezzeddine 2024, the reference "Overprovisioning". The lag of a partition is taken as its peak
    rate times ``decision_s``; capacities are those of ``least_loaded_1`` at `f_up`.
    """
    if group.peaks is None:
        raise InvalidParameterError(
            "peaks is required by overprovision: one peak rate per partition (got None)"
        )
    work = least_loaded.create(group.partitions, 1)
    replicas = least_loaded.fill(
        work,
        group.peaks,
        group.peaks * group.decision_s,
        group.mu * f_up,
        lag_capacity(group.mu, group.wsla_s, f_up),
        1,
        False,
    )
    return Overprovision(group.partitions, int(replicas), work.bins)


@decides(Overprovision)
@kernel
def _decide(state: Overprovision, seen: Seen, after: Longs) -> tuple[int, int]:
    least_loaded.copy_bins(state.bins, after)
    return state.replicas, 1
