"""Stored policies, rules and the exact optimum on held-out episodes, without JAX."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from algorithms.learning import (
    broker_baselines,
    broker_rollout,
    input_ablation,
    policy_network,
    success_verdicts,
)
from algorithms.learning.broker_rollout import Episodes, Rollout
from pipeline.experiments.learning.kernels import BrokerPlan, Plans
from pipeline.inputs.policies import policy_weights
from pipeline.settings.learning_experiment import Settings
from pipeline.warehouse.spark import arrow

if TYPE_CHECKING:
    from pipeline.warehouse.spark.stream_tasks import BatchKernel

EVALUATED = arrow.contract("evaluations", without=("run_id",))

Q_TABLE = "q_table"

Row = dict[str, Any]


def evaluate(plans: Plans) -> BatchKernel:
    """Kernel from rows of `policies` to rows of `evaluations`.

    The first policy of an agent, reward and variant also brings what it is compared with, if the
    row says so in ``with_rules``.
    """

    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows: list[Row] = []
            for policy in batch.to_pylist():
                plan = plans[policy["experiment"], policy["variant"]]
                assert isinstance(plan, BrokerPlan), "agents on groups are judged by another kernel"
                rows.append(_learned(policy, plan))
                if policy["with_rules"]:
                    rows += _rules(policy, plan)
            yield pa.RecordBatch.from_pylist(rows, schema=EVALUATED)

    return kernel


def _episodes(plan: BrokerPlan) -> Episodes:
    return broker_rollout.held_out(plan.settings.brokers, plan.settings.agent.held_out, plan.root)


def _learned(policy: Row, plan: BrokerPlan) -> Row:
    weights = policy_weights.unpacked(policy["layers"], policy["weights"], policy["digest"])
    episodes = _episodes(plan)
    reward = policy["reward"]
    result = rolled(weights, plan.settings, reward, episodes)
    idle = input_ablation.idle_weight(weights, *plan.settings, reward, episodes)
    row = _row(policy, policy["agent"], policy["seed"], result, plan, episodes)
    return row | {"idle_weight": None if math.isnan(idle) else idle}


def rolled(
    weights: policy_weights.Weights, settings: Settings, reward: str, episodes: Episodes
) -> Rollout:
    """What a policy reaches when it acts greedily."""
    return policy_network.rolled(weights, *settings, reward, episodes)


def _rules(policy: Row, plan: BrokerPlan) -> Iterator[Row]:
    episodes = _episodes(plan)
    for name in broker_baselines.names(plan.settings.brokers):
        # Tabular Q-learning is learned as well, so one seed would say little.
        for seed in range(1, plan.seeds + 1) if name == Q_TABLE else (0,):
            result = broker_baselines.run(*plan.settings, policy["reward"], name, plan.root, seed)
            yield _row(policy, name, seed, result, plan, episodes)


def _row(
    policy: Row, name: str, seed: int, result: Rollout, plan: BrokerPlan, episodes: Episodes
) -> Row:
    mean = float(result.returns.mean())
    brokers, reward = plan.settings.brokers, policy["reward"]
    score = success_verdicts.scores(np.array(mean), brokers, reward, episodes.starts)
    return {key: policy[key] for key in ("experiment", "reward", "variant")} | {
        "policy": name,
        "seed": seed,
        "held_out": len(result.returns),
        "total_reward": min(mean, 0.0),
        "score": float(score),
        "brokers": float(result.brokers.mean()),
        "over_slo_percent": 100.0 * float(result.over.mean()),
        "moves": float(result.moves.mean()),
        "idle_weight": None,
    }
