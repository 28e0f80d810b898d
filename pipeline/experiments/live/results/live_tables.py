"""Reads the tables of a run of this family into memory, for report, MLflow and terminal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pipeline.experiments.live.results import lag_by_second
from pipeline.warehouse.runs.run_results import ReadTables
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.context import RunContext

_WHOLE = (
    *("live_runs", "live_plans", "live_events"),
    *("live_latency", "live_integrity", "live_agreement"),
    "differences",
)
_COUNTED = tuple(table for table in tables.DATA if table not in (*_WHOLE, "streams", "validations"))


def read(spark: SparkSession, ctx: RunContext) -> ReadTables:
    """Read all tables in parallel: most of the time is waiting."""
    here = reader.of(ctx.paths)
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = pool.map(lambda table: reader.pandas_frame(here, table, ctx.run_id), _WHOLE)
        streams = pool.submit(reader.pandas_frame, here, "streams", ctx.run_id)
        counts = pool.map(lambda table: here.count(table, ctx.run_id), _COUNTED)
        frames = dict(zip(_WHOLE, found, strict=True))
        frames[lag_by_second.TABLE] = lag_by_second.read(here, ctx.run_id, frames["live_runs"])
        rows = streams.result()
        frames["streams"] = rows.assign(n_partitions=rows["partitions"].map(len)).drop(
            columns="partitions"
        )
        return ReadTables(frames, dict(zip(_COUNTED, counts, strict=True)))
