"""Whether a run on a broker agrees with the predictions, quantity by quantity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from live.records.schedules import BURSTS_NS
from live.strategy_kinds import is_asking, label_of_asking
from pipeline.experiments.live.evidence.latency_sample import compared_records, latencies
from pipeline.experiments.live.evidence.partition_tenures import gaps, tenures
from pipeline.experiments.live.evidence.plan_times import plan_times
from pipeline.experiments.live.evidence.processed_records import first_reads
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.evidence.served_records import served
from pipeline.experiments.live.predictions import (
    asking_prediction,
    assignment_prediction,
    group_size,
    latency_quantities,
    owner_history,
    queue_prediction,
    scaling_prediction,
)
from pipeline.experiments.live.predictions.asking_prediction import SimulatedGroup
from pipeline.experiments.live.predictions.latency_quantities import Quantities

AGREES, DIFFERS = "agrees", "differs"

ASSIGNMENT_S, ASSIGNMENT_SHARE = 0.25, 0.10
"""A latency may differ from prediction A by so many seconds, and this share of the prediction."""

QUEUE_S, QUEUE_SHARE = 0.05, 0.05
"""The same for prediction B, and for prediction A of groups that ask."""


class Comparison(NamedTuple):
    """A measured value with a prediction."""

    predicted: float
    """The prediction."""
    error: float | None
    """Measured less predicted value; None if one of them is infinite."""
    tolerance: float | None
    """Greatest error that agrees; None if any does."""

    @property
    def agrees(self) -> bool:
        """Whether the error is within the tolerance."""
        if self.tolerance is None:
            return True
        return self.error is not None and abs(self.error) <= self.tolerance


class Agreement(NamedTuple):
    """A quantity of a run, and what predictions say of it."""

    quantity: str
    """A field of `pipeline.experiments.live.predictions.latency_quantities.Quantities`, or
    ``other_owners``: partitions with another owner than simulated as an iteration ends."""
    measured: float
    """Value on the broker."""
    by_assignment: Comparison | None
    by_queue: Comparison | None
    """`by_assignment`, `by_queue`: predictions A and B; None where a prediction does not have the
    quantity."""

    @property
    def verdict(self) -> str | None:
        """Whether all predictions agree; None if none of them has a tolerance."""
        both = (self.by_assignment, self.by_queue)
        required = [one for one in both if one is not None and one.tolerance is not None]
        if not required:
            return None
        return AGREES if all(one.agrees for one in required) else DIFFERS


def agreements(
    folder: RunFolder,
    strategy: str,
    gap_s: float,
    is_given: bool,
    simulated: SimulatedGroup | None = None,
) -> list[Agreement]:
    """Compare a run with both predictions; without records, its latencies are left out.

    gap_s: Time until data of a partition that a controller moved is read again, for prediction A,
        s.
    is_given: Whether the strategy got the rates of the stream, so that its decisions must be the
        same.
    simulated: The `simulated_group`.
    """
    live = measured(folder)
    model = simulated.quantities if simulated else _by_assignment(folder, strategy, gap_s)
    replayed = latency_quantities.quantiles(queue_prediction.predict(folder))
    queues = dict(zip(("p50", "p90", "p99"), replayed, strict=True))
    limits = (QUEUE_S, QUEUE_SHARE) if simulated else (ASSIGNMENT_S, ASSIGNMENT_SHARE)
    is_exact = is_given and model is not None and not group_size.has_own_times(folder)
    quantities = []
    for name, value in live._asdict().items():
        if math.isnan(value):
            continue
        by_assignment = by_queue = None
        if name in queues:
            limit = _tolerance(queues[name], QUEUE_S, QUEUE_SHARE)
            by_queue = _compared(value, queues[name], limit)
        if model is not None:
            predicted = getattr(model, name)
            tolerance: float | None = _tolerance(predicted, *limits)
            if name not in queues:
                tolerance = 0.0 if is_exact else None
            by_assignment = _compared(value, predicted, tolerance)
        quantities.append(Agreement(name, value, by_assignment, by_queue))
    if is_exact:
        quantities.append(_other_owners(folder, strategy))
    return [*quantities, *_service(folder, simulated)]


def simulated_group(folder: RunFolder, strategy: str) -> SimulatedGroup | None:
    """The simulated group whose assignor asks; None for other strategies."""
    if not is_asking(strategy):
        return None
    startup_s = median(_starts(folder))
    label, bursts_ns = label_of_asking(strategy), folder.producer.get(BURSTS_NS, ())
    return asking_prediction.predict(folder.settings, folder.rates, label, startup_s, bursts_ns)


def _service(folder: RunFolder, group: SimulatedGroup | None) -> Iterator[Agreement]:
    """Service and cost of a group whose assignor asks, on the broker and simulated."""
    if group is None:
        return
    unread = sum(folder.producer["sent_by_partition"]) - first_reads(folder.records).size
    service = served(folder, unread)
    values = {**service._asdict(), "replica_minutes": group_size.replica_minutes(folder)}
    for name, value in values.items():
        if value is not None:
            predicted = getattr(group, name)
            yield Agreement(name, value, _compared(value, predicted, None), None)


def _other_owners(folder: RunFolder, strategy: str) -> Agreement:
    """Owners as iterations end, on the broker and in the simulation."""
    simulated = assignment_prediction.owners(folder.settings, folder.rates, strategy)
    other = float((owner_history.acknowledged_owners(folder) != simulated).sum())
    return Agreement("other_owners", other, _compared(other, 0.0, 0.0), None)


def _by_assignment(folder: RunFolder, strategy: str, gap_s: float) -> Quantities | None:
    """Prediction A; None if no strategy of ours sized the group."""
    settings, rates = folder.settings, folder.rates
    is_controlled = group_size.is_controlled(folder)
    if group_size.has_own_times(folder):
        # Kafka's members move partitions more slowly, and not all groups of a run do alike.
        own_s = gap_s if is_controlled else _median_gap([folder])
        startup_s = median(_starts(folder))
        return scaling_prediction.predict(settings, rates, strategy, own_s, startup_s)
    if not is_controlled:
        return None
    return assignment_prediction.predict(settings, rates, strategy, gap_s, folder.is_compared)


def _starts(folder: RunFolder) -> list[float]:
    """Times that consumers took to start after the first iteration, s."""
    if not group_size.is_controlled(folder):
        return group_size.member_starts(folder)
    created = (plan.created_s for plan in plan_times(folder) if plan.iteration > 1)
    return [each for each in created if each is not None]


def measured(folder: RunFolder) -> Quantities:
    """The quantities on the broker."""
    waits: Floats = np.maximum(latencies(compared_records(folder)), 0.0)
    consumers, moved = group_size.mean_consumers(folder), group_size.migrations(folder)
    return Quantities(consumers, moved, *latency_quantities.quantiles(waits))


def median_gap(folders: Iterable[RunFolder]) -> float:
    """Median gap of all moves that controllers made in some runs, s; 0 without any."""
    return _median_gap(filter(group_size.is_controlled, folders))


def _median_gap(folders: Iterable[RunFolder]) -> float:
    lengths = (gap.gap_s for folder in folders for gap in gaps(tenures(folder.records)))
    return median(lengths) or 0.0


def median(values: Iterable[float]) -> float | None:
    """Median of some values; None without any."""
    listed = list(values)
    return float(np.median(listed)) if listed else None


def _tolerance(predicted: float, seconds: float, share: float) -> float:
    return seconds + share * predicted if math.isfinite(predicted) else seconds


def _compared(value: float, predicted: float, tolerance: float | None) -> Comparison:
    error = value - predicted
    return Comparison(predicted, error if math.isfinite(error) else None, tolerance)
