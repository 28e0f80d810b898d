"""Stage `measure_groups`: every strategy of an experiment on each of its streams, on a broker."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from algorithms.core.arrays import Floats
from live.live_settings import LiveSettings
from live.runs.live_run import measure_strategy
from live.runs.strategy_run import Script
from pipeline.base import progress
from pipeline.experiments.live.evidence import run_folder, sample_file
from pipeline.experiments.live.faults import fault_scripts
from pipeline.experiments.live.running import live_folders, one_live_run_lock, run_brokers
from pipeline.experiments.live.stages.lag_over_time import lag
from pipeline.experiments.live.stages.live_rows import TABLES, Row, check_sound, rows_of
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

STREAM = ("stream_id", "experiment", "replicate", "seed")


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write what is measured of the units: all tables of live runs but `live_agreement`.

    All strategies run one after the other, on brokers that are started for each experiment.
    """
    wanted = {unit.experiment for unit in (ctx.config.units() if units is None else units)}
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    lags: list[pa.Table] = []
    with one_live_run_lock.alone():
        for experiment in ctx.config.live:
            if experiment.name in wanted:
                for found in _measured(ctx, experiment):
                    lags.append(found.lag)
                    for table in TABLES:
                        rows[table] += found.rows[table]
    frames = {
        table: tables.of_rows(spark, [{"run_id": ctx.run_id, **row} for row in rows[table]], table)
        for table in TABLES
    }
    frames["live_lag"] = _lag(spark, ctx.run_id, lags)
    for table, frame in frames.items():
        tables.write(spark, frame.coalesce(1), table, ctx.paths, ctx.run_id, units)


def _lag(spark: SparkSession, run_id: str, lags: Sequence[pa.Table]) -> DataFrame:
    from pyspark.sql import functions as F

    frames = [spark.createDataFrame(rows) for rows in lags]
    whole = reduce(lambda left, right: left.unionByName(right), frames)
    return whole.withColumn("run_id", F.lit(run_id))


class Measured(NamedTuple):
    """What one strategy did on one stream: rows of small tables, and of `live_lag`."""

    rows: dict[str, list[Row]]
    lag: pa.Table


def _measured(ctx: RunContext, experiment: LiveExperiment) -> Iterator[Measured]:
    """Rows of each strategy on each stream of an experiment."""
    place = live_folders.of_experiment(ctx, experiment.name)
    for former in (place, live_folders.samples_of(ctx, experiment.name)):
        shutil.rmtree(former, ignore_errors=True)
    pairs = [
        (stream, name) for stream in _streams(ctx, experiment) for name in experiment.strategies
    ]
    with run_brokers.at_work(experiment, ctx.run_id, place / "brokers") as brokers:
        for number, (stream, strategy) in enumerate(pairs, 1):
            where = f"{strategy} on {stream['stream_id']}"
            progress.note(f"run {number} of {len(pairs)}: {where}")
            names = (experiment.name, stream["stream_id"], strategy)
            folder = live_folders.of_strategy(ctx, *names)
            name = run_brokers.name(ctx.run_id, number)
            settings = settings_for(experiment, stream["seed"], name, str(folder))
            rates, script = stream["rates"].tolist(), script_of(experiment)
            measure_strategy(settings, rates, strategy, brokers, script)
            found = run_folder.read(folder)
            check_sound(found, where)
            sample_file.write(found, live_folders.sample_file(ctx, *names))
            yield Measured(
                rows_of(found, experiment, stream, strategy), _placed(lag(found), *names)
            )


def script_of(experiment: LiveExperiment) -> Script | None:
    """What happens to its runs: the death of a consumer, or nothing."""
    if not experiment.death_iteration:
        return None
    at_s = (experiment.death_iteration - 0.5) * experiment.iteration_seconds
    return partial(fault_scripts.kill_consumer, at_s=at_s)


def _placed(rows: pa.Table, *names: str) -> pa.Table:
    """Rows with the names of experiment, stream and strategy."""
    for column, name in zip(("experiment", "stream_id", "strategy"), names, strict=True):
        rows = rows.append_column(column, arrow.repeat(name, rows.num_rows))
    return rows


def settings_for(experiment: LiveExperiment, seed: int, run: str, folder: str) -> LiveSettings:
    """Settings of the processes of one strategy on one stream."""
    return LiveSettings(
        run=run,
        bootstrap="",
        folder=folder,
        partitions=experiment.partitions,
        capacity=experiment.capacity,
        consumer_rate=experiment.consumer_rate,
        iteration_s=experiment.iteration_seconds,
        iterations=experiment.iterations,
        record_bytes=experiment.record_bytes,
        mode=experiment.mode,
        batch_bytes=experiment.batch_bytes,
        wait_s=experiment.wait_s,
        order=experiment.order,
        lease_s=experiment.lease_s,
        speeds=experiment.speeds,
        period_s=experiment.period_s,
        window_s=experiment.window_s,
        lag_threshold=experiment.lag_threshold,
        nodes=experiment.nodes,
        spare=experiment.spare,
        seed=seed,
        client_file=experiment.client_file,
    )


def _streams(ctx: RunContext, experiment: LiveExperiment) -> list[dict[str, Any]]:
    """Rows of `streams` of an experiment in order, each with its ``rates``."""
    here = reader.of(ctx.paths)
    chosen = {"run_id": [ctx.run_id], "experiment": [experiment.name]}
    streams = here.rows("streams", STREAM, **chosen).to_pylist()
    columns = ("stream_id", "iteration", "rates")
    measured = here.rows("measurements", columns, **chosen).sort_by("iteration")
    return [
        stream | {"rates": _rates(measured, stream["stream_id"])}
        for stream in sorted(streams, key=lambda row: str(row["stream_id"]))
    ]


def _rates(measured: pa.Table, stream_id: str) -> Floats:
    import pyarrow.compute as pc

    own = measured.filter(pc.equal(measured["stream_id"], stream_id))
    return np.array(own["rates"].to_pylist(), np.float64)
