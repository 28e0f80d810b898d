"""DAGs of others can wait for tables: events come when a run is published, with its id."""

from types import SimpleNamespace

import pytest

import schemas
from pipeline.experiments.family_list import FAMILIES, stages_in
from tests import guides

pytestmark = pytest.mark.airflow


@pytest.fixture(scope="module")
def consumers(tmp_path_factory):
    """DAGs that are scheduled on the asset of a table."""
    from airflow.dag_processing.dagbag import DagBag

    folder = tmp_path_factory.mktemp("dags")
    (folder / "digest.py").write_text(guides.python("nightly.md"))
    bag = DagBag(folder)
    assert bag.import_errors == {}
    return bag.dags


def test_the_dag_of_the_guide_is_scheduled_on_a_table(bag, consumers):
    """By name and address: Airflow sends no events to a DAG that only has the name."""
    conclude = bag.dags["nightly"].get_task("conclude")
    asset = consumers["digest"].timetable.asset_condition
    (match,) = (outlet for outlet in conclude.outlets if outlet.name == asset.name)
    assert (asset.uri, asset.group) == (match.uri, match.group)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("benchmark", "assignment"),
        ("nightly", "assignment"),
        *((family.name, family.name) for family in FAMILIES[1:]),
    ],
)
def test_only_the_end_of_a_run_changes_assets(bag, name, family):
    outlets = {task.task_id: task.outlets for task in bag.dags[name].tasks}
    written = {table for stage in stages_in(family) for table in stage.writes}
    tables = written | {"runs", "validations"}
    assert {outlet.name for outlet in outlets.pop("conclude")} == {
        f"groupscale_{table}" for table in tables
    }
    assert tables <= set(schemas.TABLES)
    assert not any(outlets.values())


def test_an_event_tells_the_run_and_the_place_but_no_password(tmp_path, monkeypatch):
    from pipeline.base import paths
    from pipeline.orchestration import assets

    monkeypatch.setenv("GROUPSCALE_TABLES", "s3a://key:secret@bucket/tables")
    config = SimpleNamespace(preset="nightly")
    ctx = SimpleNamespace(run_id="r1", config=config, paths=paths.Paths(tmp_path))
    assert assets.extra("scores", ctx) == {
        "run_id": "r1",
        "preset": "nightly",
        "table": "scores",
        "location": "s3a://bucket/tables/scores",
    }
