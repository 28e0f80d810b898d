"""Scores of one experiment and δ as matrices: replicates times algorithms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from algorithms.assignment import registry
from algorithms.core.arrays import Floats
from pipeline.settings.algorithm_names import keeps_capacity

METRICS = ("cbs_common", "mean_rscore")
"""Columns of `scores` that are compared; less is better in both."""

COLUMNS = ("experiment", "delta", "algorithm", "replicate", "stream_id", *METRICS)
"""Columns of `scores` that are needed."""

MOST_COMPARED = 40
"""Algorithms of which all pairs are compared, first in display: 780 pairs."""


class Scored(NamedTuple):
    """Scores of an experiment at one δ."""

    experiment: str
    delta: float | None
    """None for recorded traces."""
    names: tuple[str, ...]
    """Algorithms that keep consumers within capacity, in the order of display."""
    cbs: Floats
    rscore: Floats
    """`cbs`, `rscore`: ``float64[n, k]``: a row per replicate, a column per algorithm. CBS refers
    to the common minimum of the run."""

    @property
    def keys(self) -> dict[str, object]:
        """Columns that all rows of this experiment and δ share."""
        return {
            "experiment": self.experiment,
            "delta": self.delta,
            "replicates": len(self.cbs),
        }

    @property
    def reference(self) -> list[int]:
        """Columns of the paper's algorithms."""
        of_paper = registry.reference_set()
        return [i for i, name in enumerate(self.names) if name in of_paper]

    def values(self, metric: str) -> Floats:
        """The matrix of a metric."""
        return {"cbs_common": self.cbs, "mean_rscore": self.rscore}[metric]

    def compared(self, metric: str) -> Floats:
        """The matrix of a metric with the algorithms of which all pairs are compared."""
        return self.values(metric)[:, :MOST_COMPARED]


def of_scores(scores: pd.DataFrame) -> list[Scored]:
    """Scores by experiment and δ, from rows with `COLUMNS`; experiments in order of their names.

    All statistics are over replicates. Streams of the same replicate that differ in their start
    condition share their random numbers, so they are not replicates of each other: their scores
    are averaged.
    """
    within = scores[[keeps_capacity(str(name)) for name in scores["algorithm"]]]
    grouped = within.groupby(["experiment", "delta"], dropna=False, sort=True)
    return list(_matrices(grouped))


def _matrices(grouped: pd.api.typing.DataFrameGroupBy) -> Iterator[Scored]:
    for (experiment, delta), part in grouped:
        names = sorted(part["algorithm"].unique(), key=registry.sort_key)
        wide = part.pivot(
            index=["replicate", "stream_id"], columns="algorithm", values=list(METRICS)
        )
        averaged = wide.sort_index().groupby(level="replicate").mean()
        cbs, rscore = (
            np.ascontiguousarray(averaged[metric][names].to_numpy(dtype=np.float64))
            for metric in METRICS
        )
        volatility = None if math.isnan(delta) else float(delta)
        yield Scored(str(experiment), volatility, tuple(map(str, names)), cbs, rscore)
