"""KEDA with the horizontal pod autoscaler: replicas by lag, down to none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment.assignors import topic_sizes
from algorithms.autoscaling import hpa_rules, keda
from algorithms.autoscaling.dispatch import PARTITION, Seen, decides
from algorithms.autoscaling.hpa_rules import Controller
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.scaling_policies import Behaviour
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner, kernel
from algorithms.core.input_errors import InvalidParameterError

# Times that differ by less are equal.
_ROUNDING_S = 1e-8
_POLLS, _ACTIVE = 0, 1


class KedaHpa(NamedTuple):
    """State of the strategy ``keda_hpa``."""

    partitions: int
    controller: Controller
    """State of the horizontal pod autoscaler."""
    marks: Floats
    """float64[2]: number of polls that were due so far, and time of the last one that saw lag."""
    starts: Longs
    """int64[T + 1]: column at which the partitions of each of T triggers start, and P."""
    to_zero: bool
    """Whether the group may have no replicas."""
    threshold: int
    activation: int
    polling_s: float
    idle_s: float
    exclude_persistent_lag: bool
    allow_idle: bool
    limited: bool
    even: bool
    """`threshold`, `activation`, `polling_s`, `idle_s`, `exclude_persistent_lag`, `allow_idle`,
    `limited`, `even`: the arguments of `start`."""


def start(
    group: Group,
    *,
    threshold: int,
    allow_idle: bool,
    limit_to_partitions_with_lag: bool,
    ensure_even: bool,
    exclude_persistent_lag: bool,
    activation: int,
    tolerance_up: float,
    tolerance_down: float,
    scale_up: Behaviour,
    scale_down: Behaviour,
    polling_s: float,
    idle_s: float,
    per_topic: bool,
) -> KedaHpa:
    """Start ``keda_hpa``: each decision is a sync of the horizontal pod autoscaler.

    group: With ``min_replicas = 0`` KEDA also starts the first replica and stops the last.
    threshold, allow_idle, limit_to_partitions_with_lag, ensure_even: As in
        `algorithms.autoscaling.keda.metric`.
    exclude_persistent_lag: Whether a partition that was not consumed since the last decision counts
        0.
    activation: Lag above which a group without replicas gets one.
    tolerance_up, tolerance_down, scale_up, scale_down: As in
        `algorithms.autoscaling.hpa.HorizontalPodAutoscaler`.
    polling_s: Time between polls, at which the first replica starts and the last stops, seconds. A
        poll is made by the first decision at or after each multiple.
    idle_s: Time without activity after which the last replica stops, seconds.
    per_topic: Whether each topic has a trigger. Otherwise there is one, which names no topic.
    Raises InvalidParameterError if switches exclude each other, or need a topic's trigger.

    KEDA's scaler ``apache-kafka`` and Kubernetes' autoscaling/v2. A trigger without a topic reports
    the total lag of all topics for which the group has committed offsets, here all, and is limited
    by all of their partitions. With a trigger for each topic, each one is limited by its topic, and
    the pod autoscaler follows the greatest; the group is active while one of them is. Activity is
    judged by the whole lag, before limits and exclusions: else a group without replicas would
    consume nothing, and therefore never start. O(P) and the entries within windows per decision.
    """
    allow_idle, limited, even = keda.check_switches(
        allow_idle, limit_to_partitions_with_lag, ensure_even
    )
    starts = _starts(group, per_topic, limited, even)
    controller = hpa_rules.create(
        max(group.min_replicas, 1),
        group.max_replicas,
        threshold,
        tolerance_up,
        tolerance_down,
        scale_up,
        scale_down,
    )
    return KedaHpa(
        partitions=group.partitions,
        controller=hpa_rules.sized(controller, group.decision_s),
        marks=np.zeros(2),
        starts=starts,
        to_zero=group.min_replicas == 0,
        threshold=threshold,
        activation=activation,
        polling_s=polling_s,
        idle_s=idle_s,
        exclude_persistent_lag=exclude_persistent_lag,
        allow_idle=allow_idle,
        limited=limited,
        even=even,
    )


def _starts(group: Group, per_topic: bool, limited: bool, even: bool) -> Longs:
    """Where the partitions of each trigger start."""
    sizes = group.topics or (group.partitions,)
    if per_topic or len(sizes) == 1:
        return topic_sizes.starts_of(sizes)
    if limited or even:
        name = "limit_to_partitions_with_lag" if limited else "ensure_even"
        raise InvalidParameterError(
            f"{name} must be false for a trigger without a topic, and the group reads "
            f"{len(sizes)} topics; set per_topic to true for a trigger per topic"
        )
    return topic_sizes.starts_of((group.partitions,))


@decides(KedaHpa)
@kernel
def _decide(state: KedaHpa, seen: Seen, after: Longs) -> tuple[int, int]:
    if seen.blind == PARTITION:
        # Of a partition without a committed offset, all that it retains counts.
        seen.lags[state.partitions - 1] = round(seen.arrived[state.partitions - 1], 6)
    if state.to_zero:
        switched = _poll(state, seen)
        if switched >= 0 or seen.replicas == 0:
            return switched, 0
    metric = _greatest(state, seen)
    _, desired = hpa_rules.sync(state.controller, seen.time, float(metric), seen.replicas)
    return desired, 0


@inner
def _greatest(state: KedaHpa, seen: Seen) -> int:
    """Greatest metric of a trigger: proposed replicas never fall as a metric rises."""
    result = 0
    for t in range(state.starts.shape[0] - 1):
        first, end = state.starts[t], state.starts[t + 1]
        metric = keda.reported(
            seen.lags[first:end],
            seen.consumed[first:end],
            state.exclude_persistent_lag,
            state.threshold,
            state.allow_idle,
            state.limited,
            state.even,
        )
        result = max(result, metric)
    return result


@inner
def _is_active(state: KedaHpa, seen: Seen) -> bool:
    """Whether the lag of some trigger is above the activation."""
    for t in range(state.starts.shape[0] - 1):
        if keda.whole_lag(seen.lags[state.starts[t] : state.starts[t + 1]]) > state.activation:
            return True
    return False


@inner
def _poll(state: KedaHpa, seen: Seen) -> int:
    """Replicas if a poll starts the first or stops the last; -1 otherwise."""
    polls = np.floor((seen.time + _ROUNDING_S) / state.polling_s)
    if polls <= state.marks[_POLLS]:
        return -1
    state.marks[_POLLS] = polls
    if _is_active(state, seen):
        state.marks[_ACTIVE] = seen.time
        return 1 if seen.replicas == 0 else -1
    idle = seen.time - state.marks[_ACTIVE] >= state.idle_s - _ROUNDING_S
    return 0 if idle and seen.replicas > 0 else -1
