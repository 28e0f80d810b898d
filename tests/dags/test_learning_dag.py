"""The DAG `learning`: its mapped tasks."""

import pytest

pytestmark = pytest.mark.airflow


@pytest.fixture
def learning(bag):
    """The DAG `learning`."""
    assert bag.import_errors == {}
    return bag.dags["learning"]


def test_training_and_evaluation_are_mapped_over_experiments(learning):
    mapped = {task.task_id for task in learning.tasks if task.is_mapped}
    assert mapped == {"train_agents", "evaluate_policies", "evaluate_groups"}
