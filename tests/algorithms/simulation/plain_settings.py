"""Settings of a plainly simulated group, what its strategy sees, and what a run gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.algorithms.simulation.plain_latency import Curve, Segment

Exact = Fraction
NONE, ONE = Fraction(0), Fraction(1)
Answer = tuple[int, int, list[int]] | None
Decide = Callable[["Sight"], Answer]

SETTLED, STARTING, JOINED, REBALANCING = "settled", "starting", "joined", "rebalancing"
FINISHING, TELLING = "finishing", "telling"
NEVER = 10**12 * ONE


@dataclass
class Sight:
    """What a strategy sees."""

    time: float
    step: int
    lags: list[float]
    rates: list[float]
    owners: list[int]
    replicas: int
    consumed: list[bool]
    counts: list[float]
    arrived: list[float]


@dataclass
class Setup:
    """Settings of a group in exact numbers."""

    decision_s: Exact
    max_replicas: int
    step_s: Exact = ONE
    arrivals: str = "uniform"
    mu: Exact = 200 * ONE
    wsla_s: Exact = ONE / 2
    initial_replicas: int = 1
    min_replicas: int = 1
    startup_s: Exact = NONE
    startups: tuple[tuple[Exact, Exact, Exact], ...] = ()
    """Pieces of drawn start-ups instead: from, to, share."""
    heartbeat_s: Exact = NONE
    initial_rebalance_s: Exact = NONE
    rebalance_s: Exact = ONE / 20
    protocol: str = "eager"
    move_pause_s: Exact = NONE
    assignor: str = "range"
    decision_offset_s: Exact = NONE
    observe: str = "last"
    cooldown_s: Exact = NONE
    drain_limit_s: Exact = 600 * ONE
    second_heartbeat_s: Exact = NONE
    heartbeats: str = "whole"
    kept_pause_s: Exact = NONE
    assignment_interval_s: Exact = NONE
    max_poll_records: int = 0
    static_members: bool = False
    leave_on_close: bool = False
    session_s: Exact = 45 * ONE
    commit_s: Exact = NONE
    in_flight_s: Exact = NONE
    placement_draw: int = 0
    shared_limit: Exact = NONE
    seed: int = 0
    speed: Callable[[int, int], Exact] | None = None
    """Factor of the rate of a consumer, by step and id."""


@dataclass
class Plain:
    """What a run gives."""

    replicas: list[int] = field(default_factory=list)
    replica_seconds: Exact = NONE
    up: int = 0
    down: int = 0
    reassigned: int = 0
    moved: int = 0
    peak_lag: Exact = NONE
    unconsumed: Exact = NONE
    stalled: Exact = NONE
    reprocessed: Exact = NONE
    actions: list[dict[str, Any]] = field(default_factory=list)
    step_lags: list[Exact] = field(default_factory=list)
    step_stalled: list[Exact] = field(default_factory=list)
    step_paid: list[Exact] = field(default_factory=list)
    step_served: list[Exact] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    left: Exact = NONE
    arrivals: list[Curve] = field(default_factory=list)
    departures: list[Curve] = field(default_factory=list)
