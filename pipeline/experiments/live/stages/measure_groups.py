"""Stage `measure_groups`: every strategy of an experiment on each of its streams, on a broker."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from live.live_settings import LiveSettings
from live.runs.live_run import measure_strategy
from live.runs.strategy_run import Script
from pipeline.experiments.live.evidence import run_folder, sample_file
from pipeline.experiments.live.faults import fault_scripts
from pipeline.experiments.live.running import first_phase, run_brokers, run_order
from pipeline.experiments.live.running.live_folders import LiveFolders
from pipeline.experiments.live.stages.lag_over_time import lag
from pipeline.experiments.live.stages.live_rows import TABLES, Row, check_sound, rows_of
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.runs import kept_runs, one_live_run_lock
from pipeline.warehouse.spark import arrow

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work, streams: pd.DataFrame, measurements: pd.DataFrame, folders: LiveFolders
) -> dict[str, Any]:
    """Rows of all tables but `live_agreement`; strategies in turn, on each experiment's brokers."""
    rows: dict[str, Any] = {table: [] for table in TABLES}
    lags: list[pa.Table] = []
    with one_live_run_lock.alone():
        for experiment in work.config.live:
            if experiment.name in work.experiments:
                listed = streams_of(experiment, streams, measurements)
                for measured in _measured(folders, experiment, listed):
                    lags.append(measured.lag)
                    for table in TABLES:
                        rows[table] += measured.rows[table]
    return {**rows, "live_lag": pa.concat_tables(lags)}


BROKERS = "brokers"
"""Folder of the brokers of an experiment."""


class Measured(NamedTuple):
    """What one strategy did on one stream: rows of small tables, and of `live_lag`."""

    rows: dict[str, list[Row]]
    lag: pa.Table


def _measured(
    folders: LiveFolders, experiment: LiveExperiment, streams: Sequence[Mapping[str, Any]]
) -> Iterator[Measured]:
    """Rows of each strategy on each stream of an experiment."""
    place = folders.of_experiment(experiment.name)
    kept_runs.begin(place, folders.version)
    # What a run that was killed has left, and samples, which are written again.
    for former in (place / BROKERS, folders.samples_of(experiment.name)):
        shutil.rmtree(former, ignore_errors=True)
    pairs = [
        (stream, name)
        for stream in streams
        for name in run_order.ordered(experiment.strategies, stream["seed"])
    ]
    with run_brokers.at_work(experiment, folders.run_id, place / BROKERS) as brokers:
        for number, (stream, strategy) in enumerate(pairs, 1):
            where = f"{strategy} on {stream['stream_id']}"
            names = (experiment.name, stream["stream_id"], strategy)
            folder = folders.of_strategy(*names)
            name = run_brokers.name(folders.run_id, number)
            settings = settings_for(experiment, stream["seed"], name, str(folder))
            rates, script = stream["rates"].tolist(), script_of(experiment)
            measure = partial(measure_strategy, settings, rates, strategy, brokers, script)
            numbered = f"run {number} of {len(pairs)}: {where}"
            kept_runs.once(folder, numbered, partial(_sound, measure, where))
            evidence = run_folder.read(folder)
            sample_file.write(evidence, folders.sample_file(*names))
            yield Measured(
                rows_of(evidence, experiment, stream, strategy), _placed(lag(evidence), *names)
            )


def _sound(measure: Callable[[], Path], where: str) -> kept_runs.Notes:
    """Measure a run; one whose latencies say little is not kept."""
    check_sound(run_folder.read(measure()), where)
    return {}


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
        group_protocol=experiment.group_protocol,
        heartbeat_s=experiment.heartbeat_s,
        session_s=experiment.session_s,
        group_events=experiment.group_events,
        revoke_s=experiment.revoke_s,
        max_poll_records=experiment.max_poll_records,
        lag_threshold=experiment.lag_threshold,
        nodes=experiment.nodes,
        spare=experiment.spare,
        arrivals=experiment.arrivals,
        phase_s=first_phase.of_stream(experiment, seed),
        keys=experiment.keys,
        seed=seed,
        client_file=experiment.client_file,
    )


def streams_of(
    experiment: LiveExperiment, streams: pd.DataFrame, measurements: pd.DataFrame
) -> list[dict[str, Any]]:
    """Rows of `streams` of an experiment in order, each with its ``rates``."""
    rates = measurements[measurements["experiment"] == experiment.name].sort_values("iteration")
    by_stream = {name: np.stack(rows["rates"]) for name, rows in rates.groupby("stream_id")}
    own = streams[streams["experiment"] == experiment.name].sort_values("stream_id")
    return [
        {**row, "rates": by_stream[row["stream_id"]].astype(np.float64)}
        for row in own.to_dict("records")
    ]
