"""A published figure of autoscaling, our value for it, and the verdict; see `schemas.verdicts`."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from pipeline.reporting.sections import numbers
from schemas.verdicts import EXACT, NOT_COMPARABLE, NOT_REPRODUCED

_NUMBER = re.compile(r"\d+(?:\.(\d+))?")


class Printed(NamedTuple):
    """A figure as a paper prints it."""

    text: str
    """As printed, ``97.4`` or ``< 1``."""
    value: float
    """Its first number; NaN without one."""
    decimals: int
    """Printed decimals of that number."""
    is_bound: bool = False
    """Whether the figure is only said to be below the number."""

    @classmethod
    def of(cls, text: str) -> Printed:
        """Read the first number of a text; ``<`` or ``never above`` make it a bound."""
        number = _NUMBER.search(text)
        if number is None:
            return cls(text, math.nan, 0)
        is_bound = text.startswith(("<", "never above"))
        return cls(text, float(number[0]), len(number[1] or ""), is_bound)

    def matches(self, value: float) -> bool:
        """Whether a value is printed like this, rounded or cut off after the last decimal."""
        if self.is_bound or not math.isfinite(value):
            return False
        last_digit = 10.0**self.decimals
        cut_off = math.floor(value * last_digit + 1e-9) == round(self.value * last_digit)
        return cut_off or f"{value:.{self.decimals}f}" == f"{self.value:.{self.decimals}f}"


class Comparison(NamedTuple):
    """A published figure and ours."""

    key: str
    """Name for programs: unique, and the same in every run."""
    source: str
    location: str
    """`source`, `location`: paper or proposal, and the place in it."""
    workload: str
    strategy: str
    setting: str
    """`workload`, `strategy`, `setting`: what the figure is of: in the source's words, and as a
    candidate of `algorithms.autoscaling.candidates`."""
    figure: str
    unit: str
    """`figure`, `unit`: what was measured."""
    published: str
    published_value: float
    """`published`, `published_value`: as printed, and its number; NaN if it has none."""
    ours: str
    ours_value: float
    """`ours`, `ours_value`: our value; a dash and NaN if there is none."""
    difference: str
    """``+`` or ``-`` if ours is above or below the printed digits, ``=`` if it is printed like
    them, else empty."""
    verdict: str
    note: str
    """`verdict`, `note`: one of `schemas.verdicts`, and the reason if it needs one."""


def difference(printed: Printed, value: float) -> str:
    """Sign of our value less the printed one; ``=`` if it is printed like that."""
    if math.isnan(printed.value) or math.isnan(value):
        return ""
    if printed.matches(value):
        return "="
    return "+" if value > printed.value else "-"


def verdict_on(printed: Printed, value: float, computed: bool) -> str:
    """Verdict on a number.

    Parameters
    ----------
    value : float
        Ours, NaN if there is none.
    computed : bool
        Whether the figure follows from the published input. One that was measured on a cluster is
        not comparable, however close it is.
    """
    if not computed or math.isnan(value):
        return NOT_COMPARABLE
    return EXACT if printed.matches(value) else NOT_REPRODUCED


def value_text(printed: Printed, value: float) -> str:
    """Our value with more decimals than the printed one, unless it is an integer."""
    if not math.isfinite(value) or abs(value - round(value)) < 1e-9:
        return numbers.fixed(value, printed.decimals)
    return numbers.fixed(value, max(printed.decimals + 1, 3))
