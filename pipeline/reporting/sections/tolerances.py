"""How near our value must be to a published figure: the rules that a figure can be judged by.

A rule gets the figure as printed, its unit, and what the run says of it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.inference.claim_shares import exact_share, word_of
from algorithms.inference.intervals import Interval, prediction_interval
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.printed_value import Printed, with_unit, written
from schemas.verdicts import (
    CONSISTENT,
    EXACT,
    NO_INTERVAL,
    NOT_COMPARABLE,
    NOT_REPRODUCED,
    OPEN,
    REPRODUCED,
    WIDEST,
)

FEWEST_OF_QUANTILES = 39
"""Streams from which on their own least and greatest values bound one further stream at 95 %."""

LEAST_REPEATS = 5
"""Repeats on a real system from which on there are verdicts."""

ALMOST_ALL = 0.95
"""Share of the seeds in which a claim holds almost always: the stricter reading, which is noted."""

_TAIL, _ROUNDING = 0.025, 1e-9


class Measured(NamedTuple):
    """What a run says of a published figure."""

    values: Sequence[float] = ()
    """Our values, one per stream or seed: a number, or whether a claim holds."""
    words: str = ""
    """Our side in words."""
    interval: tuple[float, float] = (math.nan, math.nan)
    """95 % interval of our value, if the run has it; NaN otherwise."""
    says: str = ""
    """Verdict that the claim's own rule gives; see `by_own_rule`."""
    holds: bool = False
    """Whether a statement holds."""
    note: str = ""
    missing: str = ""
    """Why nothing can be compared; empty if something can."""


class Judged(NamedTuple):
    """Outcome of a rule."""

    verdict: str
    """One of `schemas.verdicts`."""
    ours: str = numbers.MISSING
    """Our value in words."""
    our_value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """`low`, `high`: 95 % interval, for one further stream or of our value; NaN without one."""
    interval: str | None = None
    """The interval in words."""
    difference: str | None = None
    """``+`` or ``-`` if ours is above or below the printed digits, ``=`` if printed like them."""
    note: str = ""
    """Reason, if the verdict needs one."""


Tolerance = Callable[[Printed, str, Measured], Judged]


