"""Strategies of groups on unseen parts: rules, a policy and the clairvoyant plan by the kernel."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.config.learning_experiment import LearningExperiment
from pipeline.config.load import resolve
from pipeline.learning import kernels
from pipeline.learning.kernels import GroupPlan
from pipeline.learning.kernels.group_kernel import judged, tried
from pipeline.policies import policy_weights
from tests.algorithms.autoscaling.trained_policies import random_policy

pytestmark = [pytest.mark.unit, pytest.mark.slow]

VARIANT = "action=delta"


def experiment(*sets: str) -> LearningExperiment:
    given = [
        "rules=constant,linear",
        "trials=2",
        f"variants={VARIANT},action=delta:weight=1",
        *sets,
    ]
    return resolve("learning-groups-smoke", None, given, []).learning[0]


def plan() -> GroupPlan:
    found = kernels.plans([experiment()], 7)["groups", VARIANT]
    assert isinstance(found, GroupPlan)
    return found


def rows(policy: str, seed: int = 0, **columns: Any) -> list[dict[str, Any]]:
    row = {"experiment": "groups", "policy": policy, "variant": VARIANT, "seed": seed, **columns}
    return list(judged(row, plan()))


def test_rules_are_tried_on_validation_parts_and_judged_on_all_traces() -> None:
    found = rows("linear")
    by_parameters = {one.parameter_text for one in tried("linear", plan())}
    assert len(by_parameters) == 2
    assert {row["parameters"] for row in found} == by_parameters
    validation = [row for row in found if row["part"] == "validation"]
    assert {row["trace"] for row in validation} == {"bursts-1", "steps-1", "diurnal-1"}
    tests = [row for row in found if row["part"] == "test"]
    assert len(tests) == 2 * len(plan().traces())
    assert {row["split"] for row in tests} == {"time", "trace"}


def test_blocks_add_up_to_the_figures() -> None:
    for row in (*rows("constant"), *rows("clairvoyant")):
        assert sum(row["block_paid_s"]) == pytest.approx(60.0 * row["replica_minutes"])
        assert sum(row["block_late"]) <= row["late"] + 1e-6 <= row["events"] + 2e-6
    (steady,) = (
        row for row in rows("constant") if row["trace"] == "steady" and not row["parameters"]
    )
    assert steady["replica_minutes"] == pytest.approx(400.0 / 60.0)


def test_no_strategy_costs_less_than_the_bound() -> None:
    policy = {**policy_weights.packed(random_policy("delta", hidden=16).policy.weights)}
    others = [*rows("linear"), *rows("constant"), *rows("dqn", 1, **policy)]
    bounds = rows("clairvoyant")
    for weight in plan().weights:
        lower = {
            (row["trace"], row["part"]): row["lower"]
            for row in bounds
            if row["parameters"] == f"weight={weight:g}"
        }
        for row in (*others, *(row for row in bounds if row["parameters"] == f"weight={weight:g}")):
            cost = 60.0 * row["replica_minutes"] / 5 + weight * row["late"] / 100.0
            assert cost >= lower[row["trace"], row["part"]] * (1.0 - 1e-9)


def test_policies_are_judged_on_test_parts_alone() -> None:
    found = rows("dqn", 2, **policy_weights.packed(random_policy("delta").policy.weights))
    assert {(row["policy"], row["parameters"], row["seed"]) for row in found} == {
        ("dqn", VARIANT, 2)
    }
    assert [row["part"] for row in found] == ["test"] * len(plan().traces())
