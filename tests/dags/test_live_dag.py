"""The DAG `live`: its tasks and its edges."""

import pytest

pytestmark = pytest.mark.airflow

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


def test_runs_on_the_broker_are_mapped_over_experiments(live):
    assert {task.task_id for task in live.tasks if task.is_mapped} == {"measure_groups"}
