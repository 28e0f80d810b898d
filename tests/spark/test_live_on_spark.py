"""A small live run on real tables, with a broker that is simulated and perfect."""

from __future__ import annotations

import dataclasses
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pandas.testing import assert_frame_equal
from pyarrow import parquet

from live.kafka import topics
from live.live_settings import LiveSettings
from live.runs import live_run, strategy_run
from pipeline.base.errors import StageError
from pipeline.base.paths import Paths
from pipeline.engine import local, steps
from pipeline.experiments.live.running import admission, live_folders, run_brokers
from pipeline.experiments.live.stages import measure_groups
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage.reader import FileSource
from schemas.tables.live import live_rules
from tests.pipeline.experiments.live import synthetic_folders as made
from tests.spark import spoilt_rows
from tests.spark.rows import matrix, rows
from tests.spark.test_stages import files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

STRATEGIES = ("MWF", "kd_3")
MEASURED = (
    *("live_runs", "live_plans", "live_events"),
    *("live_lag", "live_latency", "live_integrity"),
)
IN_MEMORY = ("live_runs", "live_plans", "live_latency", "live_integrity", "live_agreement")


class NoCluster:
    """Brokers that are not needed."""

    def __init__(self, folder: Path, nodes: int, has_login: bool) -> None:
        self.folder, self.nodes = folder, nodes

    def __enter__(self) -> NoCluster:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to stop."""

    bootstrap, client_file = "localhost:9092", ""

    def outage(self) -> str:
        """None."""
        return ""

    def discard_data(self) -> None:
        """Nothing to delete."""


def simulated(
    settings: LiveSettings,
    rates: Sequence[Sequence[float]],
    strategy: str,
    cluster: NoCluster,
    script: object,
) -> Path:
    """What a perfect broker would leave behind."""
    assert cluster.nodes == 1
    assert script is None
    begun = replace(settings, began_ns=made.BEGAN_NS)
    return made.make(Path(settings.folder), strategy, rates, begun)


@pytest.fixture(scope="module")
def perfect() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_brokers, "Cluster", NoCluster)
        patch.setattr(measure_groups, "measure_strategy", simulated)
        patch.setattr(admission.broker_jars, "java_program", lambda server: Path("java"))
        # It would fetch JARs that this broker does not need.
        patch.setattr(admission.broker_jars, "ensure_ahead", lambda java: None)
        yield patch


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    """Two experiments, one of which has two streams."""
    file = tmp_path_factory.mktemp("config") / "c.yaml"
    file.write_text(
        "family: live\niterations: 5\niteration_seconds: 2\nstrategies: [MWF, kd_3]\n"
        "experiments: {calm: {partitions: 6, delta: 5}, wild: {partitions: 8, replicates: 2}}\n"
    )
    return resolve(None, file, [], [])


@pytest.fixture(scope="module")
def live(
    spark: SparkSession,
    perfect: pytest.MonkeyPatch,
    config: RunConfig,
    warehouse: Path,
) -> RunContext:
    """A published run; tests only read it."""
    return local.run_all(config, warehouse, "live")


def test_every_stream_has_every_strategy(live: RunContext) -> None:
    runs = rows(live, "live_runs", measured=True)
    assert len(runs) == 3 * len(STRATEGIES)
    assert set(runs.strategy) == set(STRATEGIES)
    assert (runs.unsound_iterations == 0).all()
    assert len(rows(live, "live_latency")) == len(runs)
    integrity = rows(live, "live_integrity", measured=True)
    assert len(integrity) == runs.n_partitions.sum() == 2 * (6 + 8 + 8)
    assert not integrity[["lost", "twice", "out_of_order", "overlapping_epochs"]].to_numpy().any()
    assert len(rows(live, "live_agreement")) == 6 * len(runs)
    assert not len(rows(live, "live_recoveries"))
    lag = rows(live, "live_lag", measured=True)
    assert len(lag) == 10 * len(integrity)
    last = lag[lag.second == 10].groupby(["stream_id", "strategy"])
    assert (
        last.end_offset.sum().to_dict() == runs.set_index(["stream_id", "strategy"]).sent.to_dict()
    )
    assert lag.owner.notna().mean() > 0.9
    events = rows(live, "live_events", measured=True)
    assert set(events.kind) == {"start", "started"}


def test_a_perfect_broker_agrees_with_the_simulators(live: RunContext) -> None:
    """Where groups fall behind, the latency model and a replay of the queues differ a little."""
    agreement = rows(live, "live_agreement", measured=True).set_index("quantity")
    counts = agreement.loc[["consumers", "migrations"]]
    assert set(counts.verdict) == {"agrees"}
    latencies = agreement.loc[["p50", "p90", "p99"]]
    assert (latencies.error_b.abs() <= latencies.tolerance_b).all()
    assert set(latencies[latencies.strategy == "MWF"].verdict) == {"agrees"}
    assert (latencies[latencies.strategy == "kd_3"].measured > 0.5).any()


def test_rates_are_those_that_were_sent(live: RunContext) -> None:
    stored = rows(live, "measurements")
    (stream,) = {name for name in stored.stream_id if name.startswith("calm")}
    folder = live_folders.of_run(live).read("calm", stream, "MWF")
    own = stored[stored.stream_id == stream].sort_values("iteration")
    np.testing.assert_array_equal(matrix(own.rates), folder.rates)


def test_the_report_is_there_and_there_is_no_baseline(live: RunContext) -> None:
    assert "on the broker" in live.paths.report(live.run_id).read_text(encoding="utf-8")
    samples = {
        file.relative_to(live.paths.samples(live.run_id)).as_posix(): parquet.read_metadata(file)
        for file in live.paths.samples(live.run_id).rglob("*.parquet")
    }
    runs = rows(live, "live_runs", measured=True)
    assert {name: sample.num_rows for name, sample in samples.items()} == {
        f"{row.experiment}/{row.stream_id}/{row.strategy}.parquet": row.read
        for row in runs.itertuples()
    }
    assert rows(live, "differences").empty


@pytest.fixture
def copy(live: RunContext, tmp_path: Path) -> RunContext:
    """The run in a warehouse that a test may change."""
    shutil.copytree(live.paths.warehouse, tmp_path / "warehouse")
    return dataclasses.replace(live, paths=Paths(tmp_path / "warehouse"))


@pytest.mark.long
def test_a_unit_that_runs_again_replaces_its_rows_alone(live: RunContext, copy: RunContext) -> None:
    before = {table: files(copy, table) for table in MEASURED}
    first, _ = copy.config.units()
    steps.run_stage("measure_groups", copy, [first])
    for table in MEASURED:
        assert files(copy, table) & before[table]
        assert files(copy, table) != before[table]
        assert_frame_equal(rows(copy, table), rows(live, table))
    steps.run_stage("compare_predictions", copy)
    assert_frame_equal(rows(copy, "live_agreement"), rows(live, "live_agreement"))


def test_predictions_need_the_evidence(copy: RunContext) -> None:
    shutil.rmtree(live_folders.of_run(copy).of_experiment("wild"))
    with pytest.raises(StageError, match="run the stage measure_groups again"):
        steps.run_stage("compare_predictions", copy)


class IdleGroup:
    """Consumers that are ready and process nothing."""

    is_ready, status, children = True, None, ()

    def __init__(self, *_: object) -> None: ...

    def begin(self, began_ns: int) -> None: ...

    def turn(self, wait_s: float) -> None:
        time.sleep(wait_s)

    def close(self) -> None: ...


def test_a_repeated_run_goes_on_with_what_it_lacks(
    copy: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []

    def halting(settings: LiveSettings, *others: Any) -> Path:
        if len(measured) == limit:
            raise StageError("a process has failed")
        measured.append(settings.folder)
        return simulated(settings, *others)

    monkeypatch.setattr(measure_groups, "measure_strategy", halting)
    limit = 4
    with pytest.raises(StageError, match="a process has failed"):
        local.run_all(copy.config, copy.paths.warehouse, "halted")
    limit = 99
    repeated = local.run_all(copy.config, copy.paths.warehouse, "halted")
    assert len(measured) == len(set(measured)) == 3 * len(STRATEGIES)
    assert len(rows(repeated, "live_runs", measured=True)) == len(measured)


@pytest.mark.long
def test_a_killed_producer_fails_the_run(copy: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_groups, "measure_strategy", live_run.measure_strategy)
    monkeypatch.setattr(topics, "create", lambda *_: None)
    monkeypatch.setattr(topics, "delete", lambda *_: None)
    monkeypatch.setattr(strategy_run, "new_manager", IdleGroup)
    monkeypatch.setattr(strategy_run, "PRODUCER", "tests.live.records.killed_producer")
    error = r"the producer has failed: exit status -9 \(log: .*producer\.log\)"
    with pytest.raises(StageError, match=error):
        local.run_all(copy.config, copy.paths.warehouse, "killed")
    source = FileSource(copy.paths)
    (row,) = source.rows("runs", ["status", "error"], run_id=["killed"]).to_pylist()
    assert row["status"] == "failed"
    assert re.fullmatch(error, row["error"])
    assert not any(source.count(table, "killed") for table in MEASURED)
    folders = [file.parent for file in copy.paths.warehouse.rglob("settings.json")]
    (killed,) = (folder for folder in folders if "killed" in folder.parts)
    assert not (killed / "run.json").exists()


SPOILS: spoilt_rows.Spoils = {
    "live_runs": ("strategy <> 'kd_3'", {}, "streams_times_live_strategies"),
    "live_plans": ("plan <> 1", {}, "plans_of_runs"),
    "live_events": ("kind <> 'started' OR epoch <> 2", {}, "moves_of_plans"),
    "live_lag": ("second <> 3", {}, "every_second_and_partition"),
    "live_latency": ("strategy <> 'kd_3'", {}, "streams_times_live_strategies"),
    "live_integrity": ("true", {"twice": "CAST(1 AS BIGINT)"}, "faultless_exactly_once"),
    "live_agreement": ("quantity <> 'p90'", {}, "quantities_of_runs"),
}


def test_groups_of_kafkas_own_have_no_planned_moves(spark: SparkSession) -> None:
    own = ("keda", "kafka_848_3", "keda_http:headroom", "keda_external:linear", "keda_prometheus")
    names = (*own, "asking:least_loaded_2", "MWF", "keda_hpa:threshold=50", "headroom+placement")
    rows = spark.createDataFrame([(name, 3) for name in names], "strategy string, moves long")
    planned = rows.selectExpr("strategy", f"{live_rules.PLANNED_MOVES} AS moves").collect()
    assert {row.strategy for row in planned if row.moves} == set(names[-3:])


@pytest.mark.long
def test_spoilt_rows_are_noticed(spark: SparkSession, copy: RunContext) -> None:
    spoilt_rows.check_noticed(spark, copy, SPOILS)


def test_results_in_memory_are_whole(live: RunContext) -> None:
    results = steps._results(live)
    for table in IN_MEMORY:
        assert len(results[table]) == len(rows(live, table))
    assert set(results["streams"].n_partitions) == {6, 8}
    # Ten seconds of each strategy on the first stream of each experiment.
    seconds, lag = results["lag_by_second"], rows(live, "live_lag", measured=True)
    assert len(seconds) == 2 * len(STRATEGIES) * 10
    mine = lag[(lag.stream_id == seconds.stream_id.iloc[0]) & (lag.strategy == "MWF")]
    own = seconds[(seconds.stream_id == seconds.stream_id.iloc[0]) & (seconds.strategy == "MWF")]
    assert own.lag.tolist() == mine.groupby("second").lag.sum().tolist()
    assert own.consumers.tolist() == mine.groupby("second").owner.nunique().tolist()
    assert results.metric("live_p90")["calm", None, "MWF"].shape == (1,)
