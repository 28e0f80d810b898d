"""Functions of the family `learning` that run in Spark's Python workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pipeline.config.learning_experiment import LearningExperiment, Settings

Key = tuple[str, str]
"""Experiment and variant."""


class Plan(NamedTuple):
    """What a kernel needs of an experiment's variant.

    Attributes
    ----------
    settings
        Of cluster and agent.
    seeds
        Agents with different random numbers.
    root
        Root seed: the same for all, so that agents and variants are paired by seed.
    """

    settings: Settings
    seeds: int
    root: int


Plans = Mapping[Key, Plan]


def plans(experiments: Sequence[LearningExperiment], root: int) -> Plans:
    """Plans of all variants."""
    return {
        (experiment.name, variant): Plan(experiment.settings(variant), experiment.seeds, root)
        for experiment in experiments
        for variant in experiment.variants
    }


def load() -> None:
    """Import what workers need before they are forked: NumPy code, never JAX and its threads."""
    from algorithms.learning import (  # noqa: F401
        broker_baselines,
        broker_rollout,
        policy_network,
        success_verdicts,
    )
