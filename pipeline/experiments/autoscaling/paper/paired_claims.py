"""Claims on the seeds of a run: paired differences under each open setting, and what they say.

The difference over all drifts is the mean of those under each of them, seed by seed. Its interval
has 95 %; those of single settings have 95 % for all settings of a claim together (Bonferroni), as
a sign that changes must not be one of many that change by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Bools, Floats
from algorithms.core.seeds import derive_seed
from algorithms.inference import paired
from algorithms.inference.intervals import Interval
from live.live_settings import BURSTS, DRIFT, EVEN
from pipeline.experiments.autoscaling.paper.group_claims import Claim
from pipeline.experiments.autoscaling.paper.open_settings import OPEN_SETTINGS, OpenSetting
from pipeline.reporting.sections.sign_verdicts import sign_of

ALL_DRIFTS = "all drifts"
"""``swept`` of the mean over all settings whose bursts drift."""

CONFIDENCE = 0.95

_SAME = 1e-9
"""Differences that are rounding."""

Row = dict[str, Any]


def differences(runs: pd.DataFrame, claim: Claim, seed: int) -> Iterator[Row]:
    """Rows of `claim_differences` of a claim, without its experiment.

    runs: Rows of `claim_runs` of the experiment, with a column ``label``.
    seed: Of the resamples.
    """
    for quantity, columns in claim.columns.items():
        sides = (claim.first, columns[0]), (claim.second, columns[1])
        first, second = (_values(runs, label, column) for label, column in sides)
        with np.errstate(invalid="ignore"):
            apart = first - second
        apart[np.abs(apart) < _SAME] = 0.0
        named = {"claim": claim.words, "quantity": quantity, "seeds": len(apart)}
        own = derive_seed(seed, "claims", claim.words, quantity)
        yield from (named | row for row in _rows(apart, own))


def _values(runs: pd.DataFrame, label: str, column: str) -> Floats:
    """Values by seed and open setting, float64[n, S]; NaN where there is none."""
    rows = runs[runs["label"] == label]
    table = rows.pivot(index="number", columns="swept", values=column).sort_index()
    names = [setting.words for setting in OPEN_SETTINGS]
    values: Floats = table.reindex(columns=names).to_numpy(np.float64)
    return values


def _rows(apart: Floats, seed: int) -> Iterator[Row]:
    known: Bools = np.asarray(np.isfinite(apart).all(axis=0))
    drifts = np.array([setting.arrivals == DRIFT for setting in OPEN_SETTINGS]) & known
    means = np.full((1, len(known)), math.nan)
    if known.any():
        resampled = paired.resampled_means(apart[:, known], seed)
        means = np.full((len(resampled), len(known)), math.nan)
        means[:, known] = resampled
    none = Interval(math.nan, math.nan, math.nan)
    pooled = none
    if drifts.any():
        over = float(apart[:, drifts].mean())
        pooled = paired.paired_interval(means[:, drifts].mean(axis=1), over, CONFIDENCE)
    nothing = dict.fromkeys(OpenSetting._fields)
    yield {"swept": ALL_DRIFTS, **nothing, **_interval(pooled)}
    joint = 1.0 - (1.0 - CONFIDENCE) / len(OPEN_SETTINGS)
    for place, setting in enumerate(OPEN_SETTINGS):
        mean = float(apart[:, place].mean())
        own = paired.paired_interval(means[:, place], mean, joint) if known[place] else none
        yield {"swept": setting.words, **setting._asdict(), **_interval(own)}


def _interval(interval: Interval) -> Row:
    values = zip(("difference", "low", "high"), interval, strict=True)
    return {name: None if math.isnan(value) else value for name, value in values}


class Judgement(NamedTuple):
    """What the settings of a claim say together."""

    sign: int
    """1 or -1 if the interval over all drifts lies above or below 0, else 0."""
    decided_by: str
    """What the sign changes with; empty if it does not."""
    seeds: int
    difference: float
    low: float
    high: float
    """`difference`, `low`, `high`: over all drifts; NaN if unknown."""
    ends: Mapping[str, tuple[float, float]]
    """Least and greatest difference by arrivals; NaN if unknown."""


def judged(rows: pd.DataFrame) -> Judgement:
    """Judge a claim. rows: Of `claim_differences`, of one claim and quantity."""
    is_pooled = rows["swept"] == ALL_DRIFTS
    pooled = rows[is_pooled].iloc[0]
    settings = rows[~is_pooled]
    difference, low, high = (_known(pooled[name]) for name in ("difference", "low", "high"))
    ends = {name: _ends(settings[settings["arrivals"] == name]) for name in (EVEN, BURSTS, DRIFT)}
    decided_by = _decided_by(settings[settings["arrivals"] != EVEN])
    seeds = int(pooled["seeds"])
    return Judgement(sign_of(low, high), decided_by, seeds, difference, low, high, ends)


def _known(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _ends(rows: pd.DataFrame) -> tuple[float, float]:
    values = rows["difference"].astype(float)
    return float(values.min()), float(values.max())


_DECIDERS: Sequence[tuple[str, str, Callable[[pd.DataFrame], pd.Series]]] = (
    ("shift_s", "the phase", lambda rows: rows["arrivals"] == BURSTS),
    ("shift_s", "the drift", lambda rows: rows["arrivals"] == DRIFT),
    ("cooldown_s", "the cooldown", lambda rows: rows["arrivals"].notna()),
    ("keys", "the keys", lambda rows: rows["arrivals"].notna()),
    ("arrivals", "the arrivals", lambda rows: rows["arrivals"].notna()),
)
"""What alone can change a sign: a column, its words and the rows that have it."""


def _decided_by(rows: pd.DataFrame) -> str:
    """The first thing that changes the sign while all else stays."""
    low, high = rows["low"].astype(float), rows["high"].astype(float)
    signs = [sign_of(*ends) for ends in zip(low, high, strict=True)]
    signed = rows.assign(sign=signs)
    for column, words, has in _DECIDERS:
        others = {"arrivals", "shift_s", "keys", "cooldown_s"} - {column}
        if column == "arrivals":
            others -= {"shift_s"}
        for _, group in signed[has(signed)].groupby(sorted(others)):
            if {1, -1} <= set(group["sign"]):
                return words
    return ""
