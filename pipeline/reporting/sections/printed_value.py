"""A value as a paper prints it, and ours beside it."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from pipeline.reporting.sections import numbers

COUNTED = ("consumers", "samples")
"""Units that the figure's name already contains."""

_NUMBER = r"\d[\d,]*(?:\.(\d+))?"
_FIRST = re.compile(rf"({_NUMBER})(?: to ({_NUMBER}))?")


class Printed(NamedTuple):
    """A number, a range (``low`` < ``high``) or a statement as a paper prints it."""

    text: str
    """As readers see it: ``97.4``, ``15.0 to 15.2`` or ``< 1``."""
    low: float = math.nan
    high: float = math.nan
    """`low`, `high`: the same for one number, NaN for a statement."""
    decimals: int = 0
    """Printed decimals of the first number."""
    is_bound: bool = False
    """Whether the figure is only said to be below the number."""

    @classmethod
    def of(cls, text: str) -> Printed:
        """Read the first number or range of a text; ``<`` or ``never above`` make it a bound.

        Examples
        --------
        >>> Printed.of("15.0 to 15.2 consumers")[1:], Printed.of("< 1")[1:]
        ((15.0, 15.2, 1, False), (1.0, 1.0, 0, True))
        """
        number = _FIRST.search(text)
        if number is None:
            return cls(text)
        low = float(number[1].replace(",", ""))
        high = float(number[3].replace(",", "")) if number[3] else low
        is_bound = text.startswith(("<", "never above"))
        return cls(text, low, high, len(number[2] or ""), is_bound)

    @property
    def value(self) -> float:
        """The number, or the middle of the range."""
        return (self.low + self.high) / 2

    @property
    def is_range(self) -> bool:
        """Whether two numbers are printed."""
        return self.low < self.high

    def matches(self, value: float) -> bool:
        """Whether a value is printed like this, rounded or cut off after the last decimal."""
        if self.is_bound or not math.isfinite(value):
            return False
        last_digit = 10.0**self.decimals
        cut_off = math.floor(value * last_digit + 1e-9) == round(self.value * last_digit)
        return cut_off or f"{value:.{self.decimals}f}" == f"{self.value:.{self.decimals}f}"

    def rounds_from(self, value: float) -> bool:
        """Whether a value rounds to this number, or into this range."""
        return self.low <= round(value, self.decimals) <= self.high

    def possible(self, low: float, high: float) -> bool:
        """Whether the published figure lies within an interval.

        A single number is printed to some decimals: it stands for every value that rounds to it,
        and one of them has to lie within. A range has to lie within as a whole.
        """
        if self.is_range:
            return low <= self.low and self.high <= high
        rounding = 0.5 * 10.0**-self.decimals
        return low <= self.high + rounding and self.low - rounding <= high

    def difference(self, value: float) -> str | None:
        """Sign of our value less the printed one; ``=`` if it is printed like that."""
        if math.isnan(self.value) or math.isnan(value):
            return None
        if self.matches(value):
            return "="
        return "+" if value > self.value else "-"

    def beside(self, value: float) -> str:
        """Our value with more decimals than the printed one, unless it is an integer."""
        if not math.isfinite(value) or abs(value - round(value)) < 1e-9:
            return numbers.fixed(value, self.decimals)
        return numbers.fixed(value, max(self.decimals + 1, 3))


def with_unit(text: str, unit: str) -> str:
    """A number in words with its unit, unless the figure's name contains that."""
    return f"{text}{numbers.SPACE}{unit}" if unit and unit not in COUNTED else text


def written(value: float, unit: str, decimals: int) -> str:
    """A value with its unit."""
    if not math.isfinite(value):
        return numbers.plain(value)
    return with_unit(f"{value:,.{decimals}f}", unit)
