"""How fast the controller responds: times of the parts of its plans."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats
from pipeline.reporting.sections import numbers

TIMES: Final[Mapping[str, str]] = {
    "speeds_known_s": "Δt1: speeds known",
    "decided_s": "Δt2: decided",
    "handed_s": "of it: commands handed over",
    "created_s": "Δt3: consumers ready",
    "moved_s": "Δt4: partitions moved",
    "gap_max_s": "longest gap of a moved partition",
}
"""Columns of `live_plans`, with symbol and meaning."""


class Response(NamedTuple):
    """One of the times of plans."""

    name: str
    """Symbol and meaning."""
    plans: int
    """Number of plans that have it."""
    median: float
    p90: float
    largest: float
    """`median`, `p90`, `largest`: of these plans, s; NaN without any."""

    @property
    def words(self) -> str:
        """Its distribution."""
        if not self.plans:
            return numbers.MISSING
        median, p90, largest = map(numbers.seconds, (self.median, self.p90, self.largest))
        many = "plan" if self.plans == 1 else "plans"
        distribution = f"median {median}, 90{numbers.SPACE}% {p90}, maximum {largest}"
        return f"{distribution} ({self.plans:,} {many})"


def responses(plans: pd.DataFrame) -> list[Response]:
    """All times of the plans of an experiment, rows of `live_plans`."""
    return [response(plans, column) for column in TIMES]


def response(plans: pd.DataFrame, column: str) -> Response:
    """One of the times."""
    values = times(plans, column)
    if not len(values):
        return Response(TIMES[column], 0, math.nan, math.nan, math.nan)
    median, p90 = np.percentile(values, (50.0, 90.0))
    return Response(TIMES[column], len(values), float(median), float(p90), float(values.max()))


def times(plans: pd.DataFrame, column: str) -> Floats:
    """A column of the plans after the first iteration, s, without missing values."""
    later: pd.Series = plans.loc[plans["iteration"] > 1, column]
    return np.asarray(later.dropna(), dtype=np.float64)
