"""Settings of a consumer group that experiments set and tables store.

The other ones are in `algorithms.autoscaling.group_defaults`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from algorithms.core import startup_times
from algorithms.core.setting import Written, setting

PROTOCOLS = ("eager", "cooperative", "incremental")
"""Rebalance protocols: all partitions stop; those that move, twice; those that move, once."""

ARRIVALS = ("uniform", "burst")

HEARTBEATS = ("whole", "drawn", "in_step")
"""When members learn of a rebalance: after a whole interval; each at its next heartbeat, with a
phase of its own; all at the next one, since their heartbeats begin together after each round."""

ASSIGNORS = (
    *("range", "kip848_range", "roundrobin", "sticky", "cooperative_sticky"),
    *("kip848_uniform", "kip848_uniform_4_0", "kip169"),
)

MAX_SECONDS = 1e9
"""Lengths of time: thirty years."""

MAX_RATE = 1e15
"""Rates, events/s or bytes/s: beyond it doubles do not distinguish single ones."""

MAX_REPLICAS = 1_000_000

MAX_COUNT = 2**31 - 1

MIN_STEP_S = 1e-6
"""Shortest step, in s: times that are closer than a thousandth of it count as one instant."""

CLASSIC_HEARTBEAT_S, INCREMENTAL_HEARTBEAT_S = 3.0, 5.0
"""Defaults of ``heartbeat_s``: of members, and under ``incremental`` the coordinator's."""

CLASSIC_SESSION_S = 45.0
"""Kafka's default of ``session.timeout.ms``, seconds."""

INITIAL_REBALANCE_S = 3.0
"""Kafka's default of ``group.initial.rebalance.delay.ms``."""


@dataclass(frozen=True, kw_only=True)
class ServedGroup:
    """What all models of a group have."""

    mu: float = setting(
        200.0, "Rate at which one consumer serves.", "events/s", at_least=1e-3, at_most=MAX_RATE
    )
    wsla_s: float = setting(
        0.5,
        "Latency that the service level agreement allows.",
        "s",
        at_least=1e-6,
        at_most=MAX_SECONDS,
    )
    rebalance_s: float = setting(
        0.1,
        "Duration of one round of a rebalance, in which members join and learn what they own. "
        "Measured: docs/rebalance-table.md.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )


@dataclass(frozen=True, kw_only=True)
class StoredGroup(ServedGroup):
    """Settings that table `simulations` stores.

    The protocol ``eager`` stops all partitions for a round. ``cooperative`` stops those that move,
    for two rounds and `second_heartbeat_s` between them, or one round if their last owner has left.
    ``incremental`` stops those that move, for a round after a time that is drawn for each member
    that receives some, between 0 and `second_heartbeat_s`. These are the times where `heartbeats`
    is ``whole``.

    In each step, a consumer serves at ``mu X``; X is drawn from a Gamma distribution with mean 1
    and variance ``service_cv^2 / (mu step_s)``.
    """

    protocol: str = setting(
        "eager", "Rebalance protocol: which partitions a rebalance stops.", one_of=PROTOCOLS
    )
    arrivals: str = setting(
        "uniform",
        "Arrivals of a step's events: uniform over the step, or in a burst at its start.",
        one_of=ARRIVALS,
    )
    assignor: str = setting(
        "range", "Assignor that places partitions where the strategy does not.", one_of=ASSIGNORS
    )
    startup_s: float | str = setting(
        10.0,
        "Time until a new replica joins.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
        written=Written(startup_times.FORM, partial(startup_times.written, most_s=MAX_SECONDS)),
    )
    heartbeat_s: float | None = setting(
        None,
        "Time until a rebalance starts once all replicas have joined. Default: "
        f"{CLASSIC_HEARTBEAT_S:g}, or {INCREMENTAL_HEARTBEAT_S:g} with incremental.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    heartbeats: str = setting(
        "whole",
        "When members learn of a rebalance: after all of heartbeat_s (whole), or each at its next "
        "heartbeat, with phases that are drawn (drawn) or, in classic groups, begin together after "
        "each round, as those of Java's client do (in_step).",
        one_of=HEARTBEATS,
    )
    cooldown_s: float = setting(
        0.0,
        "Time after the beginning of an action without decisions.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    decision_offset_s: float = setting(
        0.0,
        "Time from the start of a step to the decision in it, below its length.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    initial_replicas: int = setting(
        1,
        "Replicas at the start.",
        "replicas",
        at_least=(0, "min_replicas"),
        at_most=(MAX_REPLICAS, "max_replicas"),
    )
    min_replicas: int = setting(
        1,
        "Least number of replicas.",
        "replicas",
        at_least=0,
        at_most=(MAX_REPLICAS, "max_replicas"),
    )
    move_pause_s: float = setting(
        0.0,
        "Time that a moved partition waits after its rebalance.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    kept_pause_s: float = setting(
        0.0,
        "Time that partitions which keep their member wait in each round of cooperative: 1 s of "
        "librdkafka's members.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    service_cv: float = setting(
        0.0, "Coefficient of variation of service times.", "ratio", at_least=0, at_most=100
    )
    second_heartbeat_s: float | None = setting(
        None,
        "Time until members learn of a second round, or at most of what they receive. Default: "
        "heartbeat_s.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    assignment_interval_s: float = setting(
        0.0,
        "Time by which the coordinator delays a rebalance under the protocol incremental: 1 s from "
        "Kafka 4.3.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    max_poll_records: int = setting(
        500,
        "Most events of a batch, for which rounds of the classic protocols wait; 0: none waits.",
        "events",
        at_least=0,
        at_most=MAX_COUNT,
    )
    commit_s: float = setting(
        5.0,
        "Time between commits of a member, or that of its batch if that is longer: strategies see "
        "the lag of the last commit and what arrived since. 0: they see the true lag.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    in_flight_s: float = setting(
        0.0,
        "Time before a removed member stops of which its work is lost, as far as it is not "
        "committed: what it served then is served again.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    static_members: bool = setting(False, "Whether members have instance ids.")
    leave_on_close: bool = setting(False, "Whether static members leave the group as they stop.")
    session_s: float = setting(
        CLASSIC_SESSION_S,
        "Time until a static member is missed that has not left.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    placement_draw: int = setting(
        0,
        "Drawn history of the order of members, and of which are removed; 0: they are in the order "
        "of their ids, and the last ones are removed.",
        "index",
        at_least=0,
        at_most=MAX_COUNT,
    )


@dataclass(frozen=True, kw_only=True)
class ConfiguredGroup(StoredGroup):
    """Settings that experiments set."""

    step_s: float = setting(
        1.0, "Length of a step of the workload.", "s", at_least=MIN_STEP_S, at_most=MAX_SECONDS
    )
    shared_limit: float = setting(
        0.0,
        "Rate at which what members share, such as a database, serves all of them together; each "
        "has the same part. 0: there is no limit.",
        "events/s",
        at_least=0,
        at_most=MAX_RATE,
    )
    initial_rebalance_s: float | None = setting(
        None,
        "Time until a rebalance of eager or cooperative starts once replicas have joined a group "
        "without members: Kafka's group.initial.rebalance.delay.ms. Default: heartbeat_s.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
