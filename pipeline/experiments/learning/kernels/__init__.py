"""Functions of the family `learning` that run in Spark's Python workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from algorithms.learning import group_traces
from algorithms.learning.group_traces import GroupTrace
from pipeline.settings.group_fields import GroupVariant
from pipeline.settings.learning_experiment import LearningExperiment, Settings

Key = tuple[str, str]
"""Experiment and variant."""


class BrokerPlan(NamedTuple):
    """What a kernel needs of an experiment's variant."""

    settings: Settings
    """Of cluster and agent."""
    seeds: int
    """Agents with different random numbers."""
    root: int
    """Root seed: the same for all, so that agents and variants are paired by seed."""


class GroupPlan(NamedTuple):
    """What a kernel needs of a variant of agents on groups."""

    settings: GroupVariant
    """Of group, training and agent."""
    seeds: int
    root: int
    """`seeds`, `root`: as for `BrokerPlan`."""
    trace_seconds: int
    """Length of a trace."""
    rules: tuple[str, ...]
    trials: int
    """`rules`, `trials`: strategies that agents are compared with, and parameters of each to try.
    """
    weights: tuple[float, ...]
    """Weights of late events among the variants."""
    recorded: tuple[GroupTrace, ...]
    """Recorded traces, besides the generated ones."""

    def traces(self) -> tuple[GroupTrace, ...]:
        """All traces: the same for all variants of an experiment."""
        drawn = group_traces.generated(self.trace_seconds, self.settings.group.mu, self.root)
        return (*drawn, *self.recorded)


Plans = Mapping[Key, BrokerPlan | GroupPlan]


def plans(
    experiments: Sequence[LearningExperiment], root: int, recorded: tuple[GroupTrace, ...] = ()
) -> Plans:
    """Plans of all variants."""
    return {
        (one.name, variant): _group_plan(one, variant, root, recorded)
        if one.scales_group
        else BrokerPlan(one.settings(variant), one.seeds, root)
        for one in experiments
        for variant in one.variants
    }


def _group_plan(
    one: LearningExperiment, variant: str, root: int, recorded: tuple[GroupTrace, ...]
) -> GroupPlan:
    settings = one.group_settings(variant)
    traced = (one.trace_seconds, one.rules, one.trials, one.weights())
    return GroupPlan(settings, one.seeds, root, *traced, recorded)


def load() -> None:
    """Import what workers need before they are forked: NumPy code, never JAX and its threads."""
    from algorithms.learning import (  # noqa: F401
        broker_baselines,
        broker_rollout,
        policy_network,
        success_verdicts,
    )
