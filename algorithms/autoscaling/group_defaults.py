"""Settings of a simulated consumer group: the one place in which their defaults are declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import Any

INCREMENTAL_HEARTBEAT_S = 5.0
"""Default of ``heartbeat_s`` under the protocol ``incremental``: the coordinator's."""

BATCH_COMMIT_S = 0.1
"""``commit_s`` of members that commit after each batch: what a short one takes with its commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSettings:
    """Settings of a group, with their defaults. Times are in s, rates in events/s.

    Attributes
    ----------
    step_s : float
        Length of a step of the workload.
    arrivals : str
        ``uniform``: spread over the step; ``burst``: all at its start.
    poisson : bool
        Whether the number of events of each step and partition is drawn; rates are means then.
    seed : int
        Seed of all random numbers.
    mu : float
        Rate at which one consumer serves.
    service_cv : float
        Coefficient of variation c of service times. In each step, a consumer serves at ``mu X``; X
        is drawn from a Gamma distribution with mean 1 and variance ``c^2 / (mu step_s)``.
    wsla_s : float
        Latency that the service level agreement allows.
    initial_replicas, min_replicas, max_replicas : int
        Replicas at the start, and their bounds. The maximum defaults to the number of partitions.
    startup_s : float
        Time until a new replica joins.
    heartbeat_s : float
        Time from then until the rebalance starts. Where it is not set, `INCREMENTAL_HEARTBEAT_S`
        under the protocol ``incremental``.
    rebalance_s : float
        Duration of one round of a rebalance, in which members join and learn what they own.
    protocol : str
        Which partitions a rebalance stops: ``eager`` all, for a round; ``cooperative`` those that
        move, for two rounds and `second_heartbeat_s` between them, or one round if their last owner
        has left; ``incremental`` those that move, for a round after a time that is drawn for each
        member that receives some, between 0 and `second_heartbeat_s`.
    second_heartbeat_s : float, optional
        See `protocol`: of a second round, and of what they receive, members learn at a heartbeat.
        Default: `heartbeat_s`.
    assignment_interval_s : float
        Time by which the coordinator delays a rebalance under ``incremental``: 1 s from Kafka 4.3.
    max_poll_records : int
        Most events that a member takes at once. A round of ``eager`` and ``cooperative`` waits
        until each member has served its batch: what waits for it as the round starts, up to this
        number. 0: no round waits.
    move_pause_s : float
        Time that a moved partition waits after its rebalance.
    static_members, leave_on_close : bool
        Whether members have instance ids, and then whether they leave the group as they stop.
    session_s : float
        Time until the group notices that a static member has stopped which does not leave: the
        rebalance starts that much later. Its partitions wait.
    commit_s : float
        Time between commits of a member, or that of its batch if that is longer: strategies see the
        lag of the last commit and what arrived since. 0: they see the true lag. Else at least
        `MIN_COMMIT_S`.
    shared_limit : float
        Rate at which all members together are served by what they share, such as a database,
        events/s: each serves at most the same part of it. 0: there is none.
    placement_draw : int
        Which history the group has: 0: members are in the order of their ids, and the last ones are
        removed; from 1 on, members have random places in the order, and any of them is removed,
        drawn from the seed and this number.
    assignor : str
        Assignor that places the partitions where the strategy does not; see
        `algorithms.assignment.assignors.names`.
    decision_s : float
        Time between decisions, a multiple of `step_s`. Defaults to that of the strategy.
    decision_offset_s : float
        Time from the start of a step to its decision, less than `step_s`.
    observe : str
        Rates that the strategy sees: ``last``: the mean since the decision before; ``now``: those
        of the present step. Defaults to what the strategy is meant to see.
    cooldown_s : float
        Time from the beginning of an action in which the strategy is not called.
    drain_limit_s : float
        Time after the last step in which waiting events can still depart.
    """

    step_s: float = 1.0
    arrivals: str = "uniform"
    poisson: bool = False
    seed: int = 0
    mu: float = 200.0
    service_cv: float = 0.0
    wsla_s: float = 0.5
    initial_replicas: int = 1
    min_replicas: int = 1
    max_replicas: int
    startup_s: float = 10.0
    heartbeat_s: float = 3.0
    rebalance_s: float = 0.1
    protocol: str = "eager"
    second_heartbeat_s: float | None = None
    assignment_interval_s: float = 0.0
    max_poll_records: int = 500
    move_pause_s: float = 0.0
    static_members: bool = False
    leave_on_close: bool = False
    session_s: float = 45.0
    commit_s: float = 5.0
    shared_limit: float = 0.0
    placement_draw: int = 0
    assignor: str = "range"
    decision_s: float
    decision_offset_s: float = 0.0
    observe: str
    cooldown_s: float = 0.0
    drain_limit_s: float = 600.0

    @property
    def next_heartbeat_s(self) -> float:
        """`second_heartbeat_s` with its default, s."""
        return self.heartbeat_s if self.second_heartbeat_s is None else self.second_heartbeat_s

    @property
    def batch_s(self) -> float:
        """Longest time that a round waits for a batch, s."""
        return 0.0 if self.protocol == "incremental" else self.max_poll_records / self.mu

    @property
    def noticed_s(self) -> float:
        """Time until the group notices that a member has stopped, s."""
        return self.session_s if self.static_members and not self.leave_on_close else 0.0

    @property
    def assigned_s(self) -> float:
        """Time from the joining of new replicas until the rebalance starts, s."""
        late_s = self.assignment_interval_s if self.protocol == "incremental" else 0.0
        return self.heartbeat_s + late_s


DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {field.name: field.default for field in fields(GroupSettings) if field.default is not MISSING}
)
"""The defaults of groups: every program that simulates one takes them from here."""

PAPER_GROUP: Mapping[str, Any] = MappingProxyType(
    {
        "startup_s": 0.0,
        "heartbeat_s": 0.0,
        "rebalance_s": 0.05,
        "second_heartbeat_s": 0.0,
        "max_poll_records": 0,
        "commit_s": 0.0,
    }
)
"""What the model of papers sets: replicas start at once, rounds wait for no batch, members learn at
once, and strategies see the true lag."""
