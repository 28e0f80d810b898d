"""Policies of groups, rules and clairvoyant plans on what no agent has trained on, without JAX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from algorithms.autoscaling import Strategy, candidates
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.planned_counts import planned
from algorithms.autoscaling.trained.trained_policy import PolicyName, TrainedPolicy
from algorithms.bounds.clairvoyant_plan import clairvoyant_plans
from algorithms.core.arrays import Floats
from algorithms.inference import time_blocks
from algorithms.learning.group_traces import TEST, VALIDATION, GroupTrace
from algorithms.learning.learned_group import LearnedGroup, spelled_weight
from algorithms.simulation.group_simulation import simulate_in_detail
from pipeline.experiments.learning.kernels import GroupPlan, Plans
from pipeline.inputs.policies import policy_weights
from pipeline.warehouse.spark import arrow
from schemas.tables.learning.group_columns import FIGURES

if TYPE_CHECKING:
    from pipeline.warehouse.spark.stream_tasks import BatchKernel

JUDGED = arrow.contract("group_evaluations", without=("run_id",))

CLAIRVOYANT = "clairvoyant"

CONSTANT = "constant"
"""The rule of which every number of replicas is judged, not only the one that is chosen."""

BLOCK_S = 120.0
"""Length of the blocks that intervals resample."""

Row = dict[str, Any]


class Part(NamedTuple):
    """A part of a trace: its name, and total rates by second."""

    trace: GroupTrace
    name: str
    rates: Floats


def judge(plans: Plans) -> BatchKernel:
    """Kernel from rows of strategies to rows of `group_evaluations`.

    A row has the columns of `policies` that an evaluation needs, and ``policy``: an agent, a
    rule, or `CLAIRVOYANT`. Rules are tried on validation parts as well.
    """

    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                plan = plans[row["experiment"], row["variant"]]
                assert isinstance(plan, GroupPlan), "agents on brokers are judged by another kernel"
                yield pa.RecordBatch.from_pylist(list(judged(row, plan)), schema=JUDGED)

    return kernel


def judged(row: Row, plan: GroupPlan) -> Iterator[Row]:
    """Rows of one strategy."""
    traces = plan.traces()
    tests = [Part(trace, TEST, trace.part(TEST)) for trace in traces]
    held = [Part(t, VALIDATION, t.part(VALIDATION)) for t in traces if t.by_time]
    fixed = {"experiment": row["experiment"], "policy": row["policy"], "seed": row["seed"]}
    if row["policy"] == CLAIRVOYANT:
        for part in (*held, *tests):
            rows = clairvoyant(part, plan.settings.group, plan.weights)
            yield from (fixed | one for one in rows)
        return
    if row["seed"]:
        policy = _policy(row, plan)
        for part in tests:
            figures = simulated(part, plan.settings.group, policy)
            yield fixed | {"parameters": row["variant"]} | figures
        return
    chosen_from = tried(row["policy"], plan)
    for one in (*chosen_from, *untried(row["policy"], plan)):
        for part in (*held, *tests) if one in chosen_from else tests:
            figures = simulated(part, plan.settings.group, one)
            yield fixed | {"parameters": one.parameter_text} | figures


def tried(rule: str, plan: GroupPlan) -> tuple[Candidate, ...]:
    """A rule with the parameters that are tried."""
    group = plan.settings.group
    text = f"{rule}:{candidates.SWEEP}={plan.trials}"
    return candidates.parse(text, group.partitions, group.mu, group.wsla_s)


def untried(rule: str, plan: GroupPlan) -> tuple[Candidate, ...]:
    """Parameters of a rule that are judged on test parts alone: numbers of replicas not tried."""
    if rule != CONSTANT:
        return ()
    parameters = {one.parameter_text for one in tried(rule, plan)}
    more = range(2, plan.settings.group.partitions + 1)
    every = (Candidate(rule), *(candidates.candidate(rule, initial_replicas=n) for n in more))
    return tuple(one for one in every if one.parameter_text not in parameters)


def _policy(row: Row, plan: GroupPlan) -> Candidate:
    group, training, _ = plan.settings
    weights = policy_weights.unpacked(row["layers"], row["weights"], row["digest"])
    policy = TrainedPolicy(training.action, group.partitions, weights)
    return candidates.candidate("dqn", policy=PolicyName(row["variant"], policy))


def simulated(part: Part, group: LearnedGroup, one: Candidate) -> Row:
    """A strategy on a part, in the simulation that all strategies share."""
    figures = _in_detail(part, group, one.strategy, one.arguments, one.settings)
    return figures | {"lower": None}


def clairvoyant(part: Part, group: LearnedGroup, weights: Sequence[float]) -> Iterator[Row]:
    """The plan that knows all arrivals, for each weight, carried out; and the proved bound.

    It begins with one replica and first decides after a second, as every strategy.
    """
    prices = [weight * group.partitions / group.late_unit for weight in weights]
    plans = clairvoyant_plans(_by_partition(part.rates, group), prices, group.simulated)
    for weight, best in zip(weights, plans, strict=True):
        yield _in_detail(part, group, planned(best.replicas)) | {
            "parameters": spelled_weight(weight),
            "lower": best.lower / group.partitions,
        }


def _in_detail(
    part: Part,
    group: LearnedGroup,
    strategy: str | Strategy,
    arguments: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Row:
    rates = _by_partition(part.rates, group)
    merged = {**group.simulated, **(settings or {})}
    result, trajectory, _ = simulate_in_detail(rates, strategy, arguments, merged)
    events = float(part.rates.sum())
    in_time = 100.0 if result.sla_percent is None else result.sla_percent
    return _row(part, trajectory.paid_s, trajectory.late) | {
        "replica_minutes": result.replica_minutes,
        "late": max(events * (1.0 - in_time / 100.0), 0.0),
        "changes": result.n_up + result.n_down,
        **{name: getattr(result, name) for name in FIGURES},
    }


def _by_partition(totals: Floats, group: LearnedGroup) -> Floats:
    rates: Floats = np.repeat(totals[:, None] / group.partitions, group.partitions, axis=1)
    return rates


def _row(part: Part, paid_s: Floats, late: Floats) -> Row:
    edges = time_blocks.block_edges(len(part.rates), 1.0, BLOCK_S)
    return {
        "trace": part.trace.name,
        "part": part.name,
        "split": "time" if part.trace.by_time else "trace",
        "seconds": len(part.rates),
        "events": float(part.rates.sum()),
        "block_paid_s": time_blocks.block_sums(paid_s, edges).tolist(),
        "block_late": np.maximum(time_blocks.block_sums(late, edges), 0.0).tolist(),
    }
