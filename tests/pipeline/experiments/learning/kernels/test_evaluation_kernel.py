"""Stored policies of brokers and what they are compared with, by the kernel."""

from __future__ import annotations

import pyarrow as pa
import pytest

from algorithms.learning import broker_baselines
from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels import BrokerPlan
from pipeline.experiments.learning.kernels.evaluation_kernel import evaluate
from pipeline.settings.load import resolve
from tests.pipeline.experiments.learning import broker_policy_rows

pytestmark = pytest.mark.unit

SETS = ["seeds=3", "episodes=2", "steps=12", "held_out=8", "hidden=4"]


def test_tabular_learning_has_the_seeds_of_the_agents() -> None:
    (one,) = resolve("learning-smoke", None, SETS, []).learning
    plans = kernels.plans([one], 7)
    plan = plans["smoke", "base"]
    assert isinstance(plan, BrokerPlan)
    policy = broker_policy_rows.row(experiment="smoke", variant="base", seed=1)
    batch = pa.RecordBatch.from_pylist([policy | {"with_rules": True}])
    (result,) = evaluate(plans)([batch])
    rows = result.to_pylist()
    names = [row["policy"] for row in rows if row["policy"] not in ("dqn", "q_table")]
    assert sorted(names) == sorted(set(broker_baselines.names(plan.settings.brokers)) - {"q_table"})
    assert {row["seed"] for row in rows if row["policy"] in names} == {0}
    tables = {row["seed"]: row["total_reward"] for row in rows if row["policy"] == "q_table"}
    assert sorted(tables) == [1, 2, 3]
    for seed, reward in tables.items():
        rolled = broker_baselines.run(*plan.settings, "weighted", "q_table", 7, seed)
        assert reward == pytest.approx(rolled.returns.mean())
    assert len(set(tables.values())) > 1
