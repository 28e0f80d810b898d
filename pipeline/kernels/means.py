"""Scores: numbers of each iteration to one row of means per stream and algorithm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import pyarrow as pa

from algorithms import metrics, registry
from pipeline import arrow
from pipeline.kernels.pack import Series, unpack

NUMBERS = ("n_consumers", "n_migrations", "min_consumers", "rscore")
ROWS_PER_BATCH = 5_000


def score(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Blocks with `NUMBERS` to rows of `scores` without what `streams` tells."""
    return arrow.in_batches((_row(series) for series in unpack(batches)), ROWS_PER_BATCH, SCORES)


SCORES = pa.schema(
    {
        "stream_id": pa.string(),
        "experiment": pa.string(),
        "algorithm": pa.string(),
        "reference": pa.bool_(),
        "n_iterations": pa.int32(),
        "mean_consumers": pa.float64(),
        "cbs": pa.float64(),
        "mean_rscore": pa.float64(),
        "mean_migrations": pa.float64(),
    }
)


def _row(series: Series) -> dict[str, object]:
    found = series.numbers
    n = len(found["iteration"])
    return {
        "stream_id": series.stream_id,
        "experiment": series.experiment,
        "algorithm": series.algorithm,
        "reference": series.algorithm in registry.reference_set(),
        "n_iterations": n,
        "mean_consumers": int(found["n_consumers"].sum()) / n,
        "cbs": metrics.cbs(found["n_consumers"], found["min_consumers"]),
        # Rounded once, so that it does not depend on the order of the sum.
        "mean_rscore": math.fsum(found["rscore"]) / n,
        "mean_migrations": int(found["n_migrations"].sum()) / n,
    }
