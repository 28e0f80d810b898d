"""How long an action takes by the settings of a group, and how long its partitions wait."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.autoscaling.scaled_group import Group
from algorithms.core.compiled import inlined


class Delays(NamedTuple):
    """Times of an action, in seconds."""

    startup_s: float
    """From its start until new replicas join."""
    heartbeat_s: float
    """From then, or from its start, until the rebalance begins."""
    stays_s: float
    """How long a partition that keeps its member is not consumed."""
    moves_s: float
    orphaned_s: float
    """`moves_s`, `orphaned_s`: how long a partition waits from the beginning of the rebalance if
    its member goes on without it, and if its member has left."""


def delays_of(group: Group) -> Delays:
    """Times that follow from the protocol of a group and its settings, means of drawn ones.

    Rounds wait for no batch here: how much lag there will be is not known.
    """
    cooperative, incremental = group.protocol == "cooperative", group.protocol == "incremental"
    rebalances = 2.0 if cooperative else 1.0
    learns_s = 0.5 * group.second_heartbeat_s if incremental else 0.0
    late_s = group.assignment_interval_s if incremental else 0.0
    waits_s = group.second_heartbeat_s if cooperative else learns_s
    return Delays(
        startup_s=group.startup_s,
        heartbeat_s=group.heartbeat_s + late_s,
        stays_s=group.rebalance_s if group.protocol == "eager" else 0.0,
        moves_s=rebalances * group.rebalance_s + group.move_pause_s + waits_s,
        orphaned_s=group.rebalance_s + group.move_pause_s + learns_s,
    )


@inlined
def settled_after(delays: Delays, before: int, after: int) -> float:
    """Time from the start of an action until all partitions are consumed again, at most."""
    if after < before:
        return delays.heartbeat_s + delays.orphaned_s
    joining = delays.startup_s if after > before else 0.0
    return joining + delays.heartbeat_s + delays.moves_s
