"""DAGs of others can wait for tables: events come when a run is published, with its id."""

from types import SimpleNamespace

import pytest

import schemas
from pipeline.stages import STAGES

pytestmark = pytest.mark.airflow

CONSUMER = """
from airflow.sdk import Asset, dag, task
from pipeline.assets import asset


@dag(schedule=asset("scores"))
def consumer():
    @task
    def read(triggering_asset_events=None):
        for events in triggering_asset_events.values():
            print(events[-1].extra["run_id"])

    read()


@dag(schedule=Asset.ref(name="groupscale_scores"))
def by_name():
    task(lambda: None, task_id="read")()


consumer()
by_name()
"""


@pytest.fixture(scope="module")
def consumers(tmp_path_factory):
    """DAGs that are scheduled on the asset of a table."""
    from airflow.dag_processing.dagbag import DagBag

    folder = tmp_path_factory.mktemp("dags")
    (folder / "consumer.py").write_text(CONSUMER)
    bag = DagBag(folder)
    assert bag.import_errors == {}
    return bag.dags


def test_a_dag_can_be_scheduled_on_a_table(bag, consumers):
    conclude = bag.dags["nightly"].get_task("conclude")
    assert consumers["consumer"].timetable.asset_condition in conclude.outlets
    named = consumers["by_name"].timetable.asset_condition.name
    assert named in {outlet.name for outlet in conclude.outlets}


@pytest.mark.parametrize("name", ["benchmark", "nightly"])
def test_only_the_end_of_a_run_changes_assets(bag, name):
    outlets = {task.task_id: task.outlets for task in bag.dags[name].tasks}
    tables = {table for stage in STAGES for table in stage.writes} | {"runs", "validations"}
    assert {outlet.name for outlet in outlets.pop("conclude")} == {
        f"groupscale_{table}" for table in tables
    }
    assert tables <= set(schemas.TABLES)
    assert not any(outlets.values())


def test_an_event_tells_the_run_and_the_place_but_no_password(tmp_path, monkeypatch):
    from pipeline import assets, paths

    monkeypatch.setenv("GROUPSCALE_TABLES", "s3a://key:secret@bucket/tables")
    config = SimpleNamespace(preset="nightly")
    ctx = SimpleNamespace(run_id="r1", config=config, paths=paths.Paths(tmp_path))
    assert assets.extra("scores", ctx) == {
        "run_id": "r1",
        "preset": "nightly",
        "table": "scores",
        "location": "s3a://bucket/tables/scores",
    }
