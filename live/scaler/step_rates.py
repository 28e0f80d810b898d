"""Rates of partitions from one complete look to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.autoscaling.blind_answers import LATE_LOOKS
from algorithms.core.arrays import Bools, Floats, Ints
from live.scaler.group_look import Look


@dataclass(frozen=True, slots=True)
class Step:
    """What a strategy sees of the time between two looks."""

    time_s: float
    """When it ends, seconds since the first look."""
    seconds: float
    """Its length."""
    rates: Floats
    """float64[P]: events/s."""
    lags: Floats
    """float64[P]: records that are not committed at its end."""
    owners: Ints
    """int32[P]: index of each partition's member, -1 for none."""
    consumed: Bools
    """bool[P]: where the group has committed further records."""
    arrived: Floats
    """float64[P]: records since the first look."""


class StepRates:
    """Compares each look with the one before.

    If an end offset goes back, such as that of a recreated topic, the partition's last rate holds
    until the next look. If the number of partitions of a topic changes, or looks were missing, the
    first look gives no rates: a mean over the gap would hide a peak.
    """

    def __init__(self, look_s: float) -> None:
        self._longest_s = LATE_LOOKS * look_s
        self._last: Look | None = None
        self._rates: Floats = np.empty(0)
        self._arrived: Floats = np.empty(0)
        self._began_s = 0.0

    def add(self, look: Look) -> Step | None:
        """The step that ends with a look; None if it has no rates."""
        last = self._last
        if last is not None and last.at_s >= look.at_s:
            return None
        self._last = look
        if last is None or last.sizes != look.sizes:
            self._began_s = look.at_s
            self._rates = np.full(len(look.ends), np.nan)
            self._arrived = np.zeros(len(look.ends))
            return None
        seconds = look.at_s - last.at_s
        grown = np.array(look.ends, np.float64) - np.array(last.ends, np.float64)
        if seconds > self._longest_s:
            self._arrived = self._arrived + np.maximum(grown, 0.0)
            return None
        self._rates = np.where(grown >= 0, grown / seconds, self._rates)
        # Of a partition that jumps before it has any rate, nothing is known but its jump.
        rates = np.nan_to_num(self._rates)
        self._arrived = self._arrived + rates * seconds
        return Step(
            look.at_s - self._began_s,
            seconds,
            rates,
            np.array(look.lags, np.float64),
            np.array(look.owners, np.int32),
            np.array(
                [_has_advanced(*pair) for pair in zip(last.committed, look.committed, strict=True)]
            ),
            self._arrived,
        )


def _has_advanced(before: int | None, after: int | None) -> bool:
    return after is not None and (before is None or after > before)
