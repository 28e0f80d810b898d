"""A policy of a consumer group on a recorded trace, next to rules and the clairvoyant plan."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.autoscaling.trained.trained_policy import PolicyName
from algorithms.learning.group_traces import TEST
from algorithms.learning.learned_group import LearnedGroup
from pipeline.experiments.learning.kernels.group_kernel import (
    CLAIRVOYANT,
    Part,
    Row,
    clairvoyant,
    simulated,
)
from pipeline.experiments.learning.policies import recorded_groups
from pipeline.inputs.policies import group_policies
from pipeline.inputs.traces.reading import RECOGNIZED, Reading
from pipeline.settings import traces as trace_sources
from pipeline.settings.group_fields import RULES
from pipeline.settings.group_recordings import STEP_S
from pipeline.settings.recordings import Recordings


class Line(NamedTuple):
    """What a strategy costs on the whole trace; `regret` is relative to the clairvoyant plan."""

    name: str
    regret: float
    replicas: float
    late_percent: float
    changes: int


def evaluate(policy_file: Path, trace_file: Path, reading: Reading = RECOGNIZED) -> list[Line]:
    """The clairvoyant plan, the policy, and rules with their defaults, the least regret first.

    Late events have the weight of the policy's training.

    Raises InputError if the policy or the trace cannot be used.
    """
    policy, group = group_policies.read_with_group(policy_file)
    (source,) = trace_sources.read(Recordings([trace_file], reading), STEP_S, totals_allowed=True)
    (trace,) = recorded_groups.of({source.stream_id: source.trace})
    part = Part(trace._replace(by_time=False), TEST, trace.rates)
    (plan,) = clairvoyant(part, group, [group.weight])
    name = f"dqn:{policy_file}"
    compared = [(name, candidate("dqn", policy=PolicyName(name, policy)))]
    compared += [(rule, Candidate(rule)) for rule in RULES]
    lines = [_line(CLAIRVOYANT, plan, plan, group)]
    for label, one in compared:
        lines.append(_line(label, simulated(part, group, one), plan, group))
    return sorted(lines, key=lambda line: line.regret)


def _line(name: str, row: Row, plan: Row, group: LearnedGroup) -> Line:
    return Line(
        name,
        _cost(row, group) / _cost(plan, group) - 1.0,
        60.0 * row["replica_minutes"] / row["seconds"],
        100.0 * row["late"] / max(row["events"], 1.0),
        row["changes"],
    )


def _cost(row: Row, group: LearnedGroup) -> float:
    late: float = group.weight * row["late"] / group.late_unit
    paid_s: float = 60.0 * row["replica_minutes"]
    return paid_s / group.partitions + late
