"""A published figure, the run's value for it, and the verdict; see `schemas.verdicts`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.inference.intervals import Interval, prediction_interval
from pipeline.reporting.sections import numbers
from schemas.verdicts import (
    CONSISTENT,
    EXACT,
    NO_INTERVAL,
    NOT_COMPARABLE,
    NOT_REPRODUCED,
    REPRODUCED,
    WIDEST,
)

COUNTED = ("consumers", "samples")
"""Units that the figure's name already contains."""


FEWEST_OF_QUANTILES = 39
"""Streams from which on their own least and greatest values bound one further stream at 95 %."""

_TAIL, _ROUNDING = 0.025, 1e-9


class Span(NamedTuple):
    """A published number as printed, or the range that it lies in (``low`` < ``high``)."""

    low: float
    high: float
    decimals: int

    @classmethod
    def of(cls, value: float, decimals: int = 0) -> Span:
        """One number, printed with so many decimals."""
        return cls(value, value, decimals)


class Verdict(NamedTuple):
    """A published figure and ours."""

    key: str
    """Name for programs; the same in every run."""
    figure: str
    published: str
    ours: str
    """`figure`, `published`, `ours`: texts for readers, numbers with their unit."""
    unit: str
    """Unit of ``published_value``, ``ours_value``, ``low`` and ``high``; "" if a statement is
    compared, not a number."""
    published_value: float
    ours_value: float
    low: float
    high: float
    """`low`, `high`: 95 % prediction interval for one further stream; NaN where there is none."""
    verdict: str
    note: str
    """Reason, if the verdict needs one."""

    interval: str
    """``low`` and ``high`` in words, a dash where there are none."""
    location: str = ""
    workload: str = ""
    subject: str = ""
    """`location`, `workload`, `subject`: section of the paper, what was run there, and which
    algorithms the figure is of."""


def written(value: float, unit: str, decimals: int) -> str:
    """A value with its unit."""
    if not math.isfinite(value):
        return numbers.plain(value)
    words = f"{value:,.{decimals}f}"
    return words if unit in COUNTED else f"{words}{numbers.SPACE}{unit}"


def one_more(key: str, figure: str, unit: str, published: Span, streams: ArrayLike) -> Verdict:
    """Compare a published figure with the range of values for one more stream of ours.

    The paper's figures are from single streams, so they are compared with the 95 % prediction
    interval for one more stream, not with the narrower interval of our mean. With at least
    `FEWEST_OF_QUANTILES` streams, its ends are streams of ours and assume no distribution. With
    fewer it is that of normal values, cut at 0, which rejects few low values.
    """
    values = np.asarray(streams, dtype=np.float64)
    if not len(values) or not np.isfinite(values).all():
        return unknown(key, figure, unit, published, NOT_COMPARABLE, "our values are not finite")
    mean, low, high = one_further(values)
    shown = decimals(unit, published)
    base = unknown(key, figure, unit, published, NO_INTERVAL, "needs at least 2 streams")
    base = base._replace(ours=written(mean, unit, shown), ours_value=mean)
    if not math.isfinite(high):
        return base
    return base._replace(
        low=low,
        high=high,
        verdict=_within(published, low, high) if possible(published, low, high) else NOT_REPRODUCED,
        note="",
        interval=f"{low:,.{shown}f} to {written(high, unit, shown)}",
    )


def one_further(values: NDArray[np.float64]) -> Interval:
    """Mean, and 95 % prediction interval of one further value that is at least 0.

    One more of n + 1 exchangeable values lies outside the k-th least and the k-th greatest of the
    others in 2 k / (n + 1) of the cases.
    """
    if values.size < FEWEST_OF_QUANTILES:
        mean, low, high = (float(value) for value in prediction_interval(values))
        return Interval(mean, max(low, 0.0), high)
    ordered = np.sort(values)
    k = int(_TAIL * (values.size + 1) + _ROUNDING)
    return Interval(float(values.mean()), float(ordered[k - 1]), float(ordered[-k]))


def possible(published: Span, low: float, high: float) -> bool:
    """Whether the published figure lies within an interval.

    A single number is printed to some decimals: it stands for every value that rounds to it, and
    one of them has to lie within. A range has to lie within as a whole.
    """
    if published.low < published.high:
        return low <= published.low and published.high <= high
    rounding = 0.5 * 10.0**-published.decimals
    return low <= published.high + rounding and published.low - rounding <= high


def _within(published: Span, low: float, high: float) -> str:
    """Verdict on a published figure inside an interval; a wide interval is inconclusive."""
    value = (published.low + published.high) / 2
    return REPRODUCED if high - low <= 2 * WIDEST * value else CONSISTENT


def decimals(unit: str, published: Span) -> int:
    """Decimals of our values: those of the paper, at least one for percentages."""
    return max(published.decimals, 1) if unit == "%" else published.decimals


def exactly(key: str, figure: str, unit: str, published: Span, ours: float) -> Verdict:
    """On the authors' own stream: equal at the printed decimals, or within the range."""
    inside = published.low <= round(ours, published.decimals) <= published.high
    ranged = published.low < published.high
    verdict, note = NOT_REPRODUCED, ""
    if inside and ranged:
        verdict, note = _within(published, published.low, published.high), "within the range"
    elif inside:
        at = f"at {published.decimals} decimals" if published.decimals else ""
        verdict, note = EXACT, f"equal {at}".rstrip()
    return unknown(key, figure, unit, published, verdict, note)._replace(
        ours=written(ours, unit, published.decimals), ours_value=ours
    )


def statement(key: str, figure: str, published: str, ours: str, holds: bool, note: str) -> Verdict:
    """Verdict on a published statement that is not a number."""
    verdict = REPRODUCED if holds else NOT_REPRODUCED
    return unknown(key, figure, "", published, verdict, note)._replace(ours=ours)


def unknown(
    key: str, figure: str, unit: str, published: Span | str, verdict: str, note: str
) -> Verdict:
    """Verdict without a value of ours."""
    nan, dash = math.nan, numbers.MISSING
    if isinstance(published, str):
        words, value = published, nan
    else:
        words, value = span_text(published, unit), (published.low + published.high) / 2
    return Verdict(key, figure, words, dash, unit, value, nan, nan, nan, verdict, note, dash)


def span_text(span: Span, unit: str) -> str:
    """A published number or range as printed, with its unit."""
    last = written(span.high, unit, span.decimals)
    return last if span.low == span.high else f"{span.low:,.{span.decimals}f} to {last}"
