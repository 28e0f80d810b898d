"""Distances from bounds: numbers at sampled iterations to a row per stream and algorithm."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from algorithms.assignment import registry
from algorithms.bounds import gaps
from algorithms.core.arrays import Floats
from pipeline.warehouse.spark import arrow
from schemas.tables.assignment.scores import GAPS

KEYS = ("stream_id", "algorithm")
MEASURED_GAPS = pa.schema(
    [field for field in arrow.contract("scores") if field.name in (*KEYS, *GAPS)]
)


def measure_gaps(rows: pa.Table) -> pa.Table:
    """One stream and algorithm, with its bounds at each iteration, to a row of `MEASURED_GAPS`."""
    used, lower, upper = _columns(rows, "n_consumers", "fewest_lower", "fewest_upper")
    if registry.get(rows["algorithm"][0].as_py()).keeps_capacity:
        # Its own assignment is within the capacity, so the minimum is no greater.
        upper = np.minimum(upper, used)
    excess = gaps.excess(used, lower, upper)
    # Bounds of Rscore are computed for some algorithms only, and never at the first iteration.
    bounded = rows.filter(pa.compute.is_valid(rows["least_lower"]))
    distance = gaps.distance(*_columns(bounded, "rscore", "least_lower", "least_upper"))
    return pa.table(
        {
            "stream_id": rows["stream_id"].slice(0, 1),
            "algorithm": rows["algorithm"].slice(0, 1),
            "cbs_optimum_low": _known(excess.low),
            "cbs_optimum_high": _known(excess.high),
            "rscore_gap_low": _known(distance.low),
            "rscore_gap_high": _known(distance.high),
        }
    )


def _columns(rows: pa.Table, *names: str) -> list[Floats]:
    """Columns as doubles, NaN in place of null."""
    doubles = (pa.compute.cast(rows[name], pa.float64()).fill_null(math.nan) for name in names)
    return [column.to_numpy() for column in doubles]


def _known(value: float) -> pa.Array:
    return pa.array([None if math.isnan(value) else value], pa.float64())
