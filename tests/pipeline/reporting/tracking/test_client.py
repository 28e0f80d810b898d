"""Tracking in a real MLflow database: everything once, however often it is tracked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import schemas
from pipeline.base import paths
from pipeline.experiments.assignment.tracking.algorithm_metrics import CURVES
from pipeline.experiments.assignment.tracking.mlflow_content import tracked
from pipeline.reporting.tracking import client as tracking
from pipeline.reporting.tracking import runs_page, tracked_page
from pipeline.warehouse.runs.run_results import Results
from tests import guides
from tests.pipeline.experiments.assignment import report_cases

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('mlflow') / 'mlflow.db'}"


@pytest.fixture
def client(uri: str) -> Iterator[Any]:
    client = tracking.connect(uri)
    yield client
    for home in client.search_experiments(filter_string="name != 'groupscale/seen'"):
        for run in client.search_runs([home.experiment_id]):
            client.delete_run(run.info.run_id)


def named(results: Results, run_id: str, **fields: Any) -> Results:
    return replace(results, run=dict(results.run) | {"run_id": run_id} | fields)


def log(results: Results, uri: str, artifacts: Path | None = None) -> str:
    return tracking.log_run(tracked(results), artifacts, uri)


class Seen(NamedTuple):
    """A run that tests only look at, in an MLflow experiment of its own."""

    results: Results
    parent: str


@pytest.fixture(scope="module")
def seen(uri: str) -> Seen:
    results = named(report_cases.small(replicates=2), "made", preset="seen")
    return Seen(results, log(results, uri))


def child_of(client: Any, algorithm: str) -> Any:
    """The run of an algorithm of `seen`."""
    return next(r for r in runs_of(client, "seen") if r.data.params.get("algorithm") == algorithm)


def runs_of(client: Any, preset: str) -> list[Any]:
    home = client.get_experiment_by_name(f"groupscale/{preset}")
    return list(client.search_runs([home.experiment_id], max_results=1000))


def test_parent_tells_how_the_run_was_made(client: Any, seen: Seen) -> None:
    parent = client.get_run(seen.parent)
    assert parent.info.status == "FINISHED"
    assert parent.info.run_name == "made"
    assert parent.info.start_time == 1735787045000
    assert parent.data.params["seed"] == "7"
    assert parent.data.params["smoke.partitions"] == "12"
    assert parent.data.params["smoke.algorithms"].startswith("NF,NFD,FF,FFD")
    assert parent.data.tags["version.numpy"] == "2.4.6"
    assert parent.data.tags["verdict.cbs_mwf_d5"] == "not comparable"
    assert parent.data.metrics["seconds.run_algorithms"] == 71.5
    assert parent.data.metrics["seconds.total"] == 72.0
    assert parent.data.metrics["verdicts.not_comparable"] == 30


def test_parent_carries_the_verdict_of_the_gate(client: Any, uri: str) -> None:
    alone = client.get_run(log(named(report_cases.small(), "alone"), uri))
    assert alone.data.tags["regression"] == "no baseline"
    assert "baseline" not in alone.data.tags
    assert alone.data.metrics["differences.moved"] == 0
    verdicts = ["moved", "changed", "changed", "same"]
    for name, rows, message in (("red", verdicts, "moved"), ("green", verdicts[1:], "none")):
        compared = pd.DataFrame({"verdict": rows, "baseline_run_id": "before"})
        results = named(report_cases.small(), name).with_tables(differences=compared)
        parent = client.get_run(log(results, uri))
        assert parent.data.tags["regression"] == message
        assert parent.data.tags["baseline"] == "before"
        assert parent.data.metrics["differences.moved"] == rows.count("moved")
        assert parent.data.metrics["differences.changed"] == 2
        assert parent.data.metrics["differences.same"] == 1


def test_parent_names_the_tables_that_hold_the_run(client: Any, seen: Seen) -> None:
    results, parent = seen.results, client.get_run(seen.parent)
    assert parent.data.params["rows.scores"] == str(len(results["scores"]))
    assert parent.data.tags["table_version.scores"] == "12"
    datasets = {one.dataset.name: one for one in parent.inputs.dataset_inputs}
    assert sorted(datasets) == ["scores", "streams"]
    assert {tag.key: tag.value for tag in datasets["streams"].tags} == {
        "mlflow.data.context": "workload"
    }
    from mlflow.data import get_source

    source = get_source(datasets["scores"].dataset)
    assert (source.path, source.delta_table_version) == ("s3a://bucket/scores", 12)
    columns = json.loads(datasets["scores"].dataset.schema)["mlflow_colspec"]
    assert [column["name"] for column in columns] == [
        column.name for column in schemas.TABLES["scores"].columns
    ]
    assert json.loads(datasets["scores"].dataset.profile)["num_rows"] == len(results["scores"])


def test_runs_in_one_version_of_a_table_are_datasets_of_their_own(client: Any, uri: str) -> None:
    inputs = [
        client.get_run(log(named(report_cases.small(), name), uri)).inputs.dataset_inputs
        for name in ("one", "other")
    ]
    one, other = ({dataset_input.dataset.digest for dataset_input in run} for run in inputs)
    assert one.isdisjoint(other)


def test_parent_has_the_scores_of_all_algorithms(client: Any, seen: Seen) -> None:
    metrics = client.get_run(seen.parent).data.metrics
    rows = seen.results["pareto"].set_index("algorithm")
    for name in rows.index:
        assert metrics[f"cbs/smoke d10/{name}"] == rows.loc[name, "cbs"]
    assert metrics["latency_p90_s/smoke d10/MWF"] == 4.52


def test_parent_shows_the_mean_scores_in_the_columns_of_its_children(
    client: Any, seen: Seen
) -> None:
    metrics = client.get_run(seen.parent).data.metrics
    for name in ("cbs", "mean_rscore", "mean_consumers"):
        assert metrics[name] == pytest.approx(seen.results["pareto"][name].mean())
    assert metrics["latency_p90_s"] > 0


def test_the_page_of_a_preset_has_the_columns_that_matter(client: Any, uri: str) -> None:
    log(named(report_cases.trace(), "view"), uri)
    home = client.get_experiment_by_name("groupscale/paper")
    runs, scores = (
        json.loads(json.loads(home.tags[f"{runs_page.TAG}{key}"])["state"])
        for key in (runs_page.RUNS, runs_page.SCORES)
    )
    parents = client.search_runs([home.experiment_id], runs["searchFilter"])
    assert [run.info.run_name for run in parents] == ["view"]
    assert "searchFilter" not in scores
    columns = scores["selectedColumns"]
    assert runs["selectedColumns"] == columns[3:]
    assert columns[:3] == ["params.`experiment`", "params.`algorithm`", "params.`delta`"]
    assert {"metrics.`cbs`", "metrics.`mean_rscore`", "tags.`regression`"} < set(columns)
    counts = {name for name in columns if name.startswith("metrics.`verdicts.")}
    assert "metrics.`verdicts.exact`" in counts
    assert "metrics.`verdicts.not_comparable`" not in counts
    assert len(columns) == len(set(columns)) < 15 + len(counts)
    server = "http://me:secret@127.0.0.1:5000/"
    page = f"http://127.0.0.1:5000/#/experiments/{home.experiment_id}/runs"
    view = "workflowType=machine_learning&viewStateShareKey=groupscale-runs"
    assert runs_page.address(server, home.experiment_id) == f"{page}?{view}"
    assert tracked_page.page("paper", uri) is None


def test_runs_of_the_default_database_have_a_page_of_make_mlflow(
    client: Any, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(named(report_cases.small(), "view"), uri)
    home = client.get_experiment_by_name("groupscale/paper").experiment_id
    monkeypatch.setattr(paths, "default_tracking_uri", lambda: uri)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    monkeypatch.setenv("MLFLOW_PORT", "5123")
    page = runs_page.address("http://127.0.0.1:5123", home)
    assert tracked_page.lines("paper") == [
        f"MLflow: {page} (start it with: make mlflow)",
        f"Logged to: {uri}",
    ]


def test_the_description_leads_to_the_comparison_with_the_run_before(client: Any, uri: str) -> None:
    """Not with runs of other warehouses; a run id that was made is a time in legends."""
    nights = {"20260731T214500Z-3fa9c1": "a", "20260801T214500Z-000000": "b", "last": "a"}
    for day, (run_id, warehouse) in enumerate(nights.items(), start=1):
        results = named(report_cases.small(), run_id, created_at=datetime(2026, 8, day, tzinfo=UTC))
        tracking.log_run(tracked(results, warehouse), None, uri)
    first, other, last = (client.get_run(tracking.find(run_id, None, uri)) for run_id in nights)
    link = runs_page.comparison(first.info.experiment_id, [last.info.run_id, first.info.run_id])
    words = f" [Compare with 2026-07-31 21:45:00]({link})"
    assert last.data.tags["mlflow.note.content"].endswith(words)
    assert "Compare" not in other.data.tags["mlflow.note.content"]


def test_child_has_curves_by_iteration(client: Any, seen: Seen) -> None:
    child, series = child_of(client, "MWF"), seen.results["series"]
    for column, key in CURVES.items():
        points = {p.step: p.value for p in client.get_metric_history(child.info.run_id, key)}
        rows = series[series["algorithm"] == "MWF"]
        assert points == dict(zip(rows["iteration"], rows[column], strict=True))


def test_a_run_is_logged_in_few_requests(
    client: Any, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request for all params, metrics and curves of a run, two for its life, and one for the
    means."""
    from mlflow import MlflowClient

    asked: list[str] = []

    def counted(name: str) -> Any:
        call = getattr(MlflowClient, name)
        return lambda *a, **k: (asked.append(name), call(*a, **k))[1]

    for name in ("create_run", "log_batch", "set_terminated", "log_metric", "log_param", "set_tag"):
        monkeypatch.setattr(MlflowClient, name, counted(name))
    log(named(report_cases.small(), "few"), uri)
    assert Counter(asked) == {"create_run": 13, "log_batch": 14, "set_terminated": 13}


