"""Figures of a recommendation as text, with the digits that they deserve."""

from __future__ import annotations

import math

from algorithms.autoscaling import registry
from algorithms.autoscaling.strategy import PACKING
from algorithms.inference.intervals import Interval
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.reporting.sections import numbers


def shown(value: float) -> str:
    """Three digits, whole numbers without decimals; 9.99999 is 10."""
    if math.isfinite(value) and abs(value - round(value)) < 5e-4 * max(abs(value), 1e-300):
        return f"{round(value):,}"
    return numbers.plain(float(f"{value:.3g}"))


def is_spread(interval: Interval) -> bool:
    """Whether the ends of an interval differ as they are shown."""
    return not math.isnan(interval.low) and shown(interval.low) != shown(interval.high)


def in_time(judged: Judged) -> str:
    """Share of the events in time, rounded down: a share just below the objective stays below."""
    share = math.floor(1e5 * judged.on_time.mean + 1e-6) / 1e3
    return f"{share:.3f}{numbers.SPACE}%"


def share_of_weeks(share: float) -> str:
    """A share of the drawn weeks, rounded down as `in_time` is: of 2,000, none is not never."""
    if math.isnan(share):
        return ""
    if share > 0.995:
        return f">{numbers.SPACE}99{numbers.SPACE}%"
    whole = math.floor(1e2 * share + 1e-6) / 1e2
    return numbers.percent(whole, 0) if share >= 0.01 else f"<{numbers.SPACE}1{numbers.SPACE}%"


def name(judged: Judged) -> str:
    """A candidate in words; one that places partitions itself has no assignor."""
    candidate, assignor = judged.run.candidate, judged.run.consumers.assignor
    if registry.get(candidate.strategy).family == PACKING:
        return candidate.label
    if candidate.strategy == "constant":
        replicas = judged.outcome.settings["initial_replicas"]
        return f"{replicas:,} constant replica{'s' * (replicas != 1)} with assignor {assignor}"
    return f"{candidate.label} with assignor {assignor}"


def brief(judged: Judged) -> str:
    """A candidate in a table."""
    replicas = judged.outcome.settings["initial_replicas"]
    is_constant = judged.run.candidate.strategy == "constant"
    return f"{replicas:,} constant" if is_constant else judged.run.candidate.label
