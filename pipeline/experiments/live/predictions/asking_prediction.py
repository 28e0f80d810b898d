"""Prediction A of a group whose assignor asks: the simulated group, with the run's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import given_rates, registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.given_rates import Workload
from algorithms.core.arrays import Floats, Longs
from algorithms.simulation import group_figures, group_run
from algorithms.simulation.broker_group import STARTUP_S
from algorithms.simulation.group_result import Trajectory
from algorithms.simulation.group_settings import BATCH_COMMIT_S, GroupSettings, check_settings
from algorithms.simulation.group_state import SAME_INSTANT_S
from live.asking import group_incidents
from live.live_settings import DRIFT, EVEN, GIVEN, LiveSettings
from pipeline.experiments.live.predictions import planned_rebalance
from pipeline.experiments.live.predictions.latency_quantities import SHARES, Quantities
from pipeline.experiments.streams.burst_steps import (
    DRIFT_STEP_S,
    at_phase,
    burst_steps,
    bursts_at,
    with_keys,
)
from pipeline.inputs.policies import strategy_policies

PARTS = 10
"""Steps of a second in which events happen to the group: what they cost is known to a step."""


class SimulatedGroup(NamedTuple):
    """What the simulated group does on a run's stream."""

    quantities: Quantities
    """Without the first iteration."""
    sla_percent: float
    replica_minutes: float
    peak_s: float
    """`sla_percent`, `replica_minutes`, `peak_s`: as in `live_runs`, of the whole run."""
    trajectory: Trajectory
    step_s: float
    """`trajectory`, `step_s`: the whole run step by step."""


class _Steps(NamedTuple):
    """The stream as the simulation takes it."""

    events: Floats
    """``float64[N, P]``, events/s in each step."""
    rates: Floats
    """``float64[N, P]``, events/s of the stream itself, however they arrive."""
    of_iteration: int
    """Steps of an iteration."""
    settings: Mapping[str, Any]
    """Settings of the group that belong to them."""


def predict(
    settings: LiveSettings,
    rates: Floats,
    label: str,
    startup_s: float | None,
    bursts_ns: Sequence[int] = (),
) -> SimulatedGroup:
    """Simulate the group of a run under a strategy.

    rates: ``float64[N, P]``, bytes/s.
    label: The strategy with its parameters, as the family `autoscaling` writes it.
    startup_s: Time until a new member has joined, s; None if none was started.
    bursts_ns: When bursts that drift were due, nanoseconds since the stream began.
    """
    (one,) = strategy_policies.parse(label, settings.partitions, 1.0, 1.0)
    strategy = registry.get(one.strategy)
    stream = _steps(settings, rates / settings.record_bytes, bursts_ns)
    own = {"startup_s": STARTUP_S if startup_s is None else startup_s, **stream.settings}
    group = group_settings(settings, one, own)
    if settings.speeds == GIVEN:
        strategy = given_rates.with_rates(strategy, _given(stream, group))
    if "rebalance_s" in one.settings:
        strategy = planned_rebalance.with_planned(strategy, one.settings["rebalance_s"])
    incidents = group_incidents.of_run(settings)
    later = group_run.later_figures(
        *(stream.events, strategy, one.arguments, group, stream.of_iteration),
        incidents=incidents,
    )
    run = group_run.run_group(
        *(stream.events, strategy, one.arguments, group),
        has_percentiles=False,
        incidents=incidents,
    )
    whole = run.result
    places = [int(np.flatnonzero(share == group_figures.SHARES)[0]) for share in SHARES]
    return SimulatedGroup(
        Quantities(later.replicas, later.moved, *later.waits[places].tolist()),
        _known(whole.sla_percent),
        whole.replica_minutes,
        _known(whole.max),
        run.trajectory,
        group.step_s,
    )


def by_second(group: SimulatedGroup) -> tuple[Longs, Floats]:
    """Paid consumers as each second ends, and the greatest latency in it.

    Returns int64[S], and float64[S], s, of the records processed in each second.
    """
    course = group.trajectory
    begins_s = np.arange(len(course.replicas)) * group.step_s
    # The first step of each second: sums of steps are off by rounding.
    _, first = np.unique(np.floor(begins_s + SAME_INSTANT_S), return_index=True)
    consumers = course.replicas[np.append(first[1:], len(course.replicas)) - 1]
    return consumers, np.maximum.reduceat(course.longest_s, first)


def group_settings(
    settings: LiveSettings, one: Candidate, further: Mapping[str, Any]
) -> GroupSettings:
    """Settings of the simulated group; those of the candidate take precedence.

    Time has the run's own clock: a second of a strategy is a second. A candidate's ``rebalance_s``
    is what it plans with; rebalances of the group take the run's ``revoke_s``.
    """
    strategy = registry.get(one.strategy)
    own: dict[str, Any] = {
        "mu": settings.consumer_rate / settings.record_bytes,
        "protocol": settings.group_protocol,
        "heartbeat_s": settings.heartbeat_s,
        # Members of kafka-python begin to count heartbeats as a join is answered.
        "heartbeats": "in_step",
        "session_s": settings.session_s,
        "max_poll_records": settings.max_poll_records,
        "commit_s": BATCH_COMMIT_S,
        **further,
        **one.settings,
        "rebalance_s": settings.revoke_s,
    }
    return check_settings(own, settings.partitions, strategy.decision_s, strategy.observe)


def _steps(settings: LiveSettings, events: Floats, bursts_ns: Sequence[int]) -> _Steps:
    """Steps of a second; shorter ones if bursts drift.

    events: ``float64[N, P]``, events/s in each iteration.
    """
    seconds = max(round(settings.iteration_s), 1)
    by_second = np.repeat(events, seconds, axis=0)
    sent = by_second
    if settings.arrivals != EVEN:
        sent = with_keys(by_second, settings.keys, settings.seed)
    if settings.arrivals == DRIFT:
        parts = round(1.0 / DRIFT_STEP_S)
        steps = burst_steps(sent, DRIFT, settings.phase_s, DRIFT_STEP_S)
        if bursts_ns:
            steps = bursts_at(sent, np.array(bursts_ns, np.float64) / 1e9, DRIFT_STEP_S)
        own = {"arrivals": "burst", "step_s": DRIFT_STEP_S}
        return _Steps(steps, np.repeat(by_second, parts, axis=0), seconds * parts, own)
    phase = at_phase(settings.arrivals, settings.phase_s)
    step = {"step_s": settings.iteration_s / seconds}
    if settings.arrivals == EVEN:
        parts = PARTS if settings.group_events else 1
        finer = {"step_s": step["step_s"] / parts}
        steps = np.repeat(by_second, parts, axis=0)
        return _Steps(steps, steps, seconds * parts, {**phase, **finer})
    return _Steps(sent, by_second, seconds, {**phase, **step})


def _given(stream: _Steps, group: GroupSettings) -> Workload:
    """What a controller sees that knows the rates of the stream."""
    window = round(group.decision_s / group.step_s)
    return Workload(stream.rates, group.step_s, window, group.observe == "now")


def _known(value: float | None) -> float:
    return float("nan") if value is None else float(value)
