"""A small run of the family `autoscaling` on real tables."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import parse, whole_steps
from algorithms.simulation import group_simulation
from pipeline.base.paths import Paths
from pipeline.engine import steps
from pipeline.experiments.autoscaling.results import thinned_trajectories
from pipeline.experiments.autoscaling.stages import scaling_plans
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.context import RunContext
from tests.spark import spoilt_rows
from tests.spark.rows import matrix, rows
from tests.spark.stages_alone import computed
from tests.spark.test_stages import files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

LABELS = ("constant:initial_replicas=3", "headroom", "linear:f_up=0.8", "keda_hpa", "MWF")
SETTINGS = ["iterations=60", f"strategies={','.join(LABELS)}"]
FIGURES = ("simulations", "trajectories", "actions")
KEY = ["stream_id", "strategy", "setting"]


@pytest.fixture(scope="module")
def config() -> RunConfig:
    """Two experiments with two streams each, of which the first is recorded."""
    return resolve("autoscaling-smoke", None, SETTINGS, [])


@pytest.fixture(scope="module")
def scaled(spark: SparkSession, config: RunConfig, warehouse: Path) -> RunContext:
    """A published run without a report; `tests.dags.test_end_to_end` has a whole one."""
    ctx = computed(config, warehouse, "scaled")
    steps.run_stage("weigh_trade_offs", ctx)
    steps.conclude(ctx)
    return ctx


@pytest.fixture(scope="module")
def rates(scaled: RunContext) -> dict[str, np.ndarray]:
    """Stored rates by stream."""
    measured = rows(scaled, "measurements")
    return {str(stream): matrix(part.rates) for stream, part in measured.groupby("stream_id")}


def test_every_stream_has_every_candidate(scaled: RunContext, config: RunConfig) -> None:
    simulations = rows(scaled, "simulations")
    assert len(simulations) == config.n_streams() * len(LABELS)
    recorded = simulations[simulations.replicate == 1]
    trajectories = rows(scaled, "trajectories")
    assert len(trajectories) == len(recorded) * 60
    assert set(trajectories.stream_id) == set(recorded.stream_id)
    trade_offs = rows(scaled, "trade_offs")
    assert len(trade_offs) == len(config.autoscaling) * len(LABELS)
    assert trade_offs.groupby("experiment").on_front.any().all()


def test_tables_are_what_the_simulation_says_of_the_stored_rates(
    scaled: RunContext, rates: dict[str, np.ndarray], config: RunConfig
) -> None:
    simulations = rows(scaled, "simulations").set_index(KEY)
    trajectories = dict(iter(rows(scaled, "trajectories").groupby(KEY)))
    actions = dict(iter(rows(scaled, "actions").groupby(KEY)))
    seeds = rows(scaled, "streams").set_index("stream_id").seed
    for experiment in config.autoscaling:
        for stream in (f"{experiment.name}-r0001", f"{experiment.name}-r0002"):
            for label in LABELS:
                (candidate,) = parse(label, 1, 1.0, 1.0)
                strategy = registry.get(candidate.strategy)
                settings = experiment.group | {
                    "seed": int(seeds[stream]),
                    "decision_s": whole_steps(strategy.decision_s, experiment.step_s),
                }
                key = (stream, candidate.strategy, candidate.parameter_text)
                expected = group_simulation.simulate_in_detail(
                    rates[stream],
                    candidate.strategy,
                    candidate.arguments,
                    settings | candidate.settings,
                )
                figures = {n: v for n, v in expected.result._asdict().items() if n != "replicas"}
                assert {name: simulations.loc[key][name] for name in figures} == figures
                assert (key in trajectories) == stream.endswith("-r0001")
                if key in trajectories:
                    steps = expected.trajectory._asdict()
                    # The table has replicas as the step ends, and no longest waits.
                    del steps["paid_s"], steps["longest_s"]
                    for name, values in steps.items():
                        assert trajectories[key][name].tolist() == values.tolist(), name
                    assert expected.actions.over_s == ()
                    own = expected.actions._asdict()
                    del own["over_s"]  # of incidents, which runs do not have
                    _same_actions(actions.get(key), own)


def _same_actions(stored: pd.DataFrame | None, expected: dict[str, Any]) -> None:
    if stored is None:
        assert len(expected["time_s"]) == 0
        return
    assert stored.action.tolist() == list(range(1, len(stored) + 1))
    names = {"before": "replicas_before", "after": "replicas_after"}
    for name, values in expected.items():
        np.testing.assert_array_equal(stored[names.get(name, name)].to_numpy(float), values)


def test_actions_agree_with_the_counts(scaled: RunContext) -> None:
    simulations = rows(scaled, "simulations")
    first = simulations[simulations.replicate == 1].set_index(KEY)
    counts = rows(scaled, "actions").groupby([*KEY, "kind"]).size()
    for kind in ("up", "down", "reassign"):
        counted = counts.xs(kind, level="kind") if kind in counts.index.levels[-1] else counts[:0]
        stored = first[f"n_{kind}"]
        assert stored[stored > 0].to_dict() == counted.to_dict()
    assert (first.n_up > 0).any()
    assert (first.n_down > 0).any()


def test_trade_offs_are_means_over_streams(scaled: RunContext) -> None:
    group = ["experiment", "strategy", "setting"]
    means = rows(scaled, "simulations").groupby(group)
    trade_offs = rows(scaled, "trade_offs").set_index(group)
    for name in ("sla_percent", "replica_minutes", "partitions_moved"):
        assert trade_offs[name].to_dict() == pytest.approx(means[name].mean().to_dict())
        assert (trade_offs[f"{name}_low"] <= trade_offs[f"{name}_high"]).all()
    assert (trade_offs.replicates == 2).all()


@pytest.fixture
def copy(scaled: RunContext, tmp_path: Path) -> RunContext:
    """The run in a warehouse that a test may change."""
    shutil.copytree(scaled.paths.warehouse, tmp_path / "warehouse")
    return dataclasses.replace(scaled, paths=Paths(tmp_path / "warehouse"))


@pytest.mark.long
def test_one_task_unit_by_unit_gives_the_same_bits(
    scaled: RunContext, copy: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a unit that runs again replaces its rows alone."""
    monkeypatch.setattr(scaling_plans, "tasks", lambda *_: 1)
    written = (*FIGURES, "trade_offs")
    first, second = copy.config.units()
    before = {table: files(copy, table) for table in written}
    steps.run_stage("simulate_groups", copy, [first])
    between = {table: files(copy, table) for table in FIGURES}
    assert all(between[table] & before[table] for table in FIGURES)
    steps.run_stage("simulate_groups", copy, [second])
    steps.run_stage("weigh_trade_offs", copy)
    for table in written:
        assert not files(copy, table) & before[table], table
        assert_frame_equal(rows(copy, table), rows(scaled, table), check_exact=True)
    assert all(between[table] & files(copy, table) for table in FIGURES)


