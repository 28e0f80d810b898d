"""What a strategy knows of its consumer group when it starts."""

from __future__ import annotations

from typing import Any, NamedTuple

from algorithms.assignment.assignors import topic_sizes
from algorithms.autoscaling.group_defaults import GroupSettings
from algorithms.autoscaling.number_checks import check_switch, check_values
from algorithms.core.arrays import MAX_PARTITIONS, Floats, check_count
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import Declaration, SettingError, declared

_EXACT = 1e-9


class Group(NamedTuple):
    """Settings of a consumer group that reads P partitions."""

    partitions: int
    """Number of partitions P."""
    mu: float
    """Rate that one consumer serves, events/s."""
    wsla_s: float
    """Latency bound of the service level agreement, seconds."""
    step_s: float
    """Length of a step of the workload, seconds."""
    decision_s: float
    """Time between decisions, seconds; a multiple of `step_s`."""
    rebalance_s: float
    startup_s: float
    """`rebalance_s`, `startup_s`: duration of a rebalance, and time until a new replica joins,
    seconds."""
    min_replicas: int
    max_replicas: int
    initial_replicas: int
    """`min_replicas`, `max_replicas`, `initial_replicas`: bounds of the number of replicas, and the
    number at the start."""
    burst: bool
    """Whether the events of a step arrive at its start instead of spread over it."""
    seed: int
    """Seed of the stream, ``0 .. 2**63 - 1``."""
    peaks: Floats | None
    """float64[P]: greatest rate of each partition, events/s; only ``overprovision`` requires it."""
    means: Floats | None
    """float64[P]: mean rate of each partition, events/s; only ``keda_prometheus`` requires it."""
    assignor: str
    """Assignor that places the partitions for counting strategies."""
    heartbeat_s: float
    move_pause_s: float
    """`heartbeat_s`, `move_pause_s`: time from the start of an action, or from the joining of its
    new replicas, to the rebalance, and time that a moved partition waits after it, seconds."""
    protocol: str
    """One of `algorithms.core.group_declarations.PROTOCOLS`."""
    topics: tuple[int, ...]
    """Partitions of each topic that the group reads, in the order of the topics' names; they sum to
    P. Empty: one topic."""
    second_heartbeat_s: float
    assignment_interval_s: float
    """`second_heartbeat_s`, `assignment_interval_s`: time until members learn of a second round, or
    at most of what they receive, and by which the coordinator delays a rebalance under
    ``incremental``, seconds."""

    @property
    def capacity(self) -> float:
        """Rate that one consumer may have, events/s; for bursts, what it serves in time."""
        return self.mu * (self.wsla_s - 1.0 / (2.0 * self.mu)) if self.burst else self.mu


def check_group(group: Group) -> Group:
    """Return the group with plain numbers, or raise if a setting is invalid."""
    partitions = check_count("partitions", group.partitions, 1, MAX_PARTITIONS)
    own = declared(GroupSettings)
    plain = group._replace(
        **{
            name: _checked(own[name], getattr(group, name)) for name in Group._fields if name in own
        },
        partitions=partitions,
        burst=check_switch("burst", group.burst),
        peaks=None if group.peaks is None else check_values("peaks", group.peaks, partitions),
        means=None if group.means is None else check_values("means", group.means, partitions),
        topics=topic_sizes.check_sizes(group.topics or None, partitions),
    )
    _check_decisions(plain)
    _check_counts(plain)
    return plain


def _checked(item: Declaration, value: object) -> Any:
    """A value of a setting; here defaults that follow from other settings have been filled in."""
    if value is None:
        raise SettingError((item.name,), item.limits, value)
    return item.check(value)


def _check_decisions(group: Group) -> None:
    steps = group.decision_s / group.step_s
    if round(steps) < 1 or abs(steps - round(steps)) > _EXACT * steps:
        raise InvalidParameterError(
            f"decision_s must be a multiple of step_s, {group.step_s} s (got {group.decision_s})"
        )


def _check_counts(group: Group) -> None:
    check_count("min_replicas", group.min_replicas, 0, group.max_replicas)
    check_count("initial_replicas", group.initial_replicas, group.min_replicas, group.max_replicas)