def as_printed(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Computed from the published input: equal when rounded or cut off like the printed digits."""
    (ours,) = measured.values
    if math.isnan(ours):
        return Judged(NOT_COMPARABLE)
    verdict = EXACT if printed.matches(ours) else NOT_REPRODUCED
    return Judged(verdict, printed.beside(ours), ours, difference=printed.difference(ours))


def rounded(printed: Printed, unit: str, measured: Measured) -> Judged:
    """On the authors' own stream: equal at the printed decimals, or within the range."""
    ours = float(measured.values[0])
    verdict, note = NOT_REPRODUCED, ""
    if printed.rounds_from(ours) and printed.is_range:
        verdict, note = _within(printed, printed.low, printed.high), "within the range"
    elif printed.rounds_from(ours):
        at = f" at {printed.decimals} decimals" if printed.decimals else ""
        verdict, note = EXACT, f"equal{at}"
    sign = "=" if verdict == EXACT else None
    return Judged(verdict, written(ours, unit, printed.decimals), ours, difference=sign, note=note)


def one_more_stream(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Compare a figure of a single stream with the range of values for one more stream of ours.

    That is the 95 % prediction interval, not the narrower interval of our mean. With at least
    `FEWEST_OF_QUANTILES` streams, its ends are streams of ours and assume no distribution. With
    fewer it is that of normal values, cut at 0, which rejects few low values.
    """
    values = np.asarray(measured.values, dtype=np.float64)
    if not len(values) or not np.isfinite(values).all():
        return Judged(NOT_COMPARABLE, note="our values are not finite")
    mean, low, high = one_further(values)
    decimals = max(printed.decimals, 1) if unit == "%" else printed.decimals
    ours = written(mean, unit, decimals)
    if not math.isfinite(high):
        return Judged(NO_INTERVAL, ours, mean, note="needs at least 2 streams")
    verdict = _within(printed, low, high) if printed.possible(low, high) else NOT_REPRODUCED
    interval = f"{low:,.{decimals}f} to {written(high, unit, decimals)}"
    return Judged(verdict, ours, mean, low, high, interval)


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


def _within(printed: Printed, low: float, high: float) -> str:
    """Verdict on a published figure inside an interval; a wide interval is inconclusive."""
    return REPRODUCED if high - low <= 2 * WIDEST * printed.value else CONSISTENT


def most_seeds(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Judge a claim by the share of seeds in which it holds; the note has the stricter reading."""
    count, seeds = sum(map(bool, measured.values)), len(measured.values)
    _, low, high = exact_share(count, seeds)
    also = "also" if count >= ALMOST_ALL * seeds else "not"
    note = f"95 % interval of the share {low:.0%} to {high:.0%}; {also} in {ALMOST_ALL:.0%} of all"
    verdict = word_of(low, high) if seeds > 1 else NO_INTERVAL
    return Judged(verdict, f"in {count} of {seeds} seeds", note=note)


def too_few(repeats: int) -> str:
    """Why so many repeats on a real system have no verdict; empty if they are enough.

    >>> too_few(1), too_few(3), too_few(LEAST_REPEATS)
    ('one repeat', '3 repeats, not 5', '')
    """
    if repeats >= LEAST_REPEATS:
        return ""
    return "one repeat" if repeats == 1 else f"{repeats} repeats, not {LEAST_REPEATS}"


def repeated(rule: Tolerance) -> Tolerance:
    """A rule for runs on a real system, which says nothing of fewer than `LEAST_REPEATS`."""

    def judge(printed: Printed, unit: str, measured: Measured) -> Judged:
        judged = rule(printed, unit, measured)
        note = too_few(len(measured.values))
        return judged._replace(verdict=OPEN, note=note) if note else judged

    return judge


def spread_over_seeds(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Only show the mean over seeds, with the interval of one more, beside the figure."""
    mean, low, high = prediction_interval(measured.values)
    ours, *ends = (printed.beside(value) for value in (mean, max(low, 0.0), high))
    words = ours if math.isnan(low) else f"{ours} ({ends[0]} to {ends[1]})"
    return Judged(NOT_COMPARABLE, words, mean, difference=printed.difference(mean))


class Bound(NamedTuple):
    """What must hold of our values, such as ``maximum < 1``."""

    name: str
    """Of the quantile, for readers."""
    quantile: float
    """Share of our values that are below it; any if there is one value."""
    sign: str
    """A key of `_SIGNS`."""
    limit: float

    def of(self, values: Sequence[float]) -> float:
        """The quantile."""
        return float(np.quantile(values, self.quantile))

    def holds(self, values: Sequence[float]) -> bool:
        """Whether our values keep it."""
        return _SIGNS[self.sign](self.of(values), self.limit)

    def text(self, unit: str) -> str:
        """The bound in words."""
        return f"{self.name} {self.sign} {with_unit(f'{self.limit:g}', unit)}"


_SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "≤": operator.le,
    "≥": operator.ge,
}


def bounded(*bounds: Bound) -> Tolerance:
    """A rule for what a paper shows as a distribution: ours keeps all bounds."""

    def judge(printed: Printed, unit: str, measured: Measured) -> Judged:
        holds = all(bound.holds(measured.values) for bound in bounds)
        required = ", ".join(bound.text(unit) for bound in bounds)
        return Judged(
            REPRODUCED if holds else NOT_REPRODUCED,
            measured.words,
            bounds[0].of(measured.values),
            note=f"required: {required}",
        )

    return judge


def shown(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Only show the median of our values beside the figure."""
    return Judged(NOT_COMPARABLE, measured.words, float(np.median(measured.values)))


def by_own_rule(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Judge a claim by its own rule for the interval of our value."""
    (value,), (low, high) = measured.values, measured.interval
    interval = None if math.isnan(low) else f"{low:.2f} to {high:.2f}"
    return Judged(measured.says, measured.words, value, low, high, interval)


def same_words(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Judge a worked example: ours is written like it."""
    same = printed.text == measured.words
    verdict, sign = (EXACT, "=") if same else (NOT_REPRODUCED, None)
    return Judged(verdict, measured.words, difference=sign)


def stated(printed: Printed, unit: str, measured: Measured) -> Judged:
    """Judge a statement that is not a number."""
    return Judged(REPRODUCED if measured.holds else NOT_REPRODUCED, measured.words)
