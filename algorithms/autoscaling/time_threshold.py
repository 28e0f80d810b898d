"""One replica more or fewer where the time lag leaves an interval."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling import time_lags
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.time_lags import Arrivals
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError


class TimeThreshold(NamedTuple):
    """State of the strategy ``time_threshold``."""

    partitions: int
    arrivals: Arrivals
    """End offsets so far."""
    in_s: float
    out_s: float
    k_max: int
    """`in_s`, `out_s`, `k_max`: the arguments of `start`."""


def start(group: Group, *, in_s: float, out_s: float, k_max: int) -> TimeThreshold:
    """Start ``time_threshold``: one replica fewer at a low time lag, one more at a high one.

    in_s, out_s: Time lag up to which there is one replica fewer, and above which there is one more,
        seconds; ``in_s < out_s``. The time lag is the greatest age of an unread event.
    k_max: Number of replicas from which none is added.

    The rule of ``threshold``. O(P log `time_lags.POINTS`).
    """
    if not in_s < out_s:
        raise InvalidParameterError(
            f"in_s must be below out_s (got in_s {in_s:g} s, out_s {out_s:g} s); raise out_s"
        )
    arrivals = time_lags.create(group.partitions, group.decision_s)
    return TimeThreshold(group.partitions, arrivals, in_s, out_s, k_max)


@decides(TimeThreshold)
@kernel
def _decide(state: TimeThreshold, seen: Seen, after: Longs) -> tuple[int, int]:
    time_lags.arrive(state.arrivals, seen.time, seen.rates, seen.arrived)
    time_lags.note(state.arrivals)
    lag_s = time_lags.greatest(state.arrivals, seen.lags)
    if lag_s <= state.in_s:
        # Without replicas this is the code of no answer.
        return seen.replicas - 1, 0
    if lag_s > state.out_s and seen.replicas < state.k_max:
        return seen.replicas + 1, 0
    return -1, 0
