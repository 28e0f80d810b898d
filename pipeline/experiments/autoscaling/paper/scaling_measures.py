"""What a run says of published figures on autoscaling."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from pipeline.reporting.sections.tolerances import Measured


class PaperRun(NamedTuple):
    """The part of a run that figures are compared with."""

    simulations: Mapping[str, Any] = {}
    """Figures of simulations by workload and candidate, as `simulated` looks them up."""
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
