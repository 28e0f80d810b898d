"""What the simulator's defaults say of an event, and whether measurements agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.group_defaults import DEFAULTS
from algorithms.inference.intervals import Interval, median_interval
from tools.bench.rebalances.cells import COOPERATIVE, EAGER, JOIN, KIP_848, LEAVE, Cell

ROUND_S: float = DEFAULTS["rebalance_s"]

TOLERANCE_S, TOLERANCE = 0.05, 0.05
"""A difference that does not count: so many seconds, and this share of the prediction."""

LEAST_ROUNDS_S = 1.0
"""Least time between two rounds: librdkafka asks to join once per second at most."""

FEWEST = 6
"""Fewer values give no interval of their median."""

AGREES, OPEN, DIFFERS = "agrees", "open", "differs"

SETTLED, MOVED, KEPT, ROUND = "settled", "moved", "kept", "round"

Row = Mapping[str, Any]


class Prediction(NamedTuple):
    """A constant, and the greatest of independent draws from U(0, `uniform_s`)."""

    constant_s: float
    uniform_s: float = 0.0
    draws: int = 1

    def quantile(self, share: float) -> float:
        """The value below which this share lies, s."""
        return self.constant_s + self.uniform_s * math.pow(share, 1.0 / self.draws)


Predictions = Mapping[str, Prediction]


class Judged(NamedTuple):
    """Predictions beside the median of an event's times."""

    event: str
    quantity: str
    measured: Interval
    model: Prediction
    drawn: Prediction


def model(cell: Cell, event: str, receivers: int) -> Predictions:
    """What the model of docs/autoscaling.md gives for a join or a leave, by quantity.

    receivers: Members that receive partitions.
    """
    first_s = cell.heartbeat_s + cell.interval_s
    if cell.protocol == KIP_848:
        moved = Prediction(ROUND_S, cell.heartbeat_s, receivers)
        settled = moved._replace(constant_s=first_s + ROUND_S)
        return {SETTLED: settled, MOVED: moved if event == JOIN else settled}
    rounds = _rounds(cell, event)
    settled = rounds._replace(constant_s=rounds.constant_s + first_s)
    return _classic(cell, event, settled)


def drawn(cell: Cell, event: str, receivers: int, moved: int) -> Predictions:
    """The same with the time until members learn of the event as it is.

    Classic members send heartbeats in step since their last rebalance: the next one is uniform in
    `heartbeat_s`. A second round is `LEAST_ROUNDS_S` away at least. KIP-848 members have phases of
    their own. A member that joins learns of what it gets at its second heartbeat, by when all
    others have given it up.

    moved: Partitions that move, of owners that all differ as long as these are enough.
    """
    heartbeat_s = cell.heartbeat_s
    if cell.protocol != KIP_848:
        own = cell._replace(heartbeat_s=max(heartbeat_s, LEAST_ROUNDS_S))
        return _classic(own, event, _rounds(own, event)._replace(uniform_s=heartbeat_s))
    if event == LEAVE:
        last = Prediction(ROUND_S, heartbeat_s, receivers)
        return {SETTLED: last, MOVED: last}
    givers = min(moved, cell.members - 1)
    return {
        SETTLED: Prediction(heartbeat_s + ROUND_S),
        MOVED: Prediction(ROUND_S, heartbeat_s, givers),
    }


def _rounds(cell: Cell, event: str) -> Prediction:
    """From when classic members know until the rebalance is over."""
    if cell.protocol == COOPERATIVE and event == JOIN:
        return Prediction(2.0 * ROUND_S + cell.heartbeat_s)
    return Prediction(ROUND_S)


def _classic(cell: Cell, event: str, settled: Prediction) -> Predictions:
    result = {SETTLED: settled, MOVED: _rounds(cell, event) if event == JOIN else settled}
    if cell.protocol == EAGER:
        result |= dict.fromkeys((KEPT, ROUND), Prediction(ROUND_S))
    return result


def values(rows: Sequence[Row], quantity: str) -> list[float]:
    """A quantity of each event that has it: of pauses, the longest."""
    if quantity == ROUND:
        return [row["settled_s"] - row["last_s"] for row in rows if row["last_s"] is not None]
    column = f"{quantity}_s"
    return [row[column] for row in rows if row[column] is not None]


def judged(cell: Cell, rows: Sequence[Row]) -> list[Judged]:
    """The predicted quantities of a cell, each with its measured value.

    rows: Of the cell, those with times.
    """
    result = []
    for event in (JOIN, LEAVE):
        own = [row for row in rows if row["event"] == event]
        if len(own) < FEWEST:
            continue
        receivers = _middle([row["receivers"] for row in own])
        moved = _middle([row["moved"] for row in own])
        expected = model(cell, event, receivers)
        better = drawn(cell, event, receivers, moved)
        for quantity, prediction in expected.items():
            measured = values(own, quantity)
            if len(measured) >= FEWEST:
                interval = median_interval(measured)
                result.append(Judged(event, quantity, interval, prediction, better[quantity]))
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
