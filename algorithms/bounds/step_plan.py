"""The clairvoyant plan: one number of replicas per step, with known arrivals.

The plan pays for its replicas and for the events that they cannot serve in their step. A change of
the number costs the service that its rebalance must interrupt. Lag is not carried from a step to
the next. See docs/autoscaling-bounds.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.bounds.plan_terms import Terms
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating, kernel


class StepModel(NamedTuple):
    """All that a plan depends on, except the weight of a late event."""

    events: Floats
    """float64[N]: events that arrive in each step."""
    steady: Floats
    changed: Floats
    """`steady`, `changed`: float64[N, R]: late events of each step that R numbers of replicas
    cannot avoid, without a change of the number at the step's decision and with one."""
    capacity: Floats
    """float64[R, R]: events that replicas can serve in time in one step, by their number before and
    after the decision."""
    low: int
    """The least number of replicas."""
    before_s: float
    after_s: float
    """`before_s`, `after_s`: time in a step before and after its decision."""


class StepPlan(NamedTuple):
    """A plan with the least cost."""

    replicas: Longs
    """int64[N]: replicas after each step's decision."""
    replica_seconds: float
    late: float
    """`replica_seconds`, `late`: replica-seconds, and late events."""
    cost: float
    """``replica_seconds + weight * late``."""


def model(rates: Floats, terms: Terms) -> StepModel:
    """Return what plans for a workload depend on.

    Where a partition has one owner in each step, partitions cannot be divided among replicas: some
    replicas get more than others. O(N R P) then, else O(N P + R^2).
    """
    loads = rates * terms.step_s
    window_s = terms.window_s if terms.in_one_step else terms.step_s
    counts = np.array(terms.replicas)
    most = terms.mu * window_s
    alone = np.maximum(loads - most, 0.0).sum(axis=1)[:, None]
    steady = np.repeat(alone, counts.size, axis=1)
    changed = steady.copy()
    if terms.undivided:
        rest_s = max(window_s - terms.rebalance_s, 0.0) if terms.eager else window_s
        _raise_to_uneven(loads, counts, most, steady)
        _raise_to_uneven(loads, counts, terms.mu * rest_s, changed)
    served = [[_served_s(m, n, window_s, terms) for n in counts] for m in counts]
    return StepModel(
        events=loads.sum(axis=1),
        steady=steady,
        changed=changed,
        capacity=terms.mu * np.array(served),
        low=terms.low,
        before_s=terms.offset_s,
        after_s=terms.step_s - terms.offset_s,
    )


def _served_s(before: int, after: int, window_s: float, terms: Terms) -> float:
    """Replica-seconds of service from the start of a step, for as long as its window is."""
    first = before * min(terms.offset_s, window_s)
    rest_s = max(window_s - terms.offset_s, 0.0)
    if before == after:
        return first + after * rest_s
    joins = [terms.startup_s] if after > before else [0.0, terms.startup_s]
    return first + max(_changing_s(before, after, join_s, rest_s, terms) for join_s in joins)


def _changing_s(before: int, after: int, join_s: float, rest_s: float, terms: Terms) -> float:
    """Replica-seconds of service from a decision that changes the number."""
    both = min(before, after)
    # Partitions of a group without replicas may go back to their last owners, which is no move.
    unmoved = both if before > 0 else after
    phases = (
        (before, join_s),
        (both, terms.heartbeat_s),
        (0 if terms.eager else unmoved, terms.rebalance_s),
        (unmoved, terms.move_pause_s),
    )
    served, left_s = 0.0, rest_s
    for serving, length_s in phases:
        part_s = min(length_s, left_s)
        served += serving * part_s
        left_s -= part_s
    return served + after * left_s


@allocating
def _raise_to_uneven(loads: Floats, counts: Longs, most: float, late: Floats) -> None:
    """Raise late events to what is late if no partition is divided among replicas."""
    p = loads.shape[1]
    order, spare = np.empty(p, np.int64), np.empty(p, np.int64)
    for k in range(loads.shape[0]):
        sorting.descending(loads[k], order, spare)
        for i in range(counts.shape[0]):
            late[k, i] = max(late[k, i], _uneven(loads[k], order, counts[i], most))


@kernel
def _uneven(loads: Floats, order: Longs, n: int, most: float) -> float:
    """Late events that n replicas cannot avoid, each of which serves at most a given number.

    The j largest partitions have at least the load of the smallest of them. With equal loads, an
    even distribution has the fewest late events: the sum of a convex function of the counts.
    """
    greatest = 0.0
    for i in range(order.shape[0]):
        load = loads[order[i]]
        if n == 0:
            greatest += load
            continue
        each, more = (i + 1) // n, (i + 1) % n
        late = more * max((each + 1) * load - most, 0.0) + (n - more) * max(each * load - most, 0.0)
        greatest = max(greatest, late)
    return greatest


def best(step_model: StepModel, weight: float) -> StepPlan:
    """Return a plan with the least replica-seconds and weighted late events.

    weight: Replica-seconds per late event.

    Dynamic programming over (step, replicas): O(N R^2). Of equally good numbers of replicas, the
    plan takes the lower one.
    """
    path, late = _best(step_model, weight)
    counts = step_model.low + path
    seconds = counts[:-1].sum() * step_model.before_s + counts[1:].sum() * step_model.after_s
    return StepPlan(counts[1:], float(seconds), late, float(seconds) + weight * late)


@allocating
def _best(step_model: StepModel, weight: float) -> tuple[Longs, float]:
    """Numbers of replicas before the first and after each decision, less the lowest; late."""
    steps, n = step_model.steady.shape
    value, after = np.zeros(n), np.empty(n)
    choices = np.empty((steps, n), np.int16)
    for k in range(steps):
        for j in range(n):
            least, choice = np.inf, 0
            for i in range(n):
                paid = step_model.before_s * (step_model.low + i)
                cost = value[i] + paid + weight * _late(step_model, k, i, j)
                if cost < least:
                    least, choice = cost, i
            after[j] = least + step_model.after_s * (step_model.low + j)
            choices[k, j] = choice
        value[:] = after
    path = np.empty(steps + 1, np.int64)
    path[steps] = value.argmin()
    late = 0.0
    for k in range(steps - 1, -1, -1):
        path[k] = choices[k, path[k + 1]]
        late += _late(step_model, k, path[k], path[k + 1])
    return path, late


@kernel
def _late(step_model: StepModel, k: int, i: int, j: int) -> float:
    unavoidable = step_model.steady[k, j] if i == j else step_model.changed[k, j]
    return float(max(step_model.events[k] - step_model.capacity[i, j], unavoidable))
