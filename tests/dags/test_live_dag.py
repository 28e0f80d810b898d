"""The DAG `live`: its mapped tasks."""

import pytest

pytestmark = pytest.mark.airflow


@pytest.fixture
def live(bag):
    """The DAG `live`."""
    assert bag.import_errors == {}
    return bag.dags["live"]


def test_runs_on_the_broker_are_mapped_over_experiments(live):
    assert {task.task_id for task in live.tasks if task.is_mapped} == {"measure_groups"}
