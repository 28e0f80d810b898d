"""How far the least-loaded packing is from the fewest replicas, along a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import least_loaded, least_loaded_scaling
from algorithms.autoscaling.dispatch import Seen, decide, decides
from algorithms.autoscaling.least_loaded_scaling import LeastLoaded, lag_capacity
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.strategy import PACKING, Strategy
from algorithms.autoscaling.strategy_list import F_DOWN, F_UP
from algorithms.bounds.effort import Effort
from algorithms.bounds.rate_and_lag import fewest_replicas
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.simulation.group_settings import check_settings
from algorithms.simulation.group_simulation import simulate

_DECISION_S = 1.0


class Gaps(NamedTuple):
    """Replicas by each decision's own rates and lags, at the factor for scaling up."""

    packed: Longs
    """int64[D]: those of the least-loaded packing."""
    lower: Longs
    upper: Longs
    """`lower`, `upper`: int64[D]: interval that contains the fewest."""


class Record(NamedTuple):
    """What a strategy has seen in each of up to D decisions."""

    rates: Floats
    lags: Floats
    """`rates`, `lags`: float64[D, P]."""
    decisions: Longs
    """int64[1]: decisions so far."""


class Recorded(NamedTuple):
    """State of a strategy of Ezzeddine 2024 that keeps what it sees."""

    partitions: int
    record: Record
    decided: LeastLoaded


def start(group: Group, *, record: Record, **arguments: Any) -> Recorded:
    """Start the strategy; arguments are those of `algorithms.autoscaling.least_loaded_scaling`."""
    decided = least_loaded_scaling.start(group, **arguments)
    return Recorded(partitions=group.partitions, record=record, decided=decided)


@decides(Recorded)
@kernel
def _decide(state: Recorded, seen: Seen, after: Longs) -> tuple[int, int]:
    record = state.record
    row = record.decisions[0]
    for p in range(state.partitions):
        record.rates[row, p] = seen.rates[p]
        record.lags[row, p] = seen.lags[p]
    record.decisions[0] += 1
    return decide(state.decided, seen, after)


def along_run(
    rates: Floats, settings: Mapping[str, Any], replan: bool, effort: Effort, f_up: float = 0.9
) -> Gaps:
    """Gaps of the packings of Algorithm 1, or of Algorithm 2 with `replan`, along its own run.

    rates: float64[N, P], as for `algorithms.simulation.simulate`.
    settings: Settings of the group, also as there.
    f_up: Share of the capacities that is used when scaling up.

    Both packings get the rates and lags of each decision before the projection of Algorithm 2.
    """
    steps, partitions = rates.shape
    seen = np.zeros((2, steps + 1, partitions))
    record = Record(seen[0], seen[1], np.zeros(1, np.int64))
    strategy = Strategy(
        name="recorded",
        title="",
        family=PACKING,
        paper="",
        module=__name__,
        decision_s=_DECISION_S,
        takes=(F_UP, F_DOWN),
        settings=(("replan", replan), ("record", record)),
    )
    simulate(rates, strategy, {"f_up": f_up}, settings)
    group = check_settings(settings, partitions, _DECISION_S, None)
    return _gaps(record, group.mu * f_up, lag_capacity(group.mu, group.wsla_s, f_up), effort)


def _gaps(record: Record, rate_cap: float, lag_cap: float, effort: Effort) -> Gaps:
    counts: list[tuple[float, ...]] = []
    for rates, lags in zip(record.rates, record.lags, strict=True):
        if len(counts) == record.decisions[0]:
            break
        bound = fewest_replicas(rates, lags, rate_cap, lag_cap, effort)
        packed = least_loaded.pack(rates, lags, rate_cap, lag_cap)
        counts.append((len(packed), bound.lower, bound.upper))
    return Gaps(*np.array(counts, np.int64).reshape(-1, 3).T)
