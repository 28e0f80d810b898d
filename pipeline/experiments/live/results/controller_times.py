"""How fast the controller responds, compared with published times, with verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.experiments.live.results.live_study import Study
from schemas.verdicts import NOT_COMPARABLE, NOT_REPRODUCED, REPRODUCED

NONE = ""
"""In place of a verdict: nothing is published, or there are no plans."""


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
    published: str
    """What the paper prints; empty for nothing."""
    required: str
    """What must hold for the verdict; empty if nothing is required."""
    verdict: str
    """One of `schemas.verdicts`, or `NONE`."""
    note: str
    """Reason, if the verdict needs one."""


class _Kind(NamedTuple):
    column: str
    name: str
    published: str
    note: str = ""


_KINDS = (
    _Kind("speeds_known_s", "Δt1: speeds known", "30 s (the window)", "the window is a setting"),
    _Kind("decided_s", "Δt2: decided", "< 1 s (1,345 observations)"),
    _Kind("handed_s", "of it: commands handed over", ""),
    _Kind(
        "created_s",
        "Δt3: consumers ready",
        "88 % in 10–50 s, at most 500 s (273 observations)",
        "the authors start containers in Kubernetes",
    ),
    _Kind("moved_s", "Δt4: partitions moved", "about 5 s, two cycles (1,331 observations)"),
    _Kind("gap_max_s", "longest gap of a moved partition", ""),
)

_PROMPT = "consumers look for commands every 20 ms, not once per cycle"

_Holds = Callable[[Response], bool]

DECIDED_S, CYCLE_S, CYCLE_P90_S, PROMPT_P90_S = 1.0, 5.5, 2.0, 0.5
"""Bounds of the contract."""


def responses(study: Study) -> list[Response]:
    """Times of the plans of an experiment, without those of the first iteration."""
    mode = str(study.setting["mode"])
    return [_response(kind, times(study, kind.column), mode) for kind in _KINDS]


def times(study: Study, column: str) -> np.ndarray:
    """A column of the experiment's plans after the first iteration, s, without missing values."""
    later: pd.Series = study.plans.loc[study.plans["iteration"] > 1, column]
    return np.asarray(later.dropna(), dtype=np.float64)


def _response(kind: _Kind, values: np.ndarray, mode: str) -> Response:
    median, p90 = np.percentile(values, (50.0, 90.0)) if len(values) else (math.nan, math.nan)
    largest = float(values.max()) if len(values) else math.nan
    base = Response(
        *(kind.name, len(values), float(median), float(p90), largest, kind.published),
        *("", NONE, ""),
    )
    if not len(values):
        return base._replace(required=_required(kind.column, mode)[0])
    if kind.note:
        return base._replace(verdict=NOT_COMPARABLE, note=kind.note)
    required, holds = _required(kind.column, mode)
    if not required:
        return base
    verdict = REPRODUCED if holds(base) else NOT_REPRODUCED
    note = _PROMPT if kind.column == "moved_s" and mode == "prompt" else ""
    return base._replace(required=required, verdict=verdict, note=note)


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