def test_the_guide_finds_the_children_of_a_night(
    client: Any, uri: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log(named(report_cases.small(), "night", preset="nightly"), uri)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    example = guides.python("mlflow.md").replace("'tradeoff'", "'smoke'")
    exec(compile(example, "docs/mlflow.md", "exec"), {})
    assert "night" in capsys.readouterr().out


def test_the_filter_of_the_guide_finds_the_algorithms_of_a_run(client: Any, uri: str) -> None:
    results = named(report_cases.small(), "monday")
    for night in (results, named(results, "tuesday")):
        log(night, uri)
    query = guides.block("docs/mlflow.md", "params.experiment").strip()
    for example, ours in (("'tradeoff'", "'smoke'"), ("'5'", "'10'"), ("RUN_ID", "monday")):
        assert example in query
        query = query.replace(example, ours)
    home = client.get_experiment_by_name("groupscale/paper").experiment_id
    algorithms = {run.data.params["algorithm"] for run in client.search_runs([home], query)}
    assert algorithms == set(results["pareto"]["algorithm"])


def test_compared_children_tell_their_runs(client: Any, uri: str) -> None:
    log(named(report_cases.small(), "monday"), uri)
    log(named(report_cases.small(), "tuesday", seed=8), uri)
    children = client.search_runs(
        [client.get_experiment_by_name("groupscale/paper").experiment_id],
        "params.algorithm = 'MWF' AND params.delta = '10'",
        order_by=["params.run"],
    )
    message = [tuple(run.data.params[k] for k in ("run", "seed", "code")) for run in children]
    assert message == [("monday", "7", "0123abcd"), ("tuesday", "8", "0123abcd")]
    assert children[0].data.tags["mlflow.source.git.commit"] == "0123abcd"


def test_one_child_per_experiment_delta_and_algorithm(client: Any, seen: Seen) -> None:
    results, parent = seen
    children = [run for run in runs_of(client, "seen") if run.info.run_id != parent]
    keys = [tuple(r.data.params[k] for k in ("experiment", "delta", "algorithm")) for r in children]
    expected = [("smoke", "10", name) for name in results["pareto"]["algorithm"]]
    assert sorted(keys) == sorted(expected)
    assert all(run.data.tags["mlflow.parentRunId"] == parent for run in children)
    assert all(run.info.status == "FINISHED" for run in children)


def test_child_has_scores_and_latencies(client: Any, seen: Seen) -> None:
    child, rows = child_of(client, "MWF"), seen.results["pareto"]
    row = rows[rows["algorithm"] == "MWF"].iloc[0]
    for name in ("cbs", "cbs_low", "cbs_high", "mean_rscore", "mean_consumers"):
        assert child.data.metrics[name] == row[name]
    assert child.data.metrics["on_front"] == float(row["on_front"])
    assert child.data.metrics["latency_p90_s"] == 4.52
    assert 0 < child.data.metrics["latency_share_above_zero"] < 0.1
    assert child.info.run_name == "smoke d=10 MWF"


def test_tracking_again_replaces(client: Any, uri: str) -> None:
    results = named(report_cases.small(), "again")
    other = log(named(report_cases.small(), "again-not"), uri)
    first = log(results, uri)
    before = len(runs_of(client, "paper"))
    changed = results.with_tables(pareto=results["pareto"].assign(cbs=0.5))
    second = log(changed, uri)
    after = runs_of(client, "paper")
    assert len(after) == before
    assert first not in {run.info.run_id for run in after}
    assert tracking.find("again", tracking_uri=uri) == second
    assert tracking.find("again-not", tracking_uri=uri) == other
    mine = [run for run in after if run.data.tags.get("mlflow.parentRunId") == second]
    assert {run.data.metrics["cbs"] for run in mine} == {0.5}


def test_a_run_of_the_same_id_in_another_warehouse_stays(client: Any, uri: str) -> None:
    """Two warehouses that share an MLflow once deleted each other's runs, even running ones."""
    results = named(report_cases.small(), "night")

    def logged(warehouse: str) -> str:
        return tracking.log_run(tracked(results, warehouse), None, uri)

    old, mine, theirs = log(results, uri), logged("mine"), logged("theirs")
    assert tracking.find("night", "mine", uri) == mine
    again = logged("mine")
    assert tracking.find("night", "mine", uri) == again
    assert tracking.find("night", "theirs", uri) == theirs
    assert client.get_run(old).info.lifecycle_stage == "deleted"
    assert tracking.forget("night", "theirs", uri) == 13
    assert len(runs_of(client, "paper")) == 13


def test_a_run_id_that_changes_its_preset_is_not_tracked_twice(client: Any, uri: str) -> None:
    log(named(report_cases.small(), "moved", preset="smoke"), uri)
    log(named(report_cases.small(), "moved", preset="nightly"), uri)
    assert runs_of(client, "smoke") == []
    assert len(runs_of(client, "nightly")) == 13


def test_traces_and_missing_numbers(client: Any, uri: str) -> None:
    results = named(report_cases.trace(), "recorded")
    latency = results["latency"].assign(max=np.inf)
    log(results.with_tables(latency=latency), uri)
    by_algorithm = {run.data.params.get("algorithm"): run for run in runs_of(client, "paper")}
    child = by_algorithm["kd_15"]
    assert child.data.params["delta"] == "recorded"
    assert child.info.run_name == "trace kd_15"
    assert "latency_max_s" not in child.data.metrics
    assert "cbs_low" not in child.data.metrics


def test_artifacts(client: Any, uri: str, tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "one.svg").write_text("<svg/>")
    parent = log(named(report_cases.small(), "attached"), uri, tmp_path)
    (tmp_path / "report.html").write_text("later")
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "MWF.parquet").write_bytes(b"PAR1")
    tracking.log_artifacts(parent, tmp_path, uri, without=[tmp_path / "samples"])
    assert sorted(f.path for f in client.list_artifacts(parent)) == ["figures", "report.html"]
    home = client.get_experiment_by_name("groupscale/paper")
    assert home.artifact_location.startswith(Path(uri.removeprefix("sqlite:///")).parent.as_uri())


