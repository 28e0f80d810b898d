"""What the simulator's defaults say of an event, and whether measurements agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.group_defaults import DEFAULTS
from algorithms.inference.intervals import median_interval
from tools.bench.rebalances.cells import COOPERATIVE, EAGER, JOIN, KIP_848, LEAVE, Cell

ROUND_S: float = DEFAULTS["rebalance_s"]

TOLERANCE_S, TOLERANCE = 0.05, 0.05
"""A difference that does not count: so many seconds, and this share of the prediction."""

FEWEST = 6
"""Fewer values give no interval of their median."""

AGREES, OPEN, DIFFERS = "agrees", "open", "differs"

SETTLED, MOVED, KEPT = "settled", "pause of moved", "pause of kept"


class Prediction(NamedTuple):
    """A constant, and the greatest of some draws from U(0, uniform)."""

    constant_s: float
    uniform_s: float = 0.0
    draws: int = 1

    def quantile(self, share: float) -> float:
        """The value below which this share lies, s."""
        return self.constant_s + self.uniform_s * share ** (1.0 / self.draws)


class Judged(NamedTuple):
    """A prediction beside the median of an event's times."""

    event: str
    quantity: str
    predicted: Prediction
    median_s: float
    low_s: float
    high_s: float
    verdict: str


def predictions(cell: Cell, event: str, receivers: int) -> Mapping[str, Prediction]:
    """What the model of docs/autoscaling.md gives for a join or a leave, by quantity."""
    first_s = cell.heartbeat_s + cell.interval_s
    if cell.protocol == KIP_848:
        drawn = Prediction(ROUND_S, cell.heartbeat_s, receivers)
        later = drawn._replace(constant_s=first_s + ROUND_S)
        return {SETTLED: later, MOVED: drawn if event == JOIN else later}
    rounds_s = ROUND_S
    if cell.protocol == COOPERATIVE and event == JOIN:
        rounds_s = 2.0 * ROUND_S + cell.heartbeat_s
    settled = Prediction(first_s + rounds_s)
    moved = Prediction(rounds_s) if event == JOIN else settled
    kept = {KEPT: Prediction(ROUND_S)} if cell.protocol == EAGER else {}
    return {SETTLED: settled, MOVED: moved, **kept}


def values(rows: Sequence[Mapping[str, Any]], quantity: str) -> list[float]:
    """A quantity of each event that has it: of pauses, the longest."""
    if quantity == SETTLED:
        return [row["settled_s"] for row in rows]
    pauses = (row["moved" if quantity == MOVED else "kept"] for row in rows)
    return [max(each.values()) for each in pauses if each]


def judged(cell: Cell, rows: Sequence[Mapping[str, Any]]) -> list[Judged]:
    """Each prediction for a cell beside what was measured.

    rows: Of the cell, those with times.
    """
    result = []
    for event in (JOIN, LEAVE):
        own = [row for row in rows if row["event"] == event]
        if len(own) < FEWEST:
            continue
        receivers = max(round(float(np.median([row["receivers"] for row in own]))), 1)
        for quantity, predicted in predictions(cell, event, receivers).items():
            measured = values(own, quantity)
            if len(measured) >= FEWEST:
                middle = median_interval(measured)
                result.append(
                    Judged(event, quantity, predicted, *middle, verdict(predicted, *middle))
                )
    return result


def verdict(predicted: Prediction, median_s: float, low_s: float, high_s: float) -> str:
    """Whether a median agrees; open if only its interval reaches the prediction's tolerance."""
    expected = predicted.quantile(0.5)
    room = TOLERANCE_S + TOLERANCE * expected
    if abs(median_s - expected) <= room:
        return AGREES
    return OPEN if low_s - room <= expected <= high_s + room else DIFFERS
