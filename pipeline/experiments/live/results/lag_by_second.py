"""Consumers, lag, rate and latency of live runs by second: what memory has of `live_lag`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.warehouse.storage import reader
from pipeline.warehouse.storage.reader import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.context import RunContext

PLACE = ("experiment", "stream_id", "strategy")

STORED = ("second", "lag", "owner", "speed", "longest_s")
"""Columns of `live_lag` that are read."""

TABLE = "lag_by_second"
"""Name among the tables of `pipeline.warehouse.runs.run_results.Results`."""


def read(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """Rows of `reduced` with `PLACE`, on the first stream of each experiment."""
    source = reader.of(ctx.paths)
    runs = source.rows("live_runs", PLACE, run_id=[ctx.run_id]).to_pandas()
    return of_runs(source, ctx.run_id, runs)


def of_runs(source: Source, run_id: str, runs: pd.DataFrame) -> pd.DataFrame:
    """As `read`, with one `PLACE` of ``runs``, of `live_runs`, in memory at a time."""
    first = runs.groupby("experiment")["stream_id"].transform("min") == runs["stream_id"]
    parts = []
    for place in runs.loc[first, list(PLACE)].sort_values(list(PLACE)).to_dict("records"):
        filters = {name: [value] for name, value in place.items()}
        rows = source.rows("live_lag", STORED, run_id=[run_id], **filters)
        parts.append(reduced(rows).assign(**place))
    columns = [*PLACE, "second", "lag", "consumers", "speed", "longest_s"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def reduced(rows: pa.Table) -> pd.DataFrame:
    """Rows of `live_lag` by ``second``, in order.

    Returns: Lag and write speed of all partitions, number of owners, and the longest time from due
        to processed, NaN without.
    """
    owners = pc.CountOptions(mode="only_valid")
    sums = [("lag", "sum"), ("owner", "count_distinct", owners)]
    sums += [("speed", "sum"), ("longest_s", "max")]
    by_second = rows.group_by("second", use_threads=False).aggregate(sums).sort_by("second")
    names = {"lag_sum": "lag", "owner_count_distinct": "consumers", "speed_sum": "speed"}
    return by_second.to_pandas().rename(columns={**names, "longest_s_max": "longest_s"})
