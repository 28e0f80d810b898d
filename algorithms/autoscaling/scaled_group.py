"""What a strategy knows of its consumer group when it starts."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.assignment.assignors import assignor_names, topic_sizes
from algorithms.autoscaling.number_checks import check_number, check_switch, check_values
from algorithms.core.arrays import MAX_PARTITIONS, Floats, check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError

PROTOCOLS = ("eager", "cooperative", "incremental")
"""Rebalance protocols: all partitions stop; those that move, twice; those that move, once."""

_EXACT = 1e-9


class Group(NamedTuple):
    """Settings of a consumer group that reads P partitions.

    Attributes
    ----------
    partitions : int
        Number of partitions P.
    mu : float
        Rate that one consumer serves, events/s.
    wsla_s : float
        Latency bound of the service level agreement, seconds.
    step_s : float
        Length of a step of the workload, seconds.
    decision_s : float
        Time between decisions, seconds; a multiple of `step_s`.
    rebalance_s, startup_s : float
        Duration of a rebalance, and time until a new replica joins, seconds.
    min_replicas, max_replicas, initial_replicas : int
        Bounds of the number of replicas, and the number at the start.
    burst : bool
        Whether the events of a step arrive at its start instead of spread over it.
    seed : int
        Seed of the stream, ``0 .. 2**63 - 1``.
    peaks : float64[P] or None
        Greatest rate of each partition, events/s; only ``overprovision`` requires it.
    assignor : str
        Assignor that places the partitions for counting strategies.
    heartbeat_s, move_pause_s : float
        Time from the start of an action, or from the joining of its new replicas, to the rebalance,
        and time that a moved partition waits after it, seconds.
    protocol : str
        One of `PROTOCOLS`.
    topics : tuple of int
        Partitions of each topic that the group reads, in the order of the topics' names; they sum
        to P. Empty: one topic.
    """

    partitions: int
    mu: float
    wsla_s: float
    step_s: float
    decision_s: float
    rebalance_s: float
    startup_s: float
    min_replicas: int
    max_replicas: int
    initial_replicas: int
    burst: bool
    seed: int
    peaks: Floats | None = None
    assignor: str = "range"
    heartbeat_s: float = 0.0
    move_pause_s: float = 0.0
    protocol: str = "eager"
    topics: tuple[int, ...] = ()


def check_group(group: Group) -> Group:
    """Return the group with plain numbers, or raise if a setting is invalid.

    Raises
    ------
    InvalidParameterError
        If a setting is out of bounds; the message names it.
    """
    partitions = check_count("partitions", group.partitions, 1, MAX_PARTITIONS)
    checked = group._replace(
        partitions=partitions,
        mu=check_number("mu", group.mu, above=0.0),
        wsla_s=check_number("wsla_s", group.wsla_s, above=0.0),
        step_s=check_number("step_s", group.step_s, above=0.0),
        decision_s=check_number("decision_s", group.decision_s, above=0.0),
        rebalance_s=check_number("rebalance_s", group.rebalance_s, at_least=0.0),
        startup_s=check_number("startup_s", group.startup_s, at_least=0.0),
        burst=check_switch("burst", group.burst),
        seed=check_seed(group.seed),
        peaks=None if group.peaks is None else check_values("peaks", group.peaks, partitions),
        heartbeat_s=check_number("heartbeat_s", group.heartbeat_s, at_least=0.0),
        move_pause_s=check_number("move_pause_s", group.move_pause_s, at_least=0.0),
        topics=topic_sizes.check_sizes(group.topics or None, partitions),
    )
    if group.protocol not in PROTOCOLS:
        raise InvalidParameterError(
            f"protocol must be one of {', '.join(PROTOCOLS)} (got {group.protocol!r})"
        )
    assignor_names.code_of(group.assignor)
    _check_decisions(checked)
    return _check_counts(checked)


def _check_decisions(group: Group) -> None:
    steps = group.decision_s / group.step_s
    if round(steps) < 1 or abs(steps - round(steps)) > _EXACT * steps:
        raise InvalidParameterError(
            f"decision_s must be a multiple of step_s, {group.step_s} s (got {group.decision_s})"
        )


def _check_counts(group: Group) -> Group:
    most = check_count("max_replicas", group.max_replicas, 1, MAX_PARTITIONS)
    least = check_count("min_replicas", group.min_replicas, 0, most)
    initial = check_count("initial_replicas", group.initial_replicas, least, most)
    return group._replace(min_replicas=least, max_replicas=most, initial_replicas=initial)
