"""DAGs through Airflow, as `make run` does it, with databases of their own."""

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from deltalake import DeltaTable

from pipeline.experiments.family_list import stages_in
from tests import servers
from tests.dags.isolated_airflow import place, start_dag, warm_server, warm_spark
from tools import run_dag

__all__ = ["place", "start_dag", "warm_server", "warm_spark"]

pytestmark = [pytest.mark.e2e, pytest.mark.airflow, pytest.mark.spark, pytest.mark.slow]

# The programs to compile are those of `tests/spark/test_learning_on_spark.py` and
# `test_groups_on_spark.py`.
AGENTS = """
family: learning
seeds: 2
hidden: [8, 8]
agents: [dqn]
experiments:
  brokers: {episodes: 2, steps: 12, held_out: 8, rewards: [weighted]}
  groups:
    environment: group
    rewards: [late]
    decisions: 64
    trace_seconds: 100
    window_s: 30
    windows: 4
    variants: ["action=delta"]
    rules: [constant, linear]
    trials: 2
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def warehouse(folder, start_dag, monkeypatch):
    """The warehouse of all runs here: making its tables takes as long as a small run."""
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(folder / "warehouse"))
    return folder / "warehouse"


def rows(folder, table, **equal):
    all_rows = DeltaTable(folder / table).to_pyarrow_table().to_pylist()
    return [row for row in all_rows if all(row[key] == value for key, value in equal.items())]


def asset_events(place):
    """Assets that have changed, with what the last event says."""
    with closing(sqlite3.connect(place.airflow / "airflow.db")) as database:
        rows = database.execute(
            "SELECT a.name, e.extra FROM asset_event e JOIN asset a ON a.id = e.asset_id "
            "ORDER BY e.id"
        ).fetchall()
    return [(name, json.loads(extra)) for name, extra in rows]


@pytest.mark.long
@pytest.mark.usefixtures("warm_spark")
def test_groups_are_simulated_and_compared(start_dag, warehouse, capfd):
    small = ["iterations=60", "strategies=linear,headroom,keda_hpa"]
    status = start_dag("autoscaling", preset="autoscaling-smoke", set=small, run_id="scaled")
    shown = capfd.readouterr().out
    assert status == 0, shown
    (published,) = rows(warehouse, "runs", run_id="scaled")
    assert published["status"] == "published"
    simulated = {row["strategy"] for row in rows(warehouse, "simulations")}
    assert {"linear", "headroom", "keda_hpa"} <= simulated
    checked = rows(warehouse, "validations", run_id="scaled")
    tables = {table for stage in stages_in("autoscaling") for table in stage.writes}
    # Without claims, events or recorded workloads there are no figures of them.
    absent = {"claim_runs", "claim_differences", "published_figures", "recommendations"}
    absent |= {"bad_hour_runs", "bad_hour_effects"}
    assert {row["table_name"] for row in checked} == tables - absent
    assert all(row["success"] for row in checked)
    assert "scaled is published" in shown
    assert "replica-minutes" in shown
    assert re.search(r"^Tables: groupscale report scaled --tables ", shown, re.MULTILINE)


@pytest.mark.long
@pytest.mark.usefixtures("warm_spark")
def test_agents_of_brokers_and_groups_are_trained_and_judged(start_dag, warehouse, tmp_path, capfd):
    config = tmp_path / "agents.yaml"
    config.write_text(AGENTS)
    status = start_dag("learning", preset=None, set=[], config=str(config), run_id="learned")
    shown = capfd.readouterr().out
    assert status == 0, shown
    (published,) = rows(warehouse, "runs", run_id="learned")
    assert published["status"] == "published"
    assert len(rows(warehouse, "policies")) == 2 * 2
    # The agents of both seeds, the rules and the clairvoyant plan, on all test parts, by kind; and
    # the numbers of constant replicas that are not chosen.
    scores = rows(warehouse, "group_scores")
    assert sum(row["chosen"] for row in scores) == 3 * (1 + 2 + 1)
    assert len(scores) == 3 * (1 + 2 + 1 + 4)
    checked = rows(warehouse, "validations", run_id="learned")
    tables = {table for stage in stages_in("learning") for table in stage.writes}
    assert {row["table_name"] for row in checked} == tables
    assert all(row["success"] for row in checked)
    assert "learned is published" in shown


@pytest.mark.usefixtures("warm_spark")
def test_a_night_is_published_and_shown_and_tidied_up(start_dag, place, warehouse, capfd):
    # A file that nothing needs, in a table of the runs before.
    for table in warehouse.glob("runs"):
        (table / "unused.parquet").touch()
        os.utime(table / "unused.parquet", (0, 0))
    assert start_dag(run_dag.NIGHTLY, run_id="first") == 0
    shown = capfd.readouterr().out
    assert not list(warehouse.glob("*/unused.parquet"))
    (published,) = rows(warehouse, "runs", run_id="first")
    assert published["status"] == "published"
    checked = rows(warehouse, "validations", run_id="first")
    assert all(row["success"] for row in checked)
    tables = {table for stage in stages_in("assignment") for table in stage.writes}
    # No iteration is compared with bounds here.
    assert {row["table_name"] for row in checked} >= tables - {"bounds"}
    # Two experiments, a unit each, two streams each, the twelve and kd_1 to kd_6 for one.
    assert len(rows(warehouse, "streams", run_id="first")) == 4
    assert len(rows(warehouse, "scores", run_id="first")) == 2 * 12 + 2 * (12 + 6)
    numbers = [int(n) for n in re.findall(r"^\[ *(\d+)/\d+\] .* done ", shown, re.MULTILINE)]
    assert numbers == list(range(1, numbers[-1] + 1))
    last = re.findall(r"^\[ *\d+/(\d+)\] (\w+) +done ", shown, re.MULTILINE)[-4:]
    # Upkeep does not wait for the gate, nor the gate for it.
    assert [total for total, _ in last] == [str(numbers[-1])] * 4
    assert {name for _, name in last} == {"publish", "gate", "compact", "retain"}
    assert "Run first has no baseline " in shown
    events = {name: extra for name, extra in asset_events(place) if extra["run_id"] == "first"}
    assert events.keys() == {f"groupscale_{table}" for table in (*tables, "runs", "validations")}
    scores = events["groupscale_scores"]
    assert (scores["run_id"], scores["preset"]) == ("first", "smoke")
    assert Path(scores["location"]) == warehouse / "scores"
    report = re.search(r"^Report: (.+)$", shown, re.MULTILINE)[1]
    assert Path(report).read_text().lstrip().lower().startswith("<!doctype html>")
    for word in ("Traceback", "WARNING", "DAG TEST", "CBS"):
        assert word not in shown
    (result,) = re.findall(
        r"^Of \d+ algorithms at δ = [^.]* are non-dominated: ", shown, re.MULTILINE
    )
    assert "published figures" in " ".join(shown.partition(result)[2].split())


def test_wrong_parameters_end_with_status_2_and_write_nothing(
    start_dag, place, tmp_path, capfd, monkeypatch
):
    before = asset_events(place)
    with servers.webhook() as hook:
        monkeypatch.setenv("AIRFLOW_CONN_GROUPSCALE_ALERTS", hook.url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        # Airflow waits a second for each level of tasks: this DAG has the fewest.
        assert start_dag("autoscaling", preset="autoscaling-smoke", set=["replicates=-1"]) == 2
    (post,) = hook.posts
    assert post.content["tasks"] == ["begin"]
    assert re.search(r"`replicates` .*-1", post.content["cause"])
    assert hook.url not in (place.logs / "benchmark.log").read_text()
    assert asset_events(place) == before
    shown = capfd.readouterr()
    assert "replicates" in shown.err
    assert "Traceback" not in shown.err + shown.out
    assert not (tmp_path / "warehouse").exists()
