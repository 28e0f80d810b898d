"""What the simulator's defaults say of an event, and whether measurements agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv

from algorithms.autoscaling.group_defaults import DEFAULTS
from algorithms.inference.intervals import Interval, median_interval
from tools.bench.rebalances.cells import COOPERATIVE, EAGER, JOIN, KIP_848, LEAVE, Cell

ROUND_S: float = DEFAULTS["rebalance_s"]

TOLERANCE_S, TOLERANCE = 0.05, 0.05
"""A difference that does not count: so many seconds, and this share of the prediction."""

FEWEST = 6
"""Fewer values give no interval of their median."""

AGREES, OPEN, DIFFERS = "agrees", "open", "differs"

SETTLED, MOVED, KEPT, ROUND = "settled", "moved", "kept", "round"

Row = Mapping[str, Any]


class Prediction(NamedTuple):
    """A constant and a part of `uniform_s` from the distribution Beta(`first`, `second`)."""

    constant_s: float
    uniform_s: float = 0.0
    first: float = 1.0
    second: float = 1.0

    def quantile(self, share: float) -> float:
        """The value below which this share lies, s."""
        part = float(betaincinv(self.first, self.second, share)) if self.uniform_s else 0.0
        return self.constant_s + self.uniform_s * part


Predictions = Mapping[str, Prediction]


class Judged(NamedTuple):
    """Predictions beside the median of an event's times."""

    event: str
    quantity: str
    measured: Interval
    model: Prediction | None
    phases: Prediction | None


def _last_of(constant_s: float, uniform_s: float, members: int) -> Prediction:
    """The greatest of so many independent draws from U(0, uniform)."""
    return Prediction(constant_s, uniform_s, float(max(members, 1)), 1.0)


def _spread_of(constant_s: float, uniform_s: float, members: int) -> Prediction:
    """The greatest less the smallest of such draws."""
    if members < 2:
        return Prediction(constant_s)
    return Prediction(constant_s, uniform_s, members - 1.0, 2.0)


def model(cell: Cell, event: str, receivers: int) -> Predictions:
    """What the model of docs/autoscaling.md gives for a join or a leave, by quantity."""
    first_s = cell.heartbeat_s + cell.interval_s
    if cell.protocol == KIP_848:
        later = _last_of(first_s + ROUND_S, cell.heartbeat_s, receivers)
        return {SETTLED: later, MOVED: later._replace(constant_s=ROUND_S)} | (
            {} if event == JOIN else {MOVED: later}
        )
    rounds_s = ROUND_S
    if cell.protocol == COOPERATIVE and event == JOIN:
        rounds_s = 2.0 * ROUND_S + cell.heartbeat_s
    settled = Prediction(first_s + rounds_s)
    moved = Prediction(rounds_s) if event == JOIN else settled
    stopped = Prediction(ROUND_S)
    return {SETTLED: settled, MOVED: moved} | (
        {KEPT: stopped, ROUND: stopped} if cell.protocol == EAGER else {}
    )


def phases(cell: Cell, event: str, receivers: int, moved: int) -> Predictions:
    """The same where each member learns at a heartbeat of its own, at a random phase.

    moved: Partitions that move; each of them is another owner's as long as these are enough.
    """
    heartbeat_s, others = cell.heartbeat_s, cell.members - 1
    givers = min(moved, others)
    if cell.protocol == KIP_848:
        if event == LEAVE:
            last = _last_of(ROUND_S, heartbeat_s, receivers)
            return {SETTLED: last, MOVED: last}
        # Its second heartbeat gives the new member what the others have given up before.
        joined = Prediction(heartbeat_s + ROUND_S)
        return {SETTLED: joined, MOVED: _last_of(ROUND_S, heartbeat_s, givers)}
    last = _last_of(ROUND_S, heartbeat_s, others)
    if cell.protocol == COOPERATIVE:
        # Those that give up partitions rejoin at once; the others learn at a heartbeat again.
        learners = others - givers + 1
        second = _last_of(2.0 * ROUND_S, heartbeat_s, learners)
        return {MOVED: second} if event == JOIN else {SETTLED: last, MOVED: last}
    spread = _spread_of(ROUND_S, heartbeat_s, others)
    stopped = {KEPT: spread, ROUND: Prediction(ROUND_S)}
    return {SETTLED: last, MOVED: spread if event == JOIN else last} | stopped


def values(rows: Sequence[Row], quantity: str) -> list[float]:
    """A quantity of each event that has it: of pauses, the longest."""
    if quantity == SETTLED:
        return [row["settled_s"] for row in rows]
    if quantity == ROUND:
        return [row["settled_s"] - row["last_s"] for row in rows if row["last_s"] is not None]
    return [max(row[quantity].values()) for row in rows if row[quantity]]


def judged(cell: Cell, rows: Sequence[Row]) -> list[Judged]:
    """Each quantity that is predicted for a cell beside what was measured.

    rows: Of the cell, those with times.
    """
    result = []
    for event in (JOIN, LEAVE):
        own = [row for row in rows if row["event"] == event]
        if len(own) < FEWEST:
            continue
        receivers = _middle([row["receivers"] for row in own])
        moved = _middle([len(row["moved"]) for row in own])
        expected = model(cell, event, receivers)
        drawn = phases(cell, event, receivers, moved)
        for quantity, prediction in expected.items():
            measured = values(own, quantity)
            if len(measured) >= FEWEST:
                interval = median_interval(measured)
                result.append(Judged(event, quantity, interval, prediction, drawn.get(quantity)))
    return result


def _middle(counts: Sequence[int]) -> int:
    return max(round(float(np.median(counts))), 1)


def verdict(predicted: Prediction, measured: Interval) -> str:
    """Whether a median agrees; open if only its interval reaches the prediction's tolerance."""
    expected = predicted.quantile(0.5)
    room = TOLERANCE_S + TOLERANCE * expected
    if abs(measured.mean - expected) <= room:
        return AGREES
    return OPEN if measured.low - room <= expected <= measured.high + room else DIFFERS
