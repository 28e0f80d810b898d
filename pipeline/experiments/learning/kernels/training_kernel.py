"""Training of an agent with all its seeds, one task per agent, reward and variant."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from algorithms.learning import (
    broker_optimum,
    broker_rollout,
    group_traces,
    success_verdicts,
)
from pipeline.experiments.learning.kernels import BrokerPlan, GroupPlan, Plans
from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import group_policies, policy_weights
from pipeline.warehouse.spark import arrow

if TYPE_CHECKING:
    from algorithms.learning.broker_training import Training
    from pipeline.warehouse.spark.stream_tasks import BatchKernel

CELL = ("experiment", "agent", "reward", "variant")
CURVES = tuple(
    name
    for name in arrow.contract("trainings").names
    if name not in ("run_id", *CELL, "seed", "episode")
)
"""Columns of `trainings` with a value per episode."""

_POLICY = arrow.contract("policies", without=("run_id",))
_VALUES = arrow.contract("trainings")

TRAINED = pa.schema(
    [
        *_POLICY,
        *(pa.field(f"trainings_{name}", pa.list_(_VALUES.field(name).type)) for name in CURVES),
    ]
)
"""A row per seed: columns of `policies`, and lists with a value per episode."""


def train(plans: Plans) -> BatchKernel:
    """Kernel from rows with the columns `CELL` to rows of `TRAINED`."""

    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for cell in batch.to_pylist():
                plan = plans[cell["experiment"], cell["variant"]]
                rows = _on_group(cell, plan) if isinstance(plan, GroupPlan) else trained(cell, plan)
                yield pa.RecordBatch.from_pylist(rows, schema=TRAINED)

    return kernel


def trained(cell: dict[str, Any], plan: BrokerPlan) -> list[dict[str, Any]]:
    """Rows of one cell, one per seed."""
    from algorithms.learning import broker_training  # JAX: only here, after the fork

    brokers, agent = plan.settings
    seeds = list(range(1, plan.seeds + 1))
    starts = broker_rollout.held_out(brokers, agent.held_out, plan.root).starts
    # Raises if no score exists, before anything is trained.
    broker_optimum.ends(brokers, cell["reward"], starts)
    begin = time.perf_counter()
    training = broker_training.train(
        brokers, agent, cell["agent"], cell["reward"], seeds, plan.root
    )
    seconds = (time.perf_counter() - begin) / (len(seeds) * agent.episodes)
    settings = policy_files.settings_text(plan.settings)
    scores = success_verdicts.scores(training.greedy_returns, brokers, cell["reward"], starts)
    return [
        {key: cell[key] for key in CELL}
        | {"seed": seed, "environment": policy_weights.BROKERS}
        | {"format_version": policy_weights.VERSION, "settings": settings}
        | policy_weights.packed(training.weights[place])
        | _lists(training, scores, place, brokers.steps, seconds)
        for place, seed in enumerate(seeds)
    ]


def _on_group(cell: dict[str, Any], plan: GroupPlan) -> list[dict[str, Any]]:
    """Rows of one cell of agents on a group, one per seed: the network that validated best."""
    from algorithms.learning import group_training  # JAX: only here, after the fork

    group, training, agent = plan.settings
    seeds = list(range(1, plan.seeds + 1))
    parts = group_traces.parts_of(plan.traces())
    begin = time.perf_counter()
    outcome = group_training.train(group, training, agent, cell["agent"], parts, seeds, plan.root)
    seconds = (time.perf_counter() - begin) / outcome.rewards.size
    judged_s = sum(map(len, parts.validation))
    settings = group_policies.settings_text(group, training, agent)
    ends = np.cumsum(
        [len(part) for part in np.array_split(range(training.decisions), training.judged)]
    )
    return [
        {key: cell[key] for key in CELL}
        | {"seed": seed, "environment": policy_weights.GROUP}
        | {"format_version": policy_weights.VERSION, "settings": settings}
        | policy_weights.packed(outcome.weights[place])
        | _named(
            {
                "total_reward": outcome.rewards[place] * np.diff(ends, prepend=0),
                "loss": outcome.losses[place],
                "epsilon": outcome.epsilons[place],
                "greedy_reward": outcome.validated[place] * judged_s,
            },
            ends.tolist(),
            seconds,
        )
        for place, seed in enumerate(seeds)
    ]


def _lists(
    training: Training, scores: Any, place: int, steps: int, seconds: float
) -> dict[str, list[Any]]:
    curves = {
        "total_reward": training.returns,
        "loss": training.losses,
        "epsilon": training.epsilons,
        "greedy_reward": training.greedy_returns,
        "score": scores,
        "brokers": training.greedy_brokers,
        "over_slo_percent": 100.0 * training.greedy_over,
        "moves": training.greedy_moves,
    }
    own = {name: values[place] for name, values in curves.items()}
    return _named(own, [steps * (k + 1) for k in range(training.returns.shape[1])], seconds)


def _named(curves: dict[str, Any], decisions: list[int], seconds: float) -> dict[str, list[Any]]:
    """Lists by column; those that an environment does not have are null."""
    n = len(decisions)
    lists: dict[str, list[Any]] = {name: [None] * n for name in CURVES}
    lists |= {name: _nullable(values) for name, values in curves.items()}
    lists |= {"decisions": decisions, "seconds": [seconds] * n}
    return {f"trainings_{name}": values for name, values in lists.items()}


def _nullable(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
