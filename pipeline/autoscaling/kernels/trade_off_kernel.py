"""Trade-offs: rows of `simulations` of an experiment to means with intervals, and the front."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.seeds import derive_seed
from algorithms.inference.intervals import Interval
from algorithms.scores import service_trade_off, strategy_fronts
from algorithms.scores.service_trade_off import Service, TradeOff

Row = dict[str, Any]

_KEYS = ["strategy", "setting"]


class _Matrices(NamedTuple):
    """Figures of k candidates on n replicates, each ``float64[n, k]``, and the candidates."""

    candidates: list[tuple[str, str]]
    service: Service
    has_events: bool
    regrets: NDArray[np.float64]


def weigh(simulations: pd.DataFrame, most_minutes: float, seed: int) -> list[Row]:
    """Rows of `trade_offs` of one experiment, without ``run_id``.

    Parameters
    ----------
    simulations
        Rows of `simulations`: every candidate on every replicate.
    most_minutes
        Replica-minutes of one replica per partition.
    seed
        Root seed, from which those of the intervals are derived.
    """
    first = simulations.iloc[0]
    own = derive_seed(seed, "trade-offs", str(first["experiment"]))
    found = _matrices(simulations)
    names = [strategy for strategy, _ in found.candidates]
    trade_offs = service_trade_off.trade_offs(found.service, own)
    regrets = service_trade_off.regret_intervals(found.regrets, own)
    areas = strategy_fronts.hypervolumes(found.service, names, most_minutes, own)
    by_strategy = dict(zip(areas.strategies, areas.intervals, strict=True))
    fixed = {"experiment": str(first["experiment"]), "workload": str(first["workload"])}
    none = Interval(math.nan, math.nan, math.nan)
    return [
        {**fixed, "strategy": strategy, "setting": setting}
        | {"replicates": len(found.service.sla_percent)}
        | _means(trade_off, found.has_events)
        | _ends("regret", regret)
        | _ends("hypervolume", by_strategy[strategy] if found.has_events else none)
        | _front(trade_off, found.candidates)
        for (strategy, setting), trade_off, regret in zip(
            found.candidates, trade_offs, regrets, strict=True
        )
    ]


def _matrices(simulations: pd.DataFrame) -> _Matrices:
    table = simulations.pivot_table(
        index="replicate",
        columns=_KEYS,
        values=["sla_percent", "replica_minutes", "partitions_moved", "least_minutes"],
        dropna=False,
        sort=True,
    )
    candidates = list(
        simulations[_KEYS].drop_duplicates().sort_values(_KEYS).itertuples(index=False, name=None)
    )

    def matrix(name: str) -> NDArray[np.float64]:
        columns = [(name, *candidate) for candidate in candidates]
        return np.ascontiguousarray(table.reindex(columns=columns).to_numpy(dtype=np.float64))

    served, minutes, least = map(matrix, ("sla_percent", "replica_minutes", "least_minutes"))
    with np.errstate(divide="ignore", invalid="ignore"):
        regrets = np.where(least > 0.0, minutes / least - 1.0, np.nan)
    # Without events all are in time; a bound is never above what is simulated but for rounding.
    service = Service(np.nan_to_num(served, nan=100.0), minutes, matrix("partitions_moved"))
    return _Matrices(candidates, service, bool(np.isfinite(served).all()), np.maximum(regrets, 0.0))


def _means(trade_off: TradeOff, has_events: bool) -> Row:
    none = Interval(math.nan, math.nan, math.nan)
    return (
        _ends("sla_percent", trade_off.sla_percent if has_events else none)
        | _ends("replica_minutes", trade_off.replica_minutes)
        | _ends("partitions_moved", trade_off.moved)
    )


def _ends(name: str, interval: Interval) -> Row:
    values = zip((name, f"{name}_low", f"{name}_high"), interval, strict=True)
    return {key: None if math.isnan(value) else value for key, value in values}


def _front(trade_off: TradeOff, candidates: list[tuple[str, str]]) -> Row:
    beaten = trade_off.beaten
    by = None if beaten.by is None else ":".join(filter(None, candidates[beaten.by]))
    return {
        "on_front": trade_off.on_front,
        "dominated_by": by,
        "replicates_dominated": beaten.replicates,
    }
