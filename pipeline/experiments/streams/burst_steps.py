"""Bursts of live runs, as the simulated group takes them.

A simulated step has its events at its start (`arrivals` burst), and a decision in it has an offset.
So bursts at one phase need no steps of their own: `at_phase` sets the offset. Bursts that drift
against the decisions need shorter steps, of which those with a burst have all events: `burst_steps`
makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from live.live_settings import DRIFT, EVEN, HASHED
from live.records.burst_schedule import hashed_sizes

OFFSETS_S = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Times from a burst to the decision that comparisons sweep, s; at 0 the decision comes first."""

DRIFTS_S = (-0.02, -0.005, -0.001, 0.001, 0.005, 0.02)
"""How much longer a second of the producer is than one of the controller, s, in comparisons."""

COOLDOWNS_S = (0.0, 10.0)
"""Times without decisions after an action that comparisons sweep, s."""

DRIFT_STEP_S = 0.05
"""Step of a simulation if bursts drift against the decisions, s."""

_SAME = 1e-9
"""Share of a step, or of an event, that is rounding."""


def drawn_phase(seed: int) -> float:
    """Phase of the first of bursts that drift, uniform in [0, 1) s."""
    return float(np.random.Generator(np.random.PCG64(derive_seed(seed, "phase"))).random())


def at_phase(arrivals: str, phase_s: float) -> Mapping[str, Any]:
    """Settings of a group with steps of 1 s that decides at the start of each second.

    arrivals: `EVEN`, or `BURSTS` at `phase_s` of each second.

    A burst at the time of a decision comes after it.
    """
    if arrivals == EVEN:
        return {"arrivals": "uniform", "decision_offset_s": 0.0}
    return {"arrivals": "burst", "decision_offset_s": (1.0 - phase_s) % 1.0}


def whole_seconds(rates: Floats) -> Floats:
    """Rates of seconds whose totals are rounded up to whole events, as bursts are.

    rates: ``float64[N, P]``, events/s.
    """
    totals = rates.sum(axis=1, keepdims=True)
    whole = np.ceil(totals * (1.0 - _SAME))
    # Fewer than a billionth of an event are none, and would overflow.
    is_some = totals > _SAME
    scaled: Floats = rates * np.divide(whole, totals, out=np.zeros_like(totals), where=is_some)
    return scaled


def with_keys(rates: Floats, keys: str, seed: int) -> Floats:
    """Whole events of seconds, spread over partitions as their keys say.

    rates: ``float64[N, P]``, events/s.
    keys: `EXACT`, or `HASHED`: drawn by the seed, as the producer of a run with it draws them.
    """
    events = whole_seconds(rates)
    return hashed_sizes(events, seed) if keys == HASHED else events


def burst_steps(
    rates: Floats, arrivals: str, phase_s: float, step_s: float, drift_s: float = 0.0
) -> Floats:
    """Rates of short steps, for a group whose `step_s` they have and that decides each second.

    rates: ``float64[N, P]``, events/s in each second.
    arrivals: `EVEN`: the rates of each second in all of its steps. `BURSTS`: all events of a
        second, a whole number, in the step that its phase is in; strategies see them at once, not
        as with `at_phase` when their second is over. `DRIFT`: second n comes
        ``n * drift_s`` later than that, and not at all after the end.
    step_s: A part of a second; `arrivals` of the group is "burst" unless they are even.
    drift_s: Time that a second of the producer takes longer than one of the controller, above -1.
    Returns: ``float64[N / step_s, P]``, events/s.
    """
    if arrivals == EVEN:
        return np.repeat(rates, _parts(step_s), axis=0)
    drift_s = drift_s if arrivals == DRIFT else 0.0
    times_s: Floats = phase_s + np.arange(len(rates), dtype=np.float64) * (1.0 + drift_s)
    return bursts_at(rates, times_s, step_s)


def bursts_at(rates: Floats, times_s: Floats, step_s: float) -> Floats:
    """Rates of short steps, where all events of second n come in the step of time n.

    rates: ``float64[N, P]``, events/s in each second.
    times_s: ``float64[n]``, ascending, n at most N. Bursts after the end do not come, nor do those
        of seconds without a time.
    step_s: A part of a second.
    Returns: ``float64[N / step_s, P]``, events/s.
    """
    parts = _parts(step_s)
    steps = np.floor(times_s / step_s + _SAME).astype(np.int64)
    steps = steps[steps < len(rates) * parts]
    bursts = np.zeros((len(rates) * parts, rates.shape[1]))
    np.add.at(bursts, steps, whole_seconds(rates)[: len(steps)] * parts)
    return bursts


def _parts(step_s: float) -> int:
    parts = round(1.0 / step_s)
    if abs(parts * step_s - 1.0) > _SAME:
        raise ValueError(f"step_s must be a part of a second (got {step_s:g})")
    return parts
