"""`dqn:FILE` is a strategy wherever strategies are named: simulate, runs, and live runs."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from algorithms.autoscaling.trained.trained_policy import PolicyName
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import PAPER_GROUP, GroupSettings
from live import strategy_kinds
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation import candidate_runs
from pipeline.inputs.policies import strategy_policies
from pipeline.settings.load import resolve
from pipeline.settings.strategy_names import candidates_of
from tests.algorithms.autoscaling.trained_policies import random_policy
from tests.pipeline.inputs.policies import group_policy_rows

pytestmark = pytest.mark.unit

GROUP = GroupSettings(max_replicas=5, decision_s=1.0, observe="last")


def test_a_file_decides_as_the_policy_in_it(tmp_path: Path) -> None:
    file = group_policy_rows.write(tmp_path, action="residual")
    (one,) = strategy_policies.parse(f"dqn:{file}", 5, 200.0, 0.5)
    assert one.label == f"dqn:{file}"
    assert pickle.loads(pickle.dumps(one)).arguments["policy"].policy.action == "residual"
    rates = np.random.default_rng(3).uniform(0.0, 60.0, (90, 5))
    burst = PAPER_GROUP | {"arrivals": "burst"}
    ours = simulate(rates, one.strategy, one.arguments, burst)
    theirs = simulate(rates, "dqn", {"policy": random_policy("residual")}, burst)
    assert ours.replicas.tolist() == theirs.replicas.tolist()
    assert len(set(ours.replicas.tolist())) > 1


def test_simulate_names_the_strategy_in_errors(tmp_path: Path) -> None:
    file = group_policy_rows.write(tmp_path)
    assert candidate_runs.parse([f"dqn:{file},linear"], 5, GROUP)[0].label == f"dqn:{file}"
    with pytest.raises(InputError, match=r"--strategy dqn:no\.json: no\.json: not found"):
        candidate_runs.parse(["dqn:no.json"], 5, GROUP)


def test_a_run_names_the_policy_it_was_configured_with(tmp_path: Path) -> None:
    file = group_policy_rows.write(tmp_path)
    sets = [f"strategies=dqn:{file},linear", "partitions=5", "arrivals=burst"]
    config = resolve("autoscaling-smoke", None, sets, [])
    label = config.autoscaling[0].strategies[0]
    assert label.startswith(f"dqn:{file}@")
    again = [f"strategies={label},linear", *sets[1:]]
    assert resolve("autoscaling-smoke", None, again, []) == config
    (one,) = candidates_of([label])
    assert (one.label, type(one.arguments["policy"])) == (label, PolicyName)
    group_policy_rows.write(tmp_path, action="residual")
    with pytest.raises(InputError, match="has changed since the run was configured"):
        candidates_of([label])


def test_live_runs_take_policies(tmp_path: Path) -> None:
    file = group_policy_rows.write(tmp_path)
    assert strategy_kinds.parse(f"dqn:{file}", 5) == strategy_kinds.Scaled(f"dqn:{file}")
    config = resolve("live-smoke", None, [f"strategies=dqn:{file}", "partitions=5"], [])
    assert config.live[0].strategies[0].startswith(f"dqn:{file}@")
    with pytest.raises(InputError, match="is for 5 partitions"):
        resolve("live-smoke", None, [f"strategies=dqn:{file}", "partitions=6"], [])
    with pytest.raises(InputError, match=r"no\.json: not found"):
        resolve("live-smoke", None, ["strategies=dqn:no.json"], [])
