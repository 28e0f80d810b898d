"""The DAG `learning`: its tasks and its edges."""

import pytest

pytestmark = pytest.mark.airflow

EDGES = {
    "begin": {"train_agents", "evaluate_policies", "evaluate_groups"},
    "train_agents": {"check_trainings", "conclude"},
    "check_trainings": {"check_policies"},
    "check_policies": {"evaluate_policies"},
    "evaluate_policies": {"check_evaluations", "conclude"},
    "check_evaluations": {"score_agents"},
    "score_agents": {"check_learning_scores"},
    "check_learning_scores": {"judge_claims"},
    "judge_claims": {"check_learning_verdicts"},
    "check_learning_verdicts": {"evaluate_groups"},
    "evaluate_groups": {"check_group_evaluations", "conclude"},
    "check_group_evaluations": {"score_groups"},
    "score_groups": {"check_group_scores"},
    "check_group_scores": {"check_group_fronts"},
    "check_group_fronts": {"compare"},
    "compare": {"check_differences"},
    "check_differences": {"track"},
    "track": {"report"},
    "report": {"conclude"},
    "conclude": {"gate"},
    "gate": set(),
}


@pytest.fixture
def learning(bag):
    """The DAG `learning`."""
    assert bag.import_errors == {}
    return bag.dags["learning"]


def test_tasks_and_edges(learning):
    assert {task.task_id: task.downstream_task_ids for task in learning.tasks} == EDGES


def test_training_and_evaluation_are_mapped_over_experiments(learning):
    mapped = {task.task_id for task in learning.tasks if task.is_mapped}
    assert mapped == {"train_agents", "evaluate_policies", "evaluate_groups"}
