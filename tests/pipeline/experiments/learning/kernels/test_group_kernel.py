"""Strategies of groups on unseen parts: rules, a policy and the clairvoyant plan by the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.bounds.clairvoyant_plan import clairvoyant_plans
from algorithms.learning.group_traces import GroupTrace
from algorithms.learning.learned_group import LearnedGroup
from algorithms.simulation.group_simulation import simulate_in_detail
from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels import GroupPlan
from pipeline.experiments.learning.kernels.group_kernel import Part, clairvoyant, judged, tried
from pipeline.inputs.policies import policy_weights
from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.settings.load import resolve
from schemas.tables.learning.group_columns import FIGURES
from tests.algorithms.autoscaling.trained_policies import random_policy
from tests.algorithms.simulation import scripted
from tests.algorithms.simulation.plain_settings import Answer

pytestmark = [pytest.mark.unit, pytest.mark.slow]

VARIANT = "action=delta"


def experiment(*sets: str) -> LearningExperiment:
    settings = [
        "rules=constant,linear",
        "trials=2",
        f"variants={VARIANT},action=delta:weight=1",
        *sets,
    ]
    return resolve("learning-groups-smoke", None, settings, []).learning[0]


def plan() -> GroupPlan:
    group_plan = kernels.plans([experiment()], 7)["groups", VARIANT]
    assert isinstance(group_plan, GroupPlan)
    return group_plan


def rows(policy: str, seed: int = 0, **columns: Any) -> list[dict[str, Any]]:
    row = {"experiment": "groups", "policy": policy, "variant": VARIANT, "seed": seed, **columns}
    return list(judged(row, plan()))


def test_rules_are_tried_on_validation_parts_and_judged_on_all_traces() -> None:
    scored = rows("linear")
    by_parameters = {one.parameter_text for one in tried("linear", plan())}
    assert len(by_parameters) == 2
    assert {row["parameters"] for row in scored} == by_parameters
    validation = [row for row in scored if row["part"] == "validation"]
    assert {row["trace"] for row in validation} == {"bursts-1", "steps-1", "diurnal-1"}
    tests = [row for row in scored if row["part"] == "test"]
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


def test_every_number_of_replicas_is_judged_on_test_parts() -> None:
    scored = rows("constant")
    tried_ones = {one.parameter_text for one in tried("constant", plan())}
    every = {"", *(f"initial_replicas={n}" for n in range(2, 6))}
    assert len(tried_ones) == 2
    assert {row["parameters"] for row in scored if row["part"] == "validation"} == tried_ones
    tests = [row for row in scored if row["part"] == "test"]
    assert {row["parameters"] for row in tests} == every
    assert len(tests) == 5 * len(plan().traces())


def test_the_plan_is_simulated_as_every_strategy_is() -> None:
    """It begins with one replica, and does not decide before a second has passed."""
    group = LearnedGroup(rebalance_s=0.5)
    trace = GroupTrace("t", np.array([400.0, 400.0, 50.0, 50.0, 300.0, 50.0]), by_time=False)
    (row,) = clairvoyant(Part(trace, "test", trace.rates), group, [30.0])
    rates = np.repeat(trace.rates[:, None] / 5, 5, axis=1)
    (best,) = clairvoyant_plans(rates, [30.0 * 5 / 100.0], group.simulated)
    assert best.replicas[0] > 1
    answers: list[Answer] = [(int(n), 0, [0] * 5) for n in best.replicas[1:]]
    settings = group.simulated | {"decision_s": 1.0}
    result, steps, _ = simulate_in_detail(rates, scripted.strategy(answers), settings=settings)
    assert row["replica_minutes"] == result.replica_minutes
    assert result.sla_percent is not None
    assert row["late"] == pytest.approx(trace.rates.sum() * (1.0 - result.sla_percent / 100.0))
    assert row["block_paid_s"] == [pytest.approx(steps.paid_s.sum())]
    assert (row["n_up"], row["n_down"]) == (result.n_up, result.n_down)
    assert row["stalled_s"] == result.stalled_s > 0.0
    # One replica serves 99.5 of the first burst, whatever the plan would have.
    assert row["block_late"][0] >= 300.0


def test_close_weights_have_plans_of_different_names() -> None:
    trace = GroupTrace("t", np.array([50.0, 50.0]), by_time=False)
    part = Part(trace, "test", trace.rates)
    plans = clairvoyant(part, LearnedGroup(), [1.0, 0.1234567, 0.1234568])
    names = [row["parameters"] for row in plans]
    assert names == ["weight=1", "weight=0.1234567", "weight=0.1234568"]


def test_figures_are_those_of_the_simulation() -> None:
    (one,) = (one for one in tried("linear", plan()) if not one.parameters)
    scored = [row for row in rows("linear") if row["trace"] == "bursts-2" and not row["parameters"]]
    (trace,) = (trace for trace in plan().traces() if trace.name == "bursts-2")
    rates = np.repeat(trace.rates[:, None] / 5, 5, axis=1)
    settings = plan().settings.group.simulated | one.settings
    result = simulate_in_detail(rates, "linear", one.arguments, settings).result
    (row,) = scored
    for name in FIGURES:
        assert row[name] == getattr(result, name), name
    assert row["changes"] == row["n_up"] + row["n_down"] > 0
    assert row["p50"] < row["p99"]


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
    scored = rows("dqn", 2, **policy_weights.packed(random_policy("delta").policy.weights))
    assert {(row["policy"], row["parameters"], row["seed"]) for row in scored} == {
        ("dqn", VARIANT, 2)
    }
    assert [row["part"] for row in scored] == ["test"] * len(plan().traces())
