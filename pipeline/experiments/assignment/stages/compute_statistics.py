"""Stage `statistics`: comparisons of algorithms and fronts over replicates, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pipeline.experiments.assignment import statistics
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `comparisons`, `rankings`, `indicators`, `dominance`; it is not split into units.

    Its input, a row per stream and algorithm, is small: it is read into memory, without Spark if
    possible.
    """
    from pyspark import inheritable_thread_target

    scores = (
        reader.of(ctx.paths).rows("scores", statistics.COLUMNS, run_id=[ctx.run_id]).to_pandas()
    )
    settings = {e.name: e.model_dump(mode="json") for e in ctx.config.experiments}
    found = statistics.rows(statistics.of_scores(scores), ctx.config.seed, settings)

    def write(table: str) -> None:
        rows = [{"run_id": ctx.run_id, **row} for row in found[table]]
        frame = tables.of_rows(spark, rows, table).coalesce(1)
        tables.write(spark, frame, table, ctx.paths, ctx.run_id)

    # Most of a small write is waiting.
    with ThreadPoolExecutor(max_workers=len(statistics.NAMES)) as pool:
        list(pool.map(inheritable_thread_target(spark)(write), statistics.NAMES))
