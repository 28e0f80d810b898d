"""The DAG `live`: its tasks, its edges and its parameters."""

import re

import pytest

from pipeline.stages import stages_in

pytestmark = pytest.mark.airflow

STAGES = stages_in("live")
EDGES = {
    "begin": {"generate_live_streams", "measure_groups"},
    "generate_live_streams": {"check_streams"},
    "check_streams": {"check_measurements"},
    "check_measurements": {"measure_groups"},
    "measure_groups": {"check_live_runs", "conclude"},
    "check_live_runs": {"check_live_plans"},
    "check_live_plans": {"check_live_events"},
    "check_live_events": {"check_live_lag"},
    "check_live_lag": {"check_live_latency"},
    "check_live_latency": {"check_live_integrity"},
    "check_live_integrity": {"compare_predictions"},
    "compare_predictions": {"check_live_agreement"},
    "check_live_agreement": {"compare"},
    "compare": {"check_differences"},
    "check_differences": {"track"},
    "track": {"report"},
    "report": {"conclude"},
    "conclude": {"gate"},
    "gate": set(),
}


@pytest.fixture
def live(bag):
    """The DAG `live`."""
    assert bag.import_errors == {}
    return bag.dags["live"]


def test_tasks_and_edges(live):
    assert {task.task_id: task.downstream_task_ids for task in live.tasks} == EDGES


def test_it_has_the_stages_and_checks_of_its_family_and_no_other(live):
    checks = {f"check_{table}" for stage in STAGES for table in stage.writes}
    own = {stage.name for stage in STAGES}
    assert live.task_dict.keys() == own | checks | {"begin", "conclude", "gate"}


def test_runs_on_the_broker_are_mapped_over_experiments(live):
    assert {task.task_id for task in live.tasks if task.is_mapped} == {"measure_groups"}


def test_it_runs_on_demand_in_the_pool_and_once_at_a_time(live):
    assert live.schedule is None
    assert live.max_active_runs == 1
    assert len({task.pool for task in live.tasks}) == 1


def test_parameters_are_those_of_its_family(live):
    live.params.validate()
    assert live.params["preset"] == "live"
    pattern = live.params.get_param("set").schema["items"]["pattern"]
    assert re.match(pattern, "iteration_seconds=2")
    assert not re.match(pattern, "deltas=5")
    presets = live.params.get_param("preset").schema["enum"]
    assert {"live", "live-smoke", "live-agreement"} <= set(presets)
    assert "smoke" not in presets
