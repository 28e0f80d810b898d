"""One replica more or fewer where the total lag leaves an interval."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling import totals
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError


class Threshold(NamedTuple):
    """State of the strategy ``threshold``: the arguments of `start`."""

    partitions: int
    t_in: float
    t_out: float
    k_max: int


def start(group: Group, *, t_in: float, t_out: float, k_max: int) -> Threshold:
    """Start ``threshold``: one replica fewer at a low total lag, one more at a high one.

    t_in, t_out: Total lag up to which there is one replica fewer, and above which there is one
        more, events; ``t_in < t_out``.
    k_max: Number of replicas from which none is added.

    Russo Russo 2021, the rule of Pulsar Functions. O(P).
    """
    if not t_in < t_out:
        raise InvalidParameterError(f"t_in must be below t_out (got t_in {t_in}, t_out {t_out})")
    return Threshold(group.partitions, t_in, t_out, k_max)


@decides(Threshold)
@kernel
def _decide(state: Threshold, seen: Seen, after: Longs) -> tuple[int, int]:
    lag = totals.total(seen.lags)
    if lag <= state.t_in:
        # Without replicas this is the code of no answer.
        return seen.replicas - 1, 0
    if lag > state.t_out and seen.replicas < state.k_max:
        return seen.replicas + 1, 0
    return -1, 0