def test_half_a_run_does_not_look_whole(client: Any, uri: str) -> None:
    results = named(report_cases.small(), "half")
    with pytest.raises(ConnectionError):
        tracking.log_run(replace(tracked(results), children=broken), None, uri)
    parent = tracking.find("half", tracking_uri=uri)
    assert parent is not None
    assert client.get_run(parent).info.status == "FAILED"
    log(results, uri)
    assert len(runs_of(client, "paper")) == 13


def test_a_parent_that_cannot_be_filled_does_not_look_at_work(
    client: Any, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "dataset_inputs", lambda *_: next(broken()))
    with pytest.raises(ConnectionError):
        log(named(report_cases.small(), "empty"), uri)
    assert [run.info.status for run in runs_of(client, "paper")] == ["FAILED"]


def broken(*_: object) -> Iterator[Any]:
    raise ConnectionError("the server is gone")


def test_find_and_forget(client: Any, uri: str) -> None:
    log(named(report_cases.small(), "known"), uri)
    assert tracking.find("unknown", tracking_uri=uri) is None
    assert tracking.find("' or tags.x = 'known", tracking_uri=uri) is None
    assert tracking.forget("known", tracking_uri=uri) == 13
    assert tracking.find("known", tracking_uri=uri) is None


def test_an_experiment_in_the_trash_is_taken_out(client: Any, uri: str) -> None:
    log(named(report_cases.small(), "first", preset="bin"), uri)
    home = client.get_experiment_by_name("groupscale/bin").experiment_id
    client.delete_experiment(home)
    log(named(report_cases.small(), "second", preset="bin"), uri)
    assert client.get_experiment_by_name("groupscale/bin").lifecycle_stage == "active"


def test_long_parameters_are_cut(client: Any, uri: str) -> None:
    config = report_cases.small().config
    config["experiments"][0]["algorithms"] = ["kd_100000"] * 1000
    parent = log(named(report_cases.small(), "long", config=config), uri)
    assert len(client.get_run(parent).data.params["smoke.algorithms"]) == 6000
