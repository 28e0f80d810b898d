"""Stage `generate_live_streams`: streams of live experiments, generated or recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pipeline.experiments.live.running import live_streams
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.row_slices import sliced
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.live_experiment import LiveExperiment
    from pipeline.settings.run_config import RunConfig, Unit
    from pipeline.warehouse.runs.context import RunContext

MEASURED = arrow.contract("measurements", without=("run_id",))


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `streams` and `measurements` of a run; it is not split into units."""
    from pyspark.sql import functions as F

    specs, frames = [], []
    for experiment in ctx.config.live:
        for spec in live_streams.specify(experiment, ctx.config):
            specs.append({"run_id": ctx.run_id, **spec})
            rows = sliced(pa.Table.from_batches([measurements(experiment, ctx.config, spec)]))
            frames.append(arrow.frame(spark, rows).coalesce(1))
    streams = tables.of_rows(spark, specs, "streams").coalesce(1)
    tables.write(spark, streams, "streams", ctx.paths, ctx.run_id)
    measured = reduce(lambda left, right: left.unionByName(right), frames)
    measured = measured.withColumn("run_id", F.lit(ctx.run_id)).coalesce(1)
    tables.write(spark, measured, "measurements", ctx.paths, ctx.run_id)


def measurements(
    experiment: LiveExperiment, config: RunConfig, spec: Mapping[str, Any]
) -> pa.RecordBatch:
    """Rows of `measurements` of a stream, without ``run_id``."""
    rates = live_streams.rates_of(experiment, config, spec["seed"])
    n = len(rates)
    return pa.RecordBatch.from_pydict(
        {
            "experiment": arrow.repeat(experiment.name, n),
            "delta": pa.array([experiment.delta] * n, pa.float64()),
            "stream_id": arrow.repeat(spec["stream_id"], n),
            "iteration": np.arange(1, n + 1, dtype=np.int32),
            "rates": arrow.lists(rates, np.isnan(rates)),
        },
        schema=MEASURED,
    )
