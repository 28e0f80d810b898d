"""Scores: numbers of each iteration to one row of means per stream and algorithm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
import pyarrow as pa

from algorithms.assignment import registry
from algorithms.scores import assignment_scores
from pipeline.experiments.assignment.kernels.row_blocks import OF_STREAMS, Array, Series, unpack
from pipeline.settings import algorithm_names
from pipeline.warehouse.spark import arrow
from schemas.tables.assignment.scores import GAPS

NUMBERS = ("n_consumers", "n_migrations", "min_consumers", "rscore")
ROWS_PER_BATCH = 5_000


def score(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Blocks to rows of `scores` without columns of `streams`, whose algorithms are neighbours."""
    streams = groupby(unpack(batches), key=lambda series: series.stream_id)
    rows = (row for _, of_stream in streams for row in rows_of(list(of_stream)))
    return arrow.in_batches(rows, ROWS_PER_BATCH, SCORES)


PER_DAY = "rebalances_per_day"
"""Column that depends on the length of an iteration, which kernels are not given."""

SCORES = arrow.contract("scores", without=("run_id", *OF_STREAMS, *GAPS, PER_DAY))


def rows_of(stream: Sequence[Series]) -> Iterator[dict[str, object]]:
    """One row per algorithm of a stream, whose iterations are the same under each."""
    fewest = [series.numbers["min_consumers"] for series in stream[:1]]
    fewest += [
        series.numbers["n_consumers"]
        for series in stream
        if algorithm_names.keeps_capacity(str(series.algorithm))
    ]
    common = np.minimum.reduce(fewest)
    return (_row(series, common) for series in stream)


def _row(series: Series, common: Array) -> dict[str, object]:
    numbers = series.numbers
    n = len(numbers["iteration"])
    return {
        "stream_id": series.stream_id,
        "experiment": series.experiment,
        "algorithm": series.algorithm,
        "reference": series.algorithm in registry.reference_set(),
        "n_iterations": n,
        "mean_consumers": int(numbers["n_consumers"].sum()) / n,
        "cbs": assignment_scores.cbs(numbers["n_consumers"], numbers["min_consumers"]),
        "cbs_common": assignment_scores.cbs(numbers["n_consumers"], common),
        # Rounded once, so that it does not depend on the order of the sum.
        "mean_rscore": math.fsum(numbers["rscore"]) / n,
        "mean_migrations": int(numbers["n_migrations"].sum()) / n,
        "peak_consumers": int(numbers["n_consumers"].max()),
        "moving_share": int(np.count_nonzero(numbers["n_migrations"])) / n,
    }
