"""Settings of a consumer group in the form in which bounds of its plans read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.autoscaling.number_checks import check_number
from algorithms.core import startup_times
from algorithms.core.arrays import Floats
from algorithms.simulation.group_settings import (
    MIN_STEP_S,
    GroupSettings,
    check_settings,
    check_workload,
)
from algorithms.simulation.latency_segments import SAME_TIME_S
from algorithms.workloads import poisson_counts


class Terms(NamedTuple):
    """What a bound depends on, besides the workload. Times are in s."""

    steps: int
    """Number of steps N."""
    step_s: float
    """Length of a step."""
    mu: float
    """Rate at which one consumer serves, events/s."""
    window_s: float
    """Greatest wait of an event that is in time, with the simulator's tolerance."""
    burst: bool
    """Whether the events of a step arrive at its start."""
    low: int
    high: int
    """`low`, `high`: least and greatest number of replicas that can make a difference."""
    offset_s: float
    startup_s: float
    heartbeat_s: float
    rebalance_s: float
    move_pause_s: float
    """`offset_s`, `startup_s`, `heartbeat_s`, `rebalance_s`, `move_pause_s`: the settings of these
    names; of drawn start-ups the shortest, and of `heartbeat_s` and `initial_rebalance_s` the
    shorter where the group may have no replicas; 0 where members learn at their own heartbeats."""
    starts_differ: bool
    """Whether start-ups are drawn, so that no plan knows when a replica joins."""
    eager: bool
    """Whether a rebalance stops all partitions."""
    late_s: float
    """Longest time by which the rebalance of an action may start or end later than that: with
    batches, assignment intervals, sessions and work that is done again."""
    longest_s: float
    """Longest time from the beginning of an action until the group has settled."""
    cooldown_s: float
    """The setting of this name."""
    constant_speed: bool
    """Whether consumers serve at `mu` in every step."""

    @property
    def replicas(self) -> range:
        """The numbers of replicas among which a plan chooses."""
        return range(self.low, self.high + 1)

    @property
    def ready_s(self) -> float:
        """Time that a new replica is paid for before it can serve anything.

        A group without replicas may give partitions back to their last owners, which is no move.
        """
        joins_s = self.startup_s + self.heartbeat_s
        if self.low > 0:
            return joins_s + self.rebalance_s + self.move_pause_s
        return joins_s + (self.rebalance_s if self.eager else 0.0)

    @property
    def changes_on_grid(self) -> bool:
        """Whether the number of replicas that serve is constant from a decision to the next.

        No answer has to wait for another. Those that stay until new ones have started do not stay
        into the next step.
        """
        if self.starts_differ:
            return False
        if self.startup_s > 0.0:
            return self.offset_s + self.longest_s <= self.step_s
        return self.longest_s <= max(self.step_s, self.cooldown_s)

    @property
    def in_one_step(self) -> bool:
        """Whether events that arrive in a step are late if they wait until the next one."""
        return self.burst and self.window_s <= self.step_s

    @property
    def undivided(self) -> bool:
        """Whether a partition has one owner only in each step."""
        delays_s = self.startup_s + self.heartbeat_s + self.late_s + self.offset_s
        return delays_s == 0.0 and not self.starts_differ and self.longest_s <= self.step_s


def check_group(rates: Floats, settings: Mapping[str, Any] | None) -> tuple[Floats, Terms]:
    """Check a workload and the settings of its group; return both for bounds.

    rates: float64[N, P], rates in events/s; means if the settings say ``poisson``.
    settings: As for `algorithms.simulation.simulate`.
    Returns: float64[N, P], Terms, the rates at which events arrive, drawn where the settings say
        so; the terms.
    Raises InvalidParameterError if the rates or a setting is invalid.
    """
    workload = check_workload(rates)
    step_s = check_number("step_s", (settings or {}).get("step_s", 1.0), at_least=MIN_STEP_S)
    checked = check_settings(settings, workload.shape[1], step_s, None)
    if checked.poisson:
        workload = poisson_counts.draw(workload, checked.step_s, checked.seed)
    return workload, _terms(checked, *workload.shape)


def _terms(settings: GroupSettings, steps: int, partitions: int) -> Terms:
    limit_s = settings.wsla_s - 0.5 / settings.mu + SAME_TIME_S
    rebalances = 2.0 if settings.protocol == "cooperative" else 1.0
    learns_s = 0.0 if settings.protocol == "eager" else settings.next_heartbeat_s
    second_batch_s = settings.batch_s if settings.protocol == "cooperative" else 0.0
    starts = startup_times.pieces(settings.startup_s)
    slowest_s = max(piece.high_s for piece in starts)
    if settings.protocol == "cooperative":
        learns_s += 2.0 * settings.kept_pause_s
    latest_s = settings.assigned_s
    # A heartbeat may be due as the replicas join.
    soonest_s = settings.first_heartbeat_s if settings.heartbeats == "whole" else 0.0
    if settings.min_replicas == 0:
        soonest_s = min(soonest_s, settings.first_assigned_s)
        latest_s = max(latest_s, settings.first_assigned_s)
    delay_s = slowest_s + soonest_s + settings.move_pause_s
    late_s = (
        latest_s
        - soonest_s
        + settings.batch_s
        + settings.noticed_s
        # An owner serves at most as fast again what the last one served before.
        + settings.in_flight_s
    )
    return Terms(
        steps=steps,
        step_s=settings.step_s,
        mu=settings.mu,
        window_s=max(limit_s, 0.0),
        # If even an event that does not wait is late, so is a burst with a window of 0.
        burst=settings.arrivals == "burst" or limit_s < 0.0,
        low=settings.min_replicas,
        # A consumer without partitions serves nothing.
        high=max(settings.min_replicas, min(settings.max_replicas, partitions)),
        offset_s=settings.decision_offset_s,
        startup_s=min(piece.low_s for piece in starts),
        heartbeat_s=soonest_s,
        rebalance_s=settings.rebalance_s,
        move_pause_s=settings.move_pause_s,
        starts_differ=isinstance(settings.startup_s, str),
        eager=settings.protocol == "eager",
        late_s=late_s,
        longest_s=delay_s + rebalances * settings.rebalance_s + late_s + learns_s + second_batch_s,
        cooldown_s=settings.cooldown_s,
        constant_speed=settings.service_cv == 0.0,
    )
