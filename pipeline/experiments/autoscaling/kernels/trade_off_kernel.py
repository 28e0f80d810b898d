"""Trade-offs: rows of `simulations` of an experiment to means with intervals, and the front."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.autoscaling import registry
from algorithms.core.seeds import derive_seed
from algorithms.inference.intervals import Interval
from algorithms.scores import service_trade_off, strategy_fronts
from algorithms.scores.service_trade_off import Service, TradeOff
from schemas.tables.autoscaling.trade_offs import AVERAGED

Row = dict[str, Any]

_KEYS = ["strategy", "setting"]


class _Matrices(NamedTuple):
    """Figures of k candidates on n replicates, each ``float64[n, k]``, and the candidates."""

    candidates: list[tuple[str, str]]
    figures: dict[str, NDArray[np.float64]]
    regrets: NDArray[np.float64]


def weigh(simulations: pd.DataFrame, most_minutes: float, seed: int) -> list[Row]:
    """Rows of `trade_offs` of one experiment, without ``run_id``.

    simulations: Rows of `simulations`: every candidate on every replicate.
    most_minutes: Replica-minutes of one replica per partition.
    seed: Root seed, from which those of the intervals are derived.
    """
    first = simulations.iloc[0]
    own = derive_seed(seed, "trade-offs", str(first["experiment"]))
    matrices = _matrices(simulations)
    names = [strategy for strategy, _ in matrices.candidates]
    service, has_events = _service(matrices.figures)
    eligible = np.array([_can_be_chosen(simulations, *each) for each in matrices.candidates])
    trade_offs = service_trade_off.trade_offs(service, eligible)
    means = {
        name: service_trade_off.mean_intervals(values, own)
        for name, values in matrices.figures.items()
    }
    regrets = service_trade_off.regret_intervals(matrices.regrets, own)
    areas = strategy_fronts.hypervolumes(service, names, most_minutes, own)
    by_strategy = dict(zip(areas.strategies, areas.intervals, strict=True))
    fixed = {"experiment": str(first["experiment"]), "workload": str(first["workload"])}
    none = Interval(math.nan, math.nan, math.nan)
    return [
        {**fixed, "strategy": strategy, "setting": setting}
        | {"replicates": len(service.sla_percent)}
        | _ends({name: intervals[j] for name, intervals in means.items()})
        | _ends({"regret": regrets[j]})
        | _ends({"hypervolume": by_strategy[strategy] if has_events else none})
        | {"eligible": bool(eligible[j])}
        | _front(trade_offs[j], matrices.candidates)
        for j, (strategy, setting) in enumerate(matrices.candidates)
    ]


def _matrices(simulations: pd.DataFrame) -> _Matrices:
    table = simulations.pivot_table(
        index="replicate",
        columns=_KEYS,
        values=[*AVERAGED, "least_minutes"],
        dropna=False,
        sort=True,
    )
    candidates = list(
        simulations[_KEYS].drop_duplicates().sort_values(_KEYS).itertuples(index=False, name=None)
    )

    def matrix(name: str) -> NDArray[np.float64]:
        columns = [(name, *candidate) for candidate in candidates]
        return np.ascontiguousarray(table.reindex(columns=columns).to_numpy(dtype=np.float64))

    figures, least = {name: matrix(name) for name in AVERAGED}, matrix("least_minutes")
    with np.errstate(divide="ignore", invalid="ignore"):
        regrets = np.where(least > 0.0, figures["replica_minutes"] / least - 1.0, np.nan)
    # A bound is never above what is simulated but for rounding.
    return _Matrices(candidates, figures, np.maximum(regrets, 0.0))


def _can_be_chosen(simulations: pd.DataFrame, strategy: str, setting: str) -> bool:
    """Whether a candidate sees only the past, and serves all events in the end."""
    own = (simulations["strategy"] == strategy) & (simulations["setting"] == setting)
    # Infinite where an event is not served within the drain limit; null without events.
    longest = simulations.loc[own, "max"].to_numpy(dtype=np.float64)
    foresees = strategy in registry.names() and registry.get(strategy).foresees
    return not foresees and not bool(np.isinf(longest).any())


def _service(figures: Mapping[str, NDArray[np.float64]]) -> tuple[Service, bool]:
    """What fronts compare, and whether all streams have events: without, all are in time."""
    served = figures["sla_percent"]
    service = Service(np.nan_to_num(served, nan=100.0), figures["replica_minutes"])
    return service, bool(np.isfinite(served).all())


def _ends(intervals: Mapping[str, Interval]) -> Row:
    """Columns of means and the ends of their intervals; a NaN is null."""
    return {
        key: None if math.isnan(value) else value
        for name, interval in intervals.items()
        for key, value in zip((name, f"{name}_low", f"{name}_high"), interval, strict=True)
    }


def _front(trade_off: TradeOff, candidates: list[tuple[str, str]]) -> Row:
    beaten = trade_off.beaten
    by = None if beaten.by is None else ":".join(filter(None, candidates[beaten.by]))
    return {
        "on_front": trade_off.on_front,
        "dominated_by": by,
        "replicates_dominated": beaten.replicates,
    }
