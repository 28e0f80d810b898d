"""The front beyond which no strategy is: least replica-minutes for each share of events in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from algorithms.bounds.clairvoyant_plan import Plan, clairvoyant_plans, plan_weights
from algorithms.bounds.plan_terms import check_group
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError

_ROUNDING = 1e-9
"""Relative difference of numbers that are equal up to rounding."""


class BoundFront(NamedTuple):
    """Corners of a convex curve below which no strategy is."""

    sla_percent: Floats
    """float64[m]: events in time, in %, ascending from 0 to 100."""
    replica_minutes: Floats
    """float64[m]: least replica-minutes with that many events in time; straight between corners.
    Where they exceed those of the most replicas for the whole time, so many events are never in
    time."""
    proved: bool
    """Whether the curve is proved for every strategy."""


class Regret(NamedTuple):
    """How far strategies are from a front."""

    least_minutes: Floats
    """float64[n]: least replica-minutes at the strategy's share of events in time."""
    minutes: Floats
    """float64[n]: replica-minutes above that."""
    share: Floats
    """float64[n]: the same, relative to the least ones; NaN where these are 0."""


def bound_front(
    rates: Floats,
    settings: Mapping[str, Any] | None = None,
    weights: Sequence[float] | None = None,
) -> BoundFront:
    """Return the front of the bounds for a sweep of weights.

    rates, settings: As for `algorithms.bounds.clairvoyant_plan.clairvoyant_plan`.
    weights: Replica-seconds per late event. Defaults to
        `algorithms.bounds.clairvoyant_plan.plan_weights`, and those at which two plans for
        neighbouring ones cost the same.
    Raises InvalidParameterError if the rates, a weight or a setting is invalid, or there is no
        weight.

    A bound ``b`` at weight ``w`` says that every strategy with ``x`` replica-seconds and ``y`` late
    events has ``x + w y >= b``. The curve is the boundary of what all of these allow: the greatest
    ``b - w y``. Further weights can only raise it.

    >>> rates = np.array([[20.0, 20.0], [80.0, 80.0], [20.0, 20.0]])
    >>> front = bound_front(rates, {"arrivals": "burst", "rebalance_s": 0.0})
    >>> front.sla_percent.round(2).tolist(), front.replica_minutes.round(4).tolist()
    ([0.0, 74.79, 100.0], [0.05, 0.05, 0.0667])
    """
    workload, terms = check_group(rates, settings)
    sweep = plan_weights(terms.mu) if weights is None else tuple(weights)
    if not sweep:
        raise InvalidParameterError("weights must have at least 1 value (got 0)")
    plans = clairvoyant_plans(rates, sweep, settings)
    if weights is None:
        plans += clairvoyant_plans(rates, _weights_between(plans), settings)
    return front_of(plans, float(workload.sum()) * terms.step_s)


def _weights_between(plans: Sequence[Plan]) -> list[float]:
    """Weights at which neighbouring plans cost the same: bounds there touch both of them."""
    weights = []
    for one, other in pairwise(plans):
        fewer, more_s = one.late - other.late, other.replica_seconds - one.replica_seconds
        if fewer > 0.0 and one.weight < more_s / fewer < other.weight:
            weights.append(more_s / fewer)
    return weights


def front_of(plans: Sequence[Plan], events: float) -> BoundFront:
    """Return the front of plans, at least one, for several weights of one workload."""
    lines = sorted({(plan.weight, plan.lower) for plan in plans})
    late = _corners(lines, events)
    seconds = [max(lower - weight * at for weight, lower in lines) for at in late]
    # Without events any share of them is in time.
    shares = [at / events if events > 0.0 else 1.0 - i for i, at in enumerate(late)]
    return BoundFront(
        sla_percent=100.0 * (1.0 - np.array(shares)),
        replica_minutes=np.array(seconds) / 60.0,
        proved=all(plan.proved for plan in plans),
    )


def _corners(lines: Sequence[tuple[float, float]], events: float) -> list[float]:
    """Late events at the corners of the greatest of lines ``b - w y``, from all events to 0."""
    if not events > 0.0:
        return [0.0, 0.0]
    corners = [events]
    while corners[-1] > 0.0:
        y = corners[-1]
        heights = [b - w * y for w, b in lines]
        # Of the greatest lines at a corner, the steepest is the greatest on its other side.
        greatest = max(heights) * (1.0 - _ROUNDING)
        weight, lower = max(line for line, at in zip(lines, heights, strict=True) if at >= greatest)
        crossings = [(b - lower) / (w - weight) for w, b in lines if w > weight]
        after = max([0.0, *crossings])
        corners.append(after if after < y - _ROUNDING * events else y - _ROUNDING * events)
    return [max(y, 0.0) for y in corners]


def regret(front: BoundFront, sla_percent: Floats, replica_minutes: Floats) -> Regret:
    """Compare strategies with the least replica-minutes at their share of events in time.

    front: The front of the workload.
    sla_percent, replica_minutes: float64[n], results of n simulations on that workload.
    Raises InvalidParameterError if the shapes differ, or a share is not between 0 and 100 %.

    >>> front = BoundFront(np.array([0.0, 80.0, 100.0]), np.array([1.0, 1.0, 2.0]), proved=True)
    >>> regret(front, np.array([90.0]), np.array([3.0])).share.tolist()
    [1.0]
    """
    shares = np.asarray(sla_percent, dtype=np.float64)
    minutes = np.asarray(replica_minutes, dtype=np.float64)
    if shares.ndim != 1 or shares.shape != minutes.shape:
        raise InvalidParameterError(
            "sla_percent and replica_minutes must have one number per simulation "
            f"(got shapes {shares.shape} and {minutes.shape})"
        )
    wrong = ~((shares >= 0.0) & (shares <= 100.0))
    if wrong.any():
        i = int(wrong.argmax())
        raise InvalidParameterError(
            f"sla_percent[{i}] must be between 0 and 100 (got {shares[i]}); "
            "leave out simulations without events"
        )
    least = np.interp(shares, front.sla_percent, front.replica_minutes)
    above = minutes - least
    share = np.full(least.shape, np.nan)
    np.divide(above, least, out=share, where=least > 0.0)
    return Regret(least, above, share)
