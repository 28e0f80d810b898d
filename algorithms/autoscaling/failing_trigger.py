"""KEDA while its trigger fails: it counts failures, and then raises the group by its fallback.

The fallback is ``currentReplicasIfHigher``: the count in the manifest, or the present one if that
is greater. The manifest has the peak of the recording; here it is the greatest count so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import deployed_syncs
from algorithms.autoscaling.blind_answers import FAILURE_THRESHOLD, POLLING_S
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel

_POLLS, _FAILURES, _MOST = 0, 1, 2


class Failures(NamedTuple):
    """What KEDA remembers of its trigger."""

    marks: Longs
    """int64[3]: polls that were due so far, failures in a row, and the greatest count."""


def create() -> Failures:
    """No failure yet."""
    return Failures(np.zeros(3, np.int64))


@kernel
def poll(failures: Failures, time: float, has_failed: bool) -> None:
    """KEDA asks for itself, every `POLLING_S`."""
    if deployed_syncs.is_due(failures.marks, _POLLS, time, POLLING_S):
        failures.marks[_FAILURES] = failures.marks[_FAILURES] + 1 if has_failed else 0


@kernel
def succeed(failures: Failures, count: int) -> None:
    """The pod autoscaler gets a count."""
    failures.marks[_FAILURES] = 0
    failures.marks[_MOST] = max(failures.marks[_MOST], count)


@kernel
def fail(failures: Failures, replicas: int) -> int:
    """The pod autoscaler asks in vain; return what KEDA reports, -1 for an error.

    With failure number `FAILURE_THRESHOLD` + 1 in a row, it reports its fallback.
    """
    failures.marks[_FAILURES] += 1
    if failures.marks[_FAILURES] <= FAILURE_THRESHOLD:
        return -1
    return max(int(failures.marks[_MOST]), replicas)
