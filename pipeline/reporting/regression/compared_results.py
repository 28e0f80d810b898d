"""The values of two runs' results that are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.inference import intervals
from pipeline.warehouse.runs.run_results import KEY, Key, Results, keyed
from pipeline.warehouse.storage.reader import Source
from schemas import metrics
from schemas.metric import Metric, gated

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

MEANS = gated("mean", metrics.ALL)
"""Metrics that are means over streams, as in `pareto`."""

TIMES = gated("median", metrics.ALL)
"""Metrics that are medians over streams, since a percentile may be infinite in some."""

_CANDIDATE = ("experiment", "strategy", "setting")


def _front_columns(among: Sequence[Metric]) -> list[str]:
    bounds = [f"{m.name}_{end}" for m in among if m.interval for end in ("low", "high")]
    return ["replicates", *gated("mean", among), *bounds]


_COLUMNS = {
    "pareto": [*KEY, *_front_columns(metrics.METRICS)],
    "latency": [*KEY, *gated("median", metrics.METRICS)],
    "scores": [*KEY, *gated("mean", metrics.METRICS)],
    "trade_offs": [*_CANDIDATE, *_front_columns(metrics.SCALING)],
    "simulations": [
        *_CANDIDATE,
        *(metric.column for metric in metrics.SCALING if metric.gated),
    ],
}


class ComparedRun:
    """A run's values as the gate looks them up. Scores of streams are read when needed."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._streams: dict[str, dict[Key, NDArray[np.float64]]] = {}

    def streams(self, key: Key, metric: str) -> NDArray[np.float64]:
        """Values of the streams, ascending."""
        return self._of(metric)[key]

    @cached_property
    def fronts(self) -> dict[Key, Mapping[str, Any]]:
        """Rows of `pareto` or `trade_offs`; null is None."""
        return {
            (row["experiment"], row["delta"], row["algorithm"]): row
            for table in metrics.FRONTS.values()
            for row in _records(keyed(self._results[table]))
        }

    @cached_property
    def values(self) -> dict[tuple[Key, str], float]:
        """All compared values, by key and metric."""
        means = {
            (key, m): float(row[m])
            for key, row in self.fronts.items()
            for m in MEANS
            if row.get(m) is not None
        }
        return means | {
            (key, metric): intervals.median(values)
            for metric in TIMES
            for key, values in self._of(metric).items()
        }

    def _of(self, metric: str) -> dict[Key, NDArray[np.float64]]:
        if metric not in self._streams:
            self._streams[metric] = self._results.metric(metric)
        return self._streams[metric]


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = rows.astype(object).where(rows.notna(), None).to_dict("records")
    return records


class _Tables(dict[str, "pd.DataFrame"]):
    """Tables that are read when they are first needed."""

    def __init__(self, read: Callable[[str], pd.DataFrame]) -> None:
        self._read = read

    def __missing__(self, table: str) -> pd.DataFrame:
        self[table] = self._read(table)
        return self[table]


def read(source: Source, run_ids: Sequence[str]) -> list[Results]:
    """The compared results of the given runs, in the order of their ids."""

    def of(run_id: str) -> Results:
        return Results(
            _Tables(lambda table: source.rows(table, _COLUMNS[table], run_id=[run_id]).to_pandas())
        )

    return [of(run_id) for run_id in run_ids]