SPOILS: spoilt_rows.Spoils = {
    "simulations": ("strategy <> 'keda_hpa'", {}, "streams_times_strategies"),
    "trajectories": ("iteration <> 7", {}, "streams_times_strategies"),
    "actions": ("action <> 1", {}, "actions_of_simulations"),
    "trade_offs": (
        "true",
        {name: f"{name} + 1" for name in ("replica_minutes", "replica_minutes_high")},
        "averages_simulations",
    ),
}


@pytest.mark.long
def test_spoilt_rows_are_noticed(spark: SparkSession, copy: RunContext) -> None:
    spoilt_rows.check_noticed(spark, copy, SPOILS)


@pytest.mark.long
def test_a_run_that_records_no_steps_passes_its_checks(
    scaled: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its figures are those of a run that records the first stream of each experiment.

    Nor do its workloads depend on the number of tasks.
    """
    monkeypatch.setattr(scaling_plans, "tasks", lambda *_: 1)
    config = resolve("autoscaling-smoke", None, [*SETTINGS, "recorded=0"], [])
    bare = computed(config, scaled.paths.warehouse, "bare")
    for table in ("trajectories", "actions"):
        assert rows(bare, table).empty
        steps.check(table, bare)
    steps.conclude(bare, "stopped by a test")
    for table in ("streams", "measurements", "simulations"):
        assert_frame_equal(rows(bare, table), rows(scaled, table), check_exact=True)


def test_results_in_memory_are_thinned_out(scaled: RunContext) -> None:
    results = steps._results(scaled)
    assert len(results["simulations"]) == len(rows(scaled, "simulations"))
    steps_in_memory = results["trajectories"]
    assert set(steps_in_memory.experiment) == {e.name for e in scaled.config.autoscaling}
    assert (steps_in_memory.groupby(["experiment", "strategy", "setting"]).size() == 60).all()
    assert (results["streams"].n_partitions >= 5).all()


def test_intervals_keep_the_extremes_of_their_steps(spark: SparkSession) -> None:
    replicas, arrived = [4, 1, 3, 3, 3] * 122, [10.0, 90.0, 20.0, 0.0, 0.0] * 122
    steps_of = pd.DataFrame(
        {
            "experiment": "long",
            "stream_id": "long-r0001",
            "strategy": "linear",
            "setting": "",
            "iteration": np.arange(1, 611),
            "replicas": replicas,
            "lag": np.arange(610.0),
            "arrived": arrived,
            "served": 0.0,
            "late": 0.0,
            "longest_s": np.arange(610.0),
        }
    )
    thinned = thinned_trajectories.thinned(spark.createDataFrame(steps_of), {"long": 610})
    kept = pd.DataFrame(thinned.toPandas()).sort_values("iteration", ignore_index=True)
    assert kept["iteration"].tolist()[:3] == [1, 4, 7]
    assert kept["replicas_min"].tolist()[:3] == [1, 3, 1]
    assert kept["replicas"].tolist()[:3] == [4, 4, 3]
    assert kept["arrived_max"].tolist()[:3] == [90.0, 10.0, 90.0]
    assert kept["arrived"].tolist()[:3] == [120.0, 10.0, 110.0]
    assert kept["longest_s"].tolist()[:3] == [2.0, 5.0, 8.0]
    assert (kept["lag"].iloc[0], kept["lag"].iloc[-1]) == (2.0, 609.0)
