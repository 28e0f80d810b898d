"""Numbers as readers see them: page, figures and terminal agree."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal

from pipeline.base.text import durations
from schemas.metric import Metric

SPACE = durations.SPACE
MISSING = "–"

LONG_S = 600.0
"""Latencies from this length on are given in minutes and hours."""

LEAST_PERCENT = 1e-4
"""Bounds of shares from here on are given in percent."""


def plain(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, thousands separated."""
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    return f"{value:,.{min(decimals, 6)}f}"


def latency(seconds: float) -> str:
    r"""A latency, to the millisecond below a second; simulated steps show no less.

    Examples
    --------
    >>> latency(2.5e-7), latency(0.025), latency(31.27)
    ('<\xa00.001', '0.025', '31.3')
    """
    if 0.0 < seconds < 5e-4:
        return f"<{SPACE}0.001"
    return f"{seconds:.3f}" if 0.0 < seconds < 0.9995 else plain(seconds)


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals, thousands separated."""
    return plain(value) if not math.isfinite(value) else f"{value:,.{decimals}f}"


def percent(share: float, decimals: int = 1) -> str:
    """A share as a percentage."""
    return share_text(100 * share, decimals)


def share_text(value: float, decimals: int = 1) -> str:
    """A percentage; one too small for its decimals says so."""
    if not math.isfinite(value):
        return plain(value)
    if 0 < abs(value) < 0.5 * 10**-decimals:
        return f"<{SPACE}{10**-decimals:.{decimals}f}{SPACE}%"
    return f"{value:.{decimals}f}{SPACE}%"


def at_most(share: float) -> str:
    r"""A share that is an upper bound, in two digits; rounded up, so that it remains a bound.

    Examples
    --------
    >>> at_most(0.0025), at_most(3 / 860_000)
    ('0.25\xa0%', '3.5\xa0in a million')
    """
    factor, unit = (100, "%") if share >= LEAST_PERCENT else (1_000_000, "in a million")
    # A float's text is decimal, so that what has two digits stays as it is.
    bound = Context(prec=2, rounding=ROUND_CEILING).multiply(Decimal(str(share)), Decimal(factor))
    return f"{bound:f}{SPACE}{unit}"


def seconds(value: float) -> str:
    """A latency in seconds, one decimal less for each power of ten; from ten minutes a duration."""
    if not math.isfinite(value):
        return MISSING if math.isnan(value) else "unbounded"
    if value == 0:
        return f"0{SPACE}s"
    if value < 0.001:
        return f"<{SPACE}1{SPACE}ms"
    if value >= LONG_S:
        return duration(value)
    decimals = 3 if value < 1 else 2 if value < 100 else 0
    return f"{value:,.{decimals}f}{SPACE}s"


def of_metric(metric: Metric, value: float, unit: bool = True) -> str:
    """A stored value of a metric as readers see it, with or without its unit."""
    if metric.decimals is None:
        if not unit and not math.isfinite(value):
            return plain(value)
        return seconds(value) if unit else _bare_seconds(value)
    text = fixed(metric.factor * value, metric.decimals)
    return f"{text}{SPACE}{metric.unit}" if unit and metric.unit and math.isfinite(value) else text


def _bare_seconds(value: float) -> str:
    """A latency in a column of seconds; long ones keep their units."""
    return seconds(value) if value >= LONG_S else seconds(value).removesuffix("s").rstrip()


def duration(value: float) -> str:
    """A running time."""
    return durations.duration(value)


def volume(value: float) -> str:
    """An amount of data in three digits, with a decimal unit."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= 0.9995 * size:
            return f"{plain(value / size)}{SPACE}{unit}"
    return f"{plain(value)}{SPACE}bytes"


def count(value: float) -> str:
    """An integer, thousands separated."""
    return plain(value) if not math.isfinite(value) else f"{round(value):,}"


def delta(value: float) -> str:
    """A δ value, or a placeholder for none."""
    return "recorded" if math.isnan(value) else f"{value:g}"


def listing(names: list[str]) -> str:
    """Words in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]
