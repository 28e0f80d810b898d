"""Settings of a simulated group in the form in which kernels read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.assignment import assignors
from algorithms.core import startup_times
from algorithms.core.arrays import Floats
from algorithms.core.group_declarations import HEARTBEATS, PROTOCOLS
from algorithms.core.seeds import derive_seed
from algorithms.core.setting import shared
from algorithms.simulation import incident_rows
from algorithms.simulation.group_settings import GroupSettings
from algorithms.simulation.incident_times import Incident


class Rules(NamedTuple):
    """Settings of a run; fields without a description are the `GroupSettings` of their names."""

    steps: int
    """Number of steps N."""
    step_s: float
    end_s: float
    drained_s: float
    """`end_s`, `drained_s`: end of step N, and of the time in which waiting events can still
    depart, in s."""
    mu: float
    burst: bool
    """Whether the events of a step arrive at its start."""
    window: int
    """Steps from one decision to the next."""
    offset_s: float
    """Time from the start of a step to its decision, in s."""
    observes_now: bool
    """Whether the strategy sees the rates of the present step."""
    cooldown_s: float
    startup_s: float
    startups: Floats
    """float64[K, 3]: shortest and longest time of each piece of drawn start-ups, in s, and its
    share; no piece where all starts take `startup_s`."""
    assigned_s: float
    first_assigned_s: float
    rebalance_s: float
    heartbeats: int
    """Code of the name."""
    heartbeat_s: float
    assignment_interval_s: float
    next_heartbeat_s: float
    """Time until members learn of a second round, and at most of what they receive, in s."""
    max_poll_records: float
    """Events of a batch for which a round waits, at most."""
    move_pause_s: float
    kept_pause_s: float
    noticed_s: float
    """`assigned_s`, `first_assigned_s`, `noticed_s`: time from the joining of new replicas until
    the rebalance starts, the same in a group without members, and by how much later it starts if
    members were removed, in s."""
    commit_s: float
    in_flight_s: float
    shared_limit: float
    """Events/s that all members serve together, at most."""
    shuffled: bool
    """Whether members have random places in their order, and any of them is removed."""
    history_seed: int
    """Seed of those draws, of phases of commits, of heartbeats and of start-ups."""
    protocol: int
    assignor: int
    """`protocol`, `assignor`: codes of the names."""
    min_replicas: int
    max_replicas: int
    shape: float
    """Shape of the Gamma distribution of service rates, 0 if they are constant."""
    seed: int
    session_s: float
    incidents: Floats
    rise_s: float
    first_share: float
    """`incidents`, `rise_s`, `first_share`: see `incident_rows.Changes`."""


def rules_of(settings: GroupSettings, steps: int, incidents: Sequence[Incident] = ()) -> Rules:
    """Checked settings in the form in which kernels read them."""
    shared_limit = settings.shared_limit or math.inf
    changes = incident_rows.changes(incidents, shared_limit)
    end_s = steps * settings.step_s
    variance = settings.service_cv**2 / (settings.mu * settings.step_s)
    own: dict[str, Any] = {
        **shared(settings, Rules._fields),
        "steps": steps,
        "end_s": end_s,
        "drained_s": end_s + settings.drain_limit_s,
        "burst": settings.arrivals == "burst",
        "window": round(settings.decision_s / settings.step_s),
        "offset_s": settings.decision_offset_s,
        "observes_now": settings.observe == "now",
        "startup_s": settings.mean_startup_s,
        "startups": _startups(settings),
        "assigned_s": settings.assigned_s,
        "first_assigned_s": settings.first_assigned_s,
        "heartbeats": HEARTBEATS.index(settings.heartbeats),
        "heartbeat_s": settings.first_heartbeat_s,
        "next_heartbeat_s": settings.next_heartbeat_s,
        "max_poll_records": float(settings.max_poll_records),
        "noticed_s": settings.noticed_s,
        "shared_limit": shared_limit,
        "incidents": changes.rows,
        "rise_s": changes.rise_s,
        "first_share": changes.first_share,
        "shuffled": settings.placement_draw > 0 and not settings.static_members,
        "history_seed": _history_seed(settings),
        "protocol": PROTOCOLS.index(settings.protocol),
        "assignor": assignors.code_of(settings.assignor),
        "shape": 1.0 / variance if variance > 0.0 else 0.0,
    }
    return Rules(**own)


def _startups(settings: GroupSettings) -> Floats:
    if not isinstance(settings.startup_s, str):
        return np.empty((0, 3))
    return np.array(startup_times.pieces(settings.startup_s))


def _history_seed(settings: GroupSettings) -> int:
    """Seed of what the draw of a history decides."""
    if settings.placement_draw == 0:
        return settings.seed
    return derive_seed(settings.seed, "history", str(settings.placement_draw))
