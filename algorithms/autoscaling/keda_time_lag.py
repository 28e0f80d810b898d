"""KEDA's Prometheus trigger on an exporter's time lag, and the pod autoscaler.

The query is the greatest time lag of the group's partitions, without a result where one of them is
missing. The target is of type ``Value``: a time lag is not shared by replicas, so the pod
autoscaler multiplies the number of ready ones by its ratio to the target. Those that still start
are not ready.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import deployed_syncs, failing_trigger, hpa_rules, time_lags
from algorithms.autoscaling.dispatch import (
    MISSING,
    NO_ANSWER,
    PARTITION,
    STALE,
    ZERO,
    Seen,
    decides,
)
from algorithms.autoscaling.failing_trigger import Failures
from algorithms.autoscaling.hpa_rules import Controller
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.scaling_policies import Behaviour
from algorithms.autoscaling.time_lags import Arrivals
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import inner, kernel

_SCRAPED, _ABSENT = 0, 1
_NEVER = -1
_DECIMALS = 3  # Metrics of Kubernetes are integers of thousandths.
_EXACT = 1e-9


class KedaTimeLag(NamedTuple):
    """State of the strategy ``keda_time_lag``."""

    partitions: int
    controller: Controller
    """State of the pod autoscaler, which gets the count that the ratio asks for."""
    arrivals: Arrivals
    """End offsets at the scrapes."""
    failures: Failures
    """Answers that KEDA did not get."""
    marks: Longs
    """int64[2]: number of the last scrape, and whether a partition, or all, had no sample then."""
    lag_s: Floats
    """float64[1]: time lag of the last scrape, seconds."""
    is_owner: Bools
    """bool[I]: scratch space by id of a member."""
    target_s: float
    scrape_s: float
    tolerance_up: float
    tolerance_down: float
    """`target_s`, `scrape_s`, `tolerance_up`, `tolerance_down`: the arguments of `start`."""


def start(
    group: Group,
    *,
    target_s: float,
    scrape_s: float,
    tolerance_up: float,
    tolerance_down: float,
    scale_up: Behaviour,
    scale_down: Behaviour,
) -> KedaTimeLag:
    """Start ``keda_time_lag``: each decision is a sync of the horizontal pod autoscaler.

    target_s: Time lag at which the number of replicas stays, seconds.
    scrape_s: Time between scrapes of the exporter, and between its own looks at the offsets,
        seconds. A scrape is made by the first decision at or after each multiple.
    tolerance_up, tolerance_down, scale_up, scale_down: As in
        `algorithms.autoscaling.hpa.HorizontalPodAutoscaler`.

    KEDA's scaler ``prometheus`` with ``metricType: Value``, and Kubernetes' autoscaling/v2: outside
    the tolerance, ``ceil(ready * lag_s / target_s)``. Members that own partitions are ready; where
    there are more replicas than partitions, all are. O(P) and the entries within windows per
    decision, and O(P log `time_lags.POINTS`) per scrape.
    """
    most, least = group.max_replicas, max(group.min_replicas, 1)
    controller = hpa_rules.create(least, most, 1.0, 0.0, 0.0, scale_up, scale_down)
    return KedaTimeLag(
        partitions=group.partitions,
        controller=hpa_rules.sized(controller, group.decision_s),
        arrivals=time_lags.create(group.partitions, group.decision_s),
        failures=failing_trigger.create(),
        marks=np.array([_NEVER, 0]),
        lag_s=np.zeros(1),
        is_owner=np.zeros(max(2 * most, group.partitions) + 1, np.bool_),
        target_s=target_s,
        scrape_s=scrape_s,
        tolerance_up=tolerance_up,
        tolerance_down=tolerance_down,
    )


@decides(KedaTimeLag, knows_blindness=True)
@kernel
def _decide(state: KedaTimeLag, seen: Seen, after: Longs) -> tuple[int, int]:
    time_lags.arrive(state.arrivals, seen.time, seen.rates, seen.arrived)
    if deployed_syncs.is_due(state.marks, _SCRAPED, seen.time, state.scrape_s):
        _scrape(state, seen)
    has_failed = state.marks[_ABSENT] == 1
    failing_trigger.poll(state.failures, seen.time, has_failed)
    if has_failed:
        count = failing_trigger.fail(state.failures, seen.replicas)
        if count < 0:
            return NO_ANSWER, 0
    else:
        count = _proposed(state, seen)
    _, desired = hpa_rules.sync(state.controller, seen.time, float(count), seen.replicas)
    if not has_failed:
        failing_trigger.succeed(state.failures, desired)
    return desired, 0


@inner
def _proposed(state: KedaTimeLag, seen: Seen) -> int:
    """Replicas by the ratio of the time lag to its target."""
    ratio = state.lag_s[0] / state.target_s
    if 1.0 - state.tolerance_down <= ratio <= 1.0 + state.tolerance_up:
        return seen.replicas
    wanted = min(ratio * _ready(state.is_owner, seen), float(hpa_rules.MOST))
    return int(np.ceil(wanted - _EXACT))


@inner
def _ready(is_owner: Bools, seen: Seen) -> int:
    """Members that own partitions; all replicas if none does, or if some cannot."""
    ready = 0
    for owner in seen.owners:
        if 0 <= owner < is_owner.shape[0] and not is_owner[owner]:
            is_owner[owner] = True
            ready += 1
    for owner in seen.owners:
        if 0 <= owner < is_owner.shape[0]:
            is_owner[owner] = False
    if ready == 0 or seen.replicas > seen.owners.shape[0]:
        return seen.replicas
    return min(ready, seen.replicas)


@inner
def _scrape(state: KedaTimeLag, seen: Seen) -> None:
    """Take the exporter's value: none, the one before, 0, or what it has interpolated.

    While it cannot see offsets it has no point of them: later, a straight line stands for that
    time.
    """
    state.marks[_ABSENT] = seen.blind in (MISSING, PARTITION)
    if seen.blind == ZERO:
        state.lag_s[0] = 0.0
    if seen.blind in (MISSING, PARTITION, STALE, ZERO):
        return
    time_lags.note(state.arrivals)
    state.lag_s[0] = round(time_lags.greatest(state.arrivals, seen.lags), _DECIMALS)
