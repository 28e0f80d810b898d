"""Settings that Ezzeddine et al. 2024 leave open, and the simulated group under each.

How a second's events arrive against the controller's decisions, which partitions their keys name,
and how long the controller waits after an action: the claims are judged under all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple

from algorithms.core.arrays import Floats
from live.live_settings import BURSTS, DRIFT, EVEN, KEYS
from pipeline.experiments.streams.burst_steps import (
    COOLDOWNS_S,
    DRIFT_STEP_S,
    DRIFTS_S,
    OFFSETS_S,
    at_phase,
    burst_steps,
    drawn_phase,
    with_keys,
)

SECOND_S = 1.0
"""Time between bursts without drift, and between decisions, s."""


class OpenSetting(NamedTuple):
    """One value of everything that is open."""

    arrivals: str
    """`EVEN`, `BURSTS` at one phase, or `DRIFT`."""
    shift_s: float
    """Of bursts the time until the decision, s; of drift how much longer a second of the producer
    is, s; 0 of even arrivals."""
    keys: str
    """One of `KEYS`."""
    cooldown_s: float

    @property
    def words(self) -> str:
        """Text that is unique to it."""
        arrivals = {
            EVEN: "even",
            BURSTS: f"decision {self.shift_s:g} s after burst",
            DRIFT: f"drift {1000.0 * self.shift_s:+g} ms/s",
        }
        return f"{arrivals[self.arrivals]}, {self.keys} keys, cooldown {self.cooldown_s:g} s"


ARRIVALS = (
    (EVEN, 0.0),
    *((BURSTS, offset_s) for offset_s in OFFSETS_S),
    *((DRIFT, drift_s) for drift_s in DRIFTS_S),
)
"""Arrivals with their shifts."""

OPEN_SETTINGS = tuple(
    OpenSetting(*arrivals, keys, cooldown_s)
    for arrivals, keys, cooldown_s in product(ARRIVALS, KEYS, COOLDOWNS_S)
)
"""All of them."""


class Played(NamedTuple):
    """What the simulated group is given."""

    rates: Floats
    """``float64[N, P]``, events/s in each step."""
    settings: Mapping[str, Any]
    """Settings of the group that belong to the arrivals."""


def played(rates: Floats, setting: OpenSetting, seed: int) -> Played:
    """The workload with the arrivals and keys of a setting.

    rates: ``float64[N, P]``, events/s in each second.
    seed: Of the first phase of bursts that drift, and of hashed keys; other settings draw the same.
    """
    events = with_keys(rates, setting.keys, seed)
    own = {"cooldown_s": setting.cooldown_s, "decision_s": SECOND_S}
    if setting.arrivals == DRIFT:
        steps = burst_steps(events, DRIFT, drawn_phase(seed), DRIFT_STEP_S, setting.shift_s)
        short = {"arrivals": "burst", "decision_offset_s": 0.0, "step_s": DRIFT_STEP_S}
        return Played(steps, own | short)
    phase = at_phase(setting.arrivals, SECOND_S - setting.shift_s)
    return Played(events, {**own, **phase, "step_s": SECOND_S})
