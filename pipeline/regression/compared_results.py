"""What a run found, by experiment, δ and algorithm, as far as runs are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.inference import intervals
from pipeline.storage.reader import Source
from schemas import metrics

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

Key = tuple[str, float | None, str]
"""Experiment, δ, algorithm."""

Streams = Mapping[Key, Mapping[str, "NDArray[np.float64]"]]

MEANS = metrics.gated("mean")
"""Metrics that are means over streams, as in `pareto`."""

TIMES = metrics.gated("median")
"""Metrics that are medians over streams, since a percentile may be infinite in some."""

KEY = ("experiment", "delta", "algorithm")
_BOUNDS = tuple(
    f"{metric.name}_{end}"
    for metric in metrics.METRICS
    if metric.interval
    for end in ("low", "high")
)


@dataclass(frozen=True)
class Results:
    """What a run found.

    Attributes
    ----------
    fronts
        Rows of `pareto`.
    latency
        Percentiles of each stream, s; 0 where no sample is above 0.
    load_scores
        Reads the scores of each stream; called only if they are needed.
    """

    fronts: Mapping[Key, Mapping[str, Any]]
    latency: Streams
    load_scores: Callable[[], Streams] = field(default=dict, repr=False)

    @cached_property
    def scores(self) -> Streams:
        """Scores of each stream."""
        return self.load_scores()

    @cached_property
    def values(self) -> dict[tuple[Key, str], float]:
        """All that is compared, by key and metric."""
        means = {(key, m): float(row[m]) for key, row in self.fronts.items() for m in MEANS}
        return means | {
            (key, metric): intervals.median(seen)
            for key, times in self.latency.items()
            for metric, seen in times.items()
        }


def read(source: Source, run_ids: Sequence[str]) -> list[Results]:
    """Read the results of some runs, in the order of their ids."""
    means = ["run_id", *KEY, "replicates", *MEANS, *_BOUNDS]
    times = ["run_id", *KEY, *TIMES]
    fronts = _parts(source.rows("pareto", means, run_id=run_ids), run_ids)
    waits = _parts(source.rows("latency", times, run_id=run_ids), run_ids)

    def scores(run_id: str) -> Streams:
        return grouped(source.rows("scores", [*KEY, *MEANS], run_id=[run_id]), MEANS)

    return [
        Results(
            {(r["experiment"], r["delta"], r["algorithm"]): r for r in front.to_pylist()},
            grouped(wait, TIMES),
            lambda run_id=run_id: scores(run_id),  # type: ignore[misc]
        )
        for run_id, front, wait in zip(run_ids, fronts, waits, strict=True)
    ]


def _parts(rows: pa.Table, run_ids: Sequence[str]) -> list[pa.Table]:
    import pyarrow.compute as pc

    return [rows.filter(pc.equal(rows["run_id"], run_id)) for run_id in run_ids]


def grouped(rows: pa.Table, columns: Sequence[str]) -> Streams:
    """Values of streams by key, in ascending order; null counts as 0."""
    found = rows.group_by(list(KEY)).aggregate([(name, "list") for name in columns])
    keys = zip(*(found[name].to_pylist() for name in KEY), strict=True)
    lists = zip(*(found[f"{name}_list"] for name in columns), strict=True)
    return {
        key: {
            name: np.sort(cell.values.fill_null(0.0).to_numpy(zero_copy_only=False))
            for name, cell in zip(columns, cells, strict=True)
        }
        for key, cells in zip(keys, lists, strict=True)
    }
