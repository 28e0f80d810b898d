"""Estimates of an application's rates and variabilities from the measurements of its windows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.simulation.application_measures import Window


class Estimates(NamedTuple):
    """Estimates for F functions, each from the last window that allowed it."""

    rate: Floats
    entered: Floats
    """`rate`, `entered`: float64[F]: arrivals, and those from sources, events/s. A rate is NaN
    before the first arrival, `entered` is 0."""
    mu: Floats
    """float64[F]: events/s of one instance: the inverse of the mean service time; NaN before the
    first completion."""
    true_rate: Floats
    """float64[F]: completions per instance-second of service; NaN before the first completion."""
    ca: Floats
    cs: Floats
    """`ca`, `cs`: float64[F]: coefficients of variation of the times between arrivals and of
    service times; 1 before the first window with two of them."""


class Analysis(NamedTuple):
    """All that a policy knows when it decides."""

    time: float
    """Seconds since the start."""
    window: Window
    """Measurements since the last decision."""
    estimates: Estimates
    """Estimates from this window, and from earlier ones where it had no events."""
    instances: Longs
    """int64[F]: instances asked for."""


def first_estimates(functions: int) -> Estimates:
    """Estimates of a number of functions before anything was measured."""
    none, one = np.full(functions, np.nan), np.ones(functions)
    return Estimates(none, np.zeros(functions), none, none, one, one)


def updated(last: Estimates, window: Window) -> Estimates:
    """Estimates after a window. Without events in it, the last ones stay. O(F)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return Estimates(
            rate=_either(window.arrivals > 0, window.arrivals / window.seconds, last.rate),
            entered=_either(window.entered > 0, window.entered / window.seconds, last.entered),
            mu=_either(window.service_mean > 0.0, 1.0 / window.service_mean, last.mu),
            true_rate=_either(
                (window.completions > 0) & (window.busy > 0.0),
                window.completions / window.busy,
                last.true_rate,
            ),
            # A variance takes two values: two times between arrivals are three arrivals.
            ca=_either(
                (window.arrivals > 2) & (window.gap_mean > 0.0),
                np.sqrt(window.gap_variance) / window.gap_mean,
                last.ca,
            ),
            cs=_either(
                (window.completions > 1) & (window.service_mean > 0.0),
                np.sqrt(window.service_variance) / window.service_mean,
                last.cs,
            ),
        )


def _either(is_measured: np.ndarray, measured: Floats, last: Floats) -> Floats:
    return np.where(is_measured, measured, last)
