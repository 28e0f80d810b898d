"""Whether a run on a broker agrees with the predictions, quantity by quantity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.measured.evidence.latency_sample import compared_records, latencies
from pipeline.measured.evidence.partition_tenures import gaps, tenures
from pipeline.measured.evidence.plan_times import plan_times
from pipeline.measured.evidence.run_folder import RunFolder
from pipeline.measured.predictions import (
    assignment_prediction,
    latency_quantities,
    owner_history,
    queue_prediction,
)
from pipeline.measured.predictions.latency_quantities import Quantities

AGREES, DIFFERS = "agrees", "differs"

ASSIGNMENT_S, ASSIGNMENT_SHARE = 0.25, 0.10
"""A latency may differ from prediction A by so many seconds, and this share of the prediction."""

QUEUE_S, QUEUE_SHARE = 0.05, 0.05
"""The same for prediction B."""

UNITS = {
    "consumers": "consumers",
    "migrations": "partitions",
    **dict.fromkeys(("p50", "p90", "p99"), "s"),
}
"""Units of the quantities, in their order."""


class Comparison(NamedTuple):
    """A measured value with a prediction.

    Attributes
    ----------
    predicted
        The prediction.
    error
        Measured less predicted value; None if one of them is infinite.
    tolerance
        Greatest error that agrees; None if any does.
    """

    predicted: float
    error: float | None
    tolerance: float | None

    @property
    def agrees(self) -> bool:
        """Whether the error is within the tolerance."""
        if self.tolerance is None:
            return True
        return self.error is not None and abs(self.error) <= self.tolerance


class Agreement(NamedTuple):
    """A quantity of a run, and what predictions say of it.

    Attributes
    ----------
    quantity
        A field of `pipeline.measured.predictions.latency_quantities.Quantities`.
    measured
        Value on the broker.
    by_assignment, by_queue
        Predictions A and B; None where a prediction does not have the quantity.
    """

    quantity: str
    measured: float
    by_assignment: Comparison | None
    by_queue: Comparison | None

    @property
    def verdict(self) -> str:
        """Whether all predictions agree."""
        both = (self.by_assignment, self.by_queue)
        return AGREES if all(one.agrees for one in both if one is not None) else DIFFERS


def agreements(folder: RunFolder, strategy: str, gap_s: float, is_given: bool) -> list[Agreement]:
    """Compare a run with both predictions; without records, its latencies are left out.

    Parameters
    ----------
    folder
        The run.
    strategy
        Name of the algorithm.
    gap_s
        Time until data of a partition that moved is read again, for prediction A, s.
    is_given
        Whether the strategy got the rates of the stream, so that its decisions must be the same.
    """
    live = measured(folder)
    model = assignment_prediction.predict(
        folder.settings, folder.rates, strategy, gap_s, folder.is_compared
    )
    replayed = latency_quantities.quantiles(queue_prediction.predict(folder))
    queues = dict(zip(("p50", "p90", "p99"), replayed, strict=True))
    found = []
    for name, value in live._asdict().items():
        if math.isnan(value):
            continue
        predicted = getattr(model, name)
        by_queue = None
        if name in queues:
            tolerance = _tolerance(predicted, ASSIGNMENT_S, ASSIGNMENT_SHARE)
            by_assignment = _compared(value, predicted, tolerance)
            limit = _tolerance(queues[name], QUEUE_S, QUEUE_SHARE)
            by_queue = _compared(value, queues[name], limit)
        else:
            by_assignment = _compared(value, predicted, 0.0 if is_given else None)
        found.append(Agreement(name, value, by_assignment, by_queue))
    return found


def measured(folder: RunFolder) -> Quantities:
    """The quantities on the broker."""
    owners = owner_history.wanted_owners(folder)
    moved = sum(plan.moves for plan in plan_times(folder) if plan.iteration > 1)
    waits: Floats = np.maximum(latencies(compared_records(folder)), 0.0)
    found = latency_quantities.quantiles(waits)
    return Quantities(latency_quantities.mean_consumers(owners), moved, *found)


def median_gap(folders: Sequence[RunFolder]) -> float:
    """Median gap of all moves of some runs, s; 0 without any."""
    found = [gap.gap_s for folder in folders for gap in gaps(tenures(folder.records))]
    return float(np.median(found)) if found else 0.0


def _tolerance(predicted: float, seconds: float, share: float) -> float:
    return seconds + share * predicted if math.isfinite(predicted) else seconds


def _compared(value: float, predicted: float, tolerance: float | None) -> Comparison:
    error = value - predicted
    return Comparison(predicted, error if math.isfinite(error) else None, tolerance)
