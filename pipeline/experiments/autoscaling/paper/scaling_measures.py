"""What a run says of published figures on autoscaling."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pipeline.experiments.autoscaling.paper.application_runs import Policies
from pipeline.reporting.sections.tolerances import Measured


class PaperRun(NamedTuple):
    """The part of a run that figures are compared with."""

    simulations: Mapping[str, Any] = {}
    """Figures of simulations by workload and candidate, as `simulated` looks them up."""
    applications: Sequence[Policies] = ()
    """Figures of the application of three functions, for each seed."""
    claim_runs: pd.DataFrame = pd.DataFrame()
    """Rows of `claim_runs`, with a column ``label``."""
    claim_differences: pd.DataFrame = pd.DataFrame()
    """Rows of `claim_differences`."""


Measure = Callable[[PaperRun], Measured]


def simulated(workload: str, candidate: str, field: str) -> Measure:
    """A field of the simulation of a workload, as both are written in `published_figures`."""

    def measure(run: PaperRun) -> Measured:
        result = run.simulations.get(f"{workload}: {candidate}")
        if result is None:
            return Measured(missing="not run")
        value = getattr(result, field)
        return Measured((math.nan if value is None else float(value),))

    return measure


def in_application(policy: str, field: str) -> Measure:
    """A field of `ApplicationFigures` under a policy, for each seed."""
    return lambda run: Measured([float(getattr(one[policy], field)) for one in run.applications])


def holds(claim: Callable[[Policies], bool]) -> Measure:
    """Whether a claim holds, for each seed."""
    return lambda run: Measured([claim(one) for one in run.applications])


def ascending(field: str, *policies: str) -> Measure:
    """Whether policies have this strict order, for each seed."""

    def claim(run: Policies) -> bool:
        values = [getattr(run[policy], field) for policy in policies]
        return values == sorted(values) and len(set(values)) == len(values)

    return holds(claim)
