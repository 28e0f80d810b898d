"""Stage `compare_predictions`: figures from the broker beside those of simulators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from live.live_settings import GIVEN
from pipeline.experiments.live.predictions import agreement
from pipeline.experiments.live.running import live_folders, live_streams
from pipeline.experiments.live.stages.live_rows import Row, agreement_rows
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `live_agreement` of the run, from its evidence; it is not split into units."""
    rows = [
        {"run_id": ctx.run_id, **row}
        for experiment in ctx.config.live
        for row in _compared(ctx, experiment)
    ]
    frame = tables.of_rows(spark, rows, "live_agreement").coalesce(1)
    tables.write(spark, frame, "live_agreement", ctx.paths, ctx.run_id)


def _compared(ctx: RunContext, experiment: LiveExperiment) -> Iterator[Row]:
    pairs = [
        (experiment.name, stream_id, strategy)
        for stream_id in live_streams.names(experiment)
        for strategy in experiment.strategies
    ]
    # One gap for all: the broker is the same, and fixed groups have none.
    gap_s = agreement.median_gap(live_folders.read(ctx, *pair) for pair in pairs)
    for pair in pairs:
        folder = live_folders.read(ctx, *pair)
        found = agreement.agreements(folder, pair[2], gap_s, experiment.speeds == GIVEN)
        yield from agreement_rows(*pair, found)
