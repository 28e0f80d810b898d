"""Functions of the family `applications` that run in Spark's Python workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from algorithms.core.seeds import derive_seed
from algorithms.simulation import simulate_application
from pipeline.inputs.applications.application_text import Described
from pipeline.inputs.applications.policy_names import Policy
from pipeline.settings.application_experiment import ApplicationExperiment


class ApplicationPlan(NamedTuple):
    """What a kernel needs of an experiment."""

    application: Described
    policies: Mapping[str, Policy]
    """Policies by label."""
    settings: Mapping[str, Any]
    """Settings of a simulation besides its seed."""
    root: int
    """Root seed of the run."""

    def seed(self, replicate: int) -> int:
        """Seed of a replicate: the same for all experiments, so that they differ in settings."""
        return derive_seed(self.root, "application", replicate - 1)


Plans = Mapping[str, ApplicationPlan]
"""Plans by experiment."""


def plans(experiments: Sequence[ApplicationExperiment], root: int) -> Plans:
    """Plans of a run's experiments."""
    return {
        one.name: ApplicationPlan(
            one.described, {policy.label: policy for policy in one.parsed}, one.settings, root
        )
        for one in experiments
    }


def load() -> None:
    """Load or compile all kernels."""
    simulate_application({"f": {"mu": 1.0}}, [], {"f": [(60.0, 0.5)]}, "threshold")
