"""Stage `weigh_trade_offs`: service against cost over replicates, and the fronts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.autoscaling.kernels.trade_off_kernel import weigh
from pipeline.warehouse.storage import reader, tables
from schemas.tables.autoscaling.trade_offs import AVERAGED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

COLUMNS = (
    *("experiment", "workload", "replicate", "strategy", "setting"),
    *(*AVERAGED, "least_minutes", "max"),
)


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `trade_offs` of the run; it is not split into units.

    Its input, a row per stream and strategy, is small: it is read into memory, without Spark if
    possible.
    """
    here = reader.of(ctx.paths)
    simulations = here.rows("simulations", COLUMNS, run_id=[ctx.run_id]).to_pandas()
    by_experiment = dict(iter(simulations.groupby("experiment")))
    rows = [
        {"run_id": ctx.run_id, **row}
        for experiment in ctx.config.autoscaling
        for row in weigh(by_experiment[experiment.name], experiment.most_minutes, ctx.config.seed)
    ]
    frame = tables.of_rows(spark, rows, "trade_offs").coalesce(1)
    tables.write(spark, frame, "trade_offs", ctx.paths, ctx.run_id)
