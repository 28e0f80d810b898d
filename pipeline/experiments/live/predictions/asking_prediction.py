"""Prediction A of a group whose assignor asks: the simulated group, with the run's settings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Floats
from algorithms.simulation import group_figures, group_run
from algorithms.simulation.broker_group import STARTUP_S
from algorithms.simulation.group_settings import BATCH_COMMIT_S, GroupSettings, check_settings
from live.live_settings import EVEN, LiveSettings
from pipeline.experiments.live.predictions.latency_quantities import SHARES, Quantities
from pipeline.inputs.policies import strategy_policies

STEP_S = 1.0
"""Longest step of the simulation, s: a burst per step."""


class SimulatedGroup(NamedTuple):
    """What the simulated group does on a run's stream."""

    quantities: Quantities
    """Without the first iteration."""
    sla_percent: float
    replica_minutes: float
    peak_s: float
    """`sla_percent`, `replica_minutes`, `peak_s`: as in `live_runs`, of the whole run."""


def predict(
    settings: LiveSettings, rates: Floats, label: str, startup_s: float | None
) -> SimulatedGroup:
    """Simulate the group of a run under a strategy.

    rates: ``float64[N, P]``, bytes/s.
    label: The strategy with its parameters, as the family `autoscaling` writes it.
    startup_s: Time until a new member has joined, s; None if none was started.

    Bursts come at the start of a step, and decisions as long after them as their phase leaves of a
    second; that of bursts that drift is the first one.
    """
    (one,) = strategy_policies.parse(label, settings.partitions, 1.0, 1.0)
    strategy = registry.get(one.strategy)
    steps = steps_of(settings)
    events = np.repeat(rates / settings.record_bytes, steps, axis=0)
    group = group_settings(settings, one, STARTUP_S if startup_s is None else startup_s)
    later = group_run.later_figures(events, strategy, one.arguments, group, steps)
    run = group_run.run_group(events, strategy, one.arguments, group, has_percentiles=False)
    whole = run.result
    places = [int(np.flatnonzero(share == group_figures.SHARES)[0]) for share in SHARES]
    return SimulatedGroup(
        Quantities(later.replicas, later.moved, *later.waits[places].tolist()),
        _known(whole.sla_percent),
        whole.replica_minutes,
        _known(whole.max),
    )


def steps_of(settings: LiveSettings) -> int:
    """Steps of an iteration."""
    return max(round(settings.iteration_s / STEP_S), 1)


def group_settings(settings: LiveSettings, one: Candidate, startup_s: float) -> GroupSettings:
    """Settings of the simulated group; those of the candidate take precedence.

    Time has the run's own clock: a second of a strategy is a second.
    """
    strategy = registry.get(one.strategy)
    own: dict[str, Any] = {
        "step_s": settings.iteration_s / steps_of(settings),
        "mu": settings.consumer_rate / settings.record_bytes,
        "protocol": settings.group_protocol,
        "arrivals": "uniform" if settings.arrivals == EVEN else "burst",
        "decision_offset_s": _offset_s(settings),
        "heartbeat_s": settings.heartbeat_s,
        "rebalance_s": settings.revoke_s,
        "max_poll_records": settings.max_poll_records,
        "commit_s": BATCH_COMMIT_S,
        "startup_s": startup_s,
        **one.settings,
    }
    return check_settings(own, settings.partitions, strategy.decision_s, strategy.observe)


def _offset_s(settings: LiveSettings) -> float:
    """Time from a burst to the next decision, which is at the full second, s."""
    step_s = settings.iteration_s / steps_of(settings)
    return 0.0 if settings.arrivals == EVEN else -settings.phase_s % step_s


def _known(value: float | None) -> float:
    return float("nan") if value is None else float(value)
