"""What MLflow gets of learning agents: scores, and curves by training episode."""

from __future__ import annotations

import pytest

from pipeline.experiments.learning.tracking.agent_runs import tracked
from schemas.metrics import LEARNING
from tests.pipeline.experiments.learning import learning_cases

pytestmark = pytest.mark.unit


def test_a_child_per_agent_reward_and_variant_with_its_curves() -> None:
    run = tracked(learning_cases.small(), "w")
    (child,) = run.children("parent")
    assert child.name == "learned/dqn/count/base"
    assert {item.tracked for item in LEARNING} <= set(child.metrics)
    scores = [(step.iteration, step.value) for step in child.curves if step.key == "score.median"]
    assert scores == [(1, 0.125), (2, 0.75)]
    losses = [step.iteration for step in child.curves if step.key == "loss.median"]
    assert losses == [2]  # nothing was updated in the first episode


def test_the_parent_counts_verdicts() -> None:
    parent = tracked(learning_cases.small(), "w").parent
    assert parent.metrics["claims.open"] == parent.metrics["verdicts.open"] == 1.0
    assert parent.metrics["learning_share/learned/dqn/count/base"] == 0.5


def test_agents_on_groups_have_a_child_per_variant() -> None:
    run = tracked(learning_cases.grouped(), "w")
    _, child = run.children("parent")
    assert child.name == "grouped/dqn/action=delta"
    assert (child.metrics["regret"], child.metrics["learning_share"]) == (0.25, 0.5)
    rewards = [step.value for step in child.curves if step.key == "greedy_reward.median"]
    assert rewards == [-100.0]
    assert run.parent.metrics["group_regret/grouped/weight-5/linear"] == 0.25
