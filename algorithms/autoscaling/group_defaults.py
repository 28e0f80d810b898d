"""Settings of a simulated consumer group, and what papers set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import Any

from algorithms.core import startup_times
from algorithms.core.arrays import MAX_SEED
from algorithms.core.group_declarations import (
    CLASSIC_HEARTBEAT_S,
    INCREMENTAL_HEARTBEAT_S,
    MAX_REPLICAS,
    ConfiguredGroup,
)
from algorithms.core.setting import REQUIRED, setting

BATCH_COMMIT_S = 0.1
"""``commit_s`` of members that commit after each batch: what a short one takes with its commit."""

OBSERVED = ("last", "now")


@dataclass(frozen=True, kw_only=True)
class GroupSettings(ConfiguredGroup):
    """All settings of a group; those without a default follow from the workload or the strategy."""

    poisson: bool = setting(
        False, "Whether the events of each step and partition are drawn; rates are means then."
    )
    seed: int = setting(0, "Seed of all random numbers.", "index", at_least=0, at_most=MAX_SEED)
    max_replicas: int = setting(
        REQUIRED,
        "Greatest number of replicas. Default: one per partition.",
        "replicas",
        at_least=1,
        at_most=MAX_REPLICAS,
    )
    decision_s: float = setting(
        REQUIRED,
        "Time between decisions, a multiple of step_s. Default: that of the strategy.",
        "s",
        above=0,
    )
    observe: str = setting(
        REQUIRED,
        "Rates that the strategy sees: the mean since the decision before, or those of the present "
        "step (now). Default: what it is meant to see.",
        one_of=OBSERVED,
    )
    drain_limit_s: float = setting(
        600.0,
        "Time after the last step in which waiting events can still depart.",
        "s",
        at_least=0,
    )

    @property
    def mean_startup_s(self) -> float:
        """Mean of `startup_s`, s."""
        return startup_times.mean_s(self.startup_s)

    @property
    def first_heartbeat_s(self) -> float:
        """`heartbeat_s` with its default, s."""
        if self.heartbeat_s is not None:
            return self.heartbeat_s
        return INCREMENTAL_HEARTBEAT_S if self.protocol == "incremental" else CLASSIC_HEARTBEAT_S

    @property
    def next_heartbeat_s(self) -> float:
        """`second_heartbeat_s` with its default, s."""
        own = self.second_heartbeat_s
        return self.first_heartbeat_s if own is None else own

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
        return self.first_heartbeat_s + late_s

    @property
    def first_assigned_s(self) -> float:
        """`assigned_s` where the group had no members, s: none has to learn of the rebalance."""
        if self.protocol == "incremental" or self.initial_rebalance_s is None:
            return self.assigned_s
        return self.initial_rebalance_s


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
