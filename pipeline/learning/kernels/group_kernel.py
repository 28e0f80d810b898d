"""Policies of groups, rules and clairvoyant plans on what no agent has trained on, without JAX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.trained.trained_policy import PolicyName, TrainedPolicy
from algorithms.bounds.clairvoyant_plan import clairvoyant_plans
from algorithms.core.arrays import Floats
from algorithms.inference import time_blocks
from algorithms.learning import group_model
from algorithms.learning.group_traces import TEST, VALIDATION, GroupTrace
from algorithms.learning.learned_group import LearnedGroup
from algorithms.simulation.group_simulation import simulate_in_detail
from pipeline.learning.kernels import GroupPlan, Plans
from pipeline.policies import policy_weights
from pipeline.spark import arrow

if TYPE_CHECKING:
    from pipeline.spark.stream_tasks import BatchKernel

JUDGED = arrow.contract("group_evaluations", without=("run_id",))

CLAIRVOYANT = "clairvoyant"

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
            found = simulated(part, plan.settings.group, policy)
            yield fixed | {"parameters": row["variant"]} | found
        return
    for one in tried(row["policy"], plan):
        for part in (*held, *tests):
            found = simulated(part, plan.settings.group, one)
            yield fixed | {"parameters": one.parameter_text} | found


def tried(rule: str, plan: GroupPlan) -> tuple[Candidate, ...]:
    """A rule with the parameters that are tried."""
    group = plan.settings.group
    text = f"{rule}:{candidates.SWEEP}={plan.trials}"
    return candidates.parse(text, group.partitions, group.mu, group.wsla_s)


def _policy(row: Row, plan: GroupPlan) -> Candidate:
    group, training, _ = plan.settings
    weights = policy_weights.unpacked(row["layers"], row["weights"], row["digest"])
    policy = TrainedPolicy(training.action, group.partitions, weights)
    return candidates.candidate("dqn", policy=PolicyName(row["variant"], policy))


def simulated(part: Part, group: LearnedGroup, one: Candidate) -> Row:
    """A strategy on a part, in the simulation that all strategies share."""
    rates = _by_partition(part.rates, group)
    settings = {**group.simulated, **one.settings}
    result, trajectory, _ = simulate_in_detail(rates, one.strategy, one.arguments, settings)
    events = float(part.rates.sum())
    in_time = 100.0 if result.sla_percent is None else result.sla_percent
    return _row(part, trajectory.paid_s, trajectory.late) | {
        "replica_minutes": result.replica_minutes,
        "late": max(events * (1.0 - in_time / 100.0), 0.0),
        "changes": result.n_up + result.n_down,
        "lower": None,
    }


def clairvoyant(part: Part, group: LearnedGroup, weights: Sequence[float]) -> Iterator[Row]:
    """The plan that knows all arrivals, for each weight, carried out; and the proved bound."""
    prices = [weight * group.partitions / group.late_unit for weight in weights]
    known = clairvoyant_plans(_by_partition(part.rates, group), prices, group.simulated)
    for weight, best in zip(weights, known, strict=True):
        state = group_model.first(group, (), np)
        paid, late = np.zeros(len(part.rates)), np.zeros(len(part.rates))
        for k, (count, rate) in enumerate(zip(best.replicas, part.rates, strict=True)):
            state, second = group_model.step(group, state, count, rate, np)
            paid[k], late[k] = second.paid_s, second.late
        yield _row(part, paid, late) | {
            "parameters": f"weight={weight:g}",
            "replica_minutes": float(paid.sum()) / 60.0,
            "late": float(late.sum()),
            "changes": int(np.count_nonzero(np.diff(best.replicas, prepend=1))),
            "lower": best.lower / group.partitions,
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
