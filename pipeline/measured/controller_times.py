"""How fast the controller responds, beside what is published and what is required."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.measured.live_study import Study

HOLDS, FAILS, NONE = "holds", "does not hold", ""


class Response(NamedTuple):
    """One of the times of plans.

    Attributes
    ----------
    name
        Symbol and meaning.
    plans
        Number of plans that have it.
    median, p90, largest
        Of these plans, s; NaN without any.
    published
        What the paper prints.
    required, verdict
        What must hold, and whether it does; empty if nothing is required or there are no plans.
    """

    name: str
    plans: int
    median: float
    p90: float
    largest: float
    published: str
    required: str
    verdict: str


class _Kind(NamedTuple):
    column: str
    name: str
    published: str


_KINDS = (
    _Kind("speeds_known_s", "Δt1: speeds known", "30 s (the window)"),
    _Kind("decided_s", "Δt2: decided", "< 1 s (1,345 observations)"),
    _Kind("created_s", "Δt3: consumers ready", "88 % in 10–50 s, at most 500 s (Kubernetes)"),
    _Kind("moved_s", "Δt4: partitions moved", "about 5 s, two cycles (1,331 observations)"),
    _Kind("gap_max_s", "longest gap of a moved partition", ""),
)

_Holds = Callable[[Response], bool]

DECIDED_S, CYCLE_S, CYCLE_P90_S, PROMPT_P90_S = 1.0, 5.5, 2.0, 0.5
"""Bounds of the contract."""


def responses(study: Study) -> list[Response]:
    """Times of the plans of an experiment, without those of the first iteration."""
    later = study.plans[study.plans["iteration"] > 1]
    return [_response(kind, later, study.setting) for kind in _KINDS]


def _response(kind: _Kind, plans: pd.DataFrame, setting: Mapping[str, Any]) -> Response:
    values = plans[kind.column].dropna().to_numpy(dtype=np.float64)
    median, p90 = np.percentile(values, (50.0, 90.0)) if len(values) else (math.nan, math.nan)
    largest = float(values.max()) if len(values) else math.nan
    found = Response(
        kind.name, len(values), float(median), float(p90), largest, kind.published, "", NONE
    )
    required, holds = _required(kind.column, str(setting["mode"]))
    if not required:
        return found
    verdict = (HOLDS if holds(found) else FAILS) if len(values) else NONE
    return found._replace(required=required, verdict=verdict)


def _required(column: str, mode: str) -> tuple[str, _Holds]:
    """What must hold of a time, in words and as a test."""
    if column == "decided_s":
        return f"always < {DECIDED_S:g} s", lambda r: r.largest < DECIDED_S
    if column == "moved_s" and mode == "prompt":
        return f"90 % < {PROMPT_P90_S:g} s", lambda r: r.p90 < PROMPT_P90_S
    if column == "moved_s":
        words = f"always ≤ {CYCLE_S:g} s, 90th percentile ≥ {CYCLE_P90_S:g} s"
        return words, lambda r: r.largest <= CYCLE_S and r.p90 >= CYCLE_P90_S
    return "", lambda r: True
