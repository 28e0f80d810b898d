"""Replicas by a plan that was made beforehand: a script, to see what the plan costs when simulated.

It is no entry of the registry: a plan belongs to one workload.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.strategy import COUNTING, Strategy
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError


class Planned(NamedTuple):
    """State of a plan."""

    partitions: int
    counts: Longs
    """int64[N]: replicas by step of the workload."""


def planned(counts: Longs, decision_s: float = 1.0) -> Strategy:
    """Return a strategy that carries a plan out.

    counts: int64[N], replicas from the decision of each step on, at least 0. As every strategy, the
        plan first decides when a step has passed, so that of step 0 does not count.
    decision_s: Time between decisions, seconds.

    >>> import numpy as np
    >>> from algorithms.simulation import simulate
    >>> script = planned(np.array([2, 2, 1]))
    >>> settings = {"startup_s": 0.0, "heartbeat_s": 0.0}
    >>> simulate(np.ones((3, 2)), script, settings=settings).replicas.tolist()
    [1, 2, 1]
    """
    return Strategy(
        name="planned",
        title="A plan made beforehand",
        family=COUNTING,
        paper="docs/learning.md",
        module=__name__,
        decision_s=decision_s,
        foresees=True,
        settings=(("counts", counts),),
    )


def start(group: Group, *, counts: Longs) -> Planned:
    """Start a plan. Raises InvalidParameterError unless it has counts, all integers from 0."""
    array = np.asarray(counts)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iu" or array.min() < 0:
        raise InvalidParameterError("counts must be whole numbers of at least 0, one per step")
    return Planned(group.partitions, np.ascontiguousarray(array, np.int64))


@decides(Planned)
@kernel
def _decide(state: Planned, seen: Seen, after: Longs) -> tuple[int, int]:
    return state.counts[min(seen.step, state.counts.shape[0] - 1)], 0
