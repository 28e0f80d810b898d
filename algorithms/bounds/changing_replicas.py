"""Bounds for bursts that are late after their step, whenever the number of replicas changes.

A replica is paid for `ready_s` before it serves. So one that serves two bursts is paid for in
between, or a second time before it serves again.
"""

from __future__ import annotations

import numpy as np

from algorithms.bounds.plan_terms import Terms
from algorithms.bounds.replica_chain import least_cost
from algorithms.core.arrays import Floats


def lower_bound(loads: Floats, terms: Terms, weight: float) -> float:
    """Return the greatest of the bounds that hold for the group.

    loads: float64[N, P], events of each burst.
    terms: The group; its events are late after their step.
    weight: Replica-seconds per late event.

    The proof is in docs/autoscaling-bounds.md. O(N (P + R)).
    """
    greatest = _partly_used(loads, terms, weight)
    if terms.ready_s >= terms.step_s + terms.window_s:
        greatest = max(greatest, _fully_used(loads, terms, weight))
    return greatest


def _partly_used(loads: Floats, terms: Terms, weight: float) -> float:
    """A replica may serve for any part of a window, in every window."""
    counts, gap_s, floor_s = _counts(terms), terms.step_s - terms.window_s, _floor_s(terms)
    events, possible = _events(loads, terms)
    used_s = np.full((events.size, counts.size), terms.low * terms.window_s)
    if weight * terms.mu > 1.0:
        used_s = np.clip(possible[:, None] / terms.mu, used_s, counts * terms.window_s)
    late = events[:, None] - np.minimum(terms.mu * used_s, possible[:, None])
    costs = used_s + weight * late
    kept_s = min(terms.ready_s, gap_s)
    return floor_s + least_cost(costs, np.zeros(counts.size), kept_s, terms.ready_s)


def _fully_used(loads: Floats, terms: Terms, weight: float) -> float:
    """A replica serves in whole windows, for which each run of them gets two windows back."""
    counts, gap_s, floor_s = _counts(terms), terms.step_s - terms.window_s, _floor_s(terms)
    events, possible = _events(loads, terms)
    used_s = counts * terms.window_s
    late = events[:, None] - np.minimum(terms.mu * used_s, possible[:, None])
    costs = used_s + weight * late
    first = -terms.window_s * (counts - terms.low)
    up_s = terms.ready_s - 2.0 * terms.window_s
    return floor_s + least_cost(costs, first, gap_s, up_s)


def _counts(terms: Terms) -> Floats:
    return np.array(terms.replicas, dtype=np.float64)


def _floor_s(terms: Terms) -> float:
    """Replica-seconds of the least number of replicas between the windows."""
    return terms.low * terms.steps * (terms.step_s - terms.window_s)


def _events(loads: Floats, terms: Terms) -> tuple[Floats, Floats]:
    """Events of each burst, and those that can be in time if no partition is ever shared."""
    possible = np.minimum(loads, terms.mu * terms.window_s)
    return loads.sum(axis=1), possible.sum(axis=1)
