"""How a consumer shares its rate among the partitions it serves: by max-min fairness, exactly.

While some partition has lag, every partition with lag is served at the same rate θ, and the others
get what arrives if that is no more than θ. Within an interval in which the partitions served and
the arrival rates are constant, θ only grows, whenever a lag reaches 0. So one curve of the events
served since the interval began, the level, holds for all partitions with lag until theirs is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner, inner_inlined
from algorithms.simulation import first_in_first_out, latency_segments
from algorithms.simulation.first_in_first_out import EVENTS, TIME, Span
from algorithms.simulation.group_state import Level, Partitions
from algorithms.simulation.latency_segments import Latencies

_TIE = 1.0 + 1e-12
"""Factor by which numbers may differ through rounding: lags that reach 0 at times as close as this
do so together, and arrivals that add up to the rate of a consumer leave no lag."""

_MOVES = 4
"""Moves per partition from which another way to sort is faster."""


class Shift(NamedTuple):
    """One consumer, the m partitions it serves, and an interval of constant arrival rates."""

    held: Longs
    ranked: Longs
    """`held`, `ranked`: int64[m]: the partitions, ascending; the same in any order, sorted by lag
    where that is needed."""
    arriving: Floats
    """float64[P]: arrival rates in the interval, events/s."""
    speed: float
    """Rate of the consumer, events/s."""
    span: Span
    """The interval, and the rates of all steps."""
    partitions: Partitions
    level: Level
    latencies: Latencies
    """`partitions`, `level`, `latencies`: changed: lags and queues; scratch space; waits of the
    events that depart."""


@inner_inlined
def serve(shift: Shift) -> None:
    """Let a consumer serve its partitions for an interval.

    O(m) without lag, and O(m log m) if nothing arrives. Otherwise O(m) more for each lag that
    reaches 0.
    """
    held, arriving, speed, span = shift.held, shift.arriving, shift.speed, shift.span
    lags, consumed = shift.partitions.lags, shift.partitions.consumed
    total, with_lag = 0.0, False
    for p in held:
        total += arriving[p]
        with_lag = with_lag or lags[p] > 0.0
        consumed[p] = consumed[p] or ((arriving[p] > 0.0 or lags[p] > 0.0) and speed > 0.0)
    shift.level.last[0] = 0
    if not with_lag and total <= speed * _TIE:
        latency_segments.add_at_once(shift.latencies, total * (span.end - span.start))
    elif total > 0.0:
        _serve_arriving(shift)
    else:
        _serve_waiting(shift)


@inner
def _serve_arriving(shift: Shift) -> None:
    arriving, speed, span = shift.arriving, shift.speed, shift.span
    partitions, latencies = shift.partitions, shift.latencies
    lags, active, corners = partitions.lags, shift.level.active, shift.level.corners
    length = span.end - span.start
    n, light = _set_aside(shift.held, arriving, speed, lags, active)
    latency_segments.add_at_once(latencies, light * length)
    for i in range(n):
        if lags[active[i]] == 0.0:
            first_in_first_out.begin(active[i], arriving[active[i]], span, partitions)
    last = 0
    while n > 0 and corners[last, TIME] < length:
        rate = (speed - light) / n
        first = _next_empty(n, arriving, rate, corners[last], lags, active, shift.level.keys)
        last = _climb(corners, last, rate, first, length)
        n, light = _let_go(n, light, first, last, shift)
    for i in range(n):
        p = active[i]
        first_in_first_out.depart(p, last, corners, span, partitions, latencies)
        lags[p] = max(lags[p] + arriving[p] * length - corners[last, EVENTS], 0.0)
    shift.level.last[0] = last


@inner
def _set_aside(
    held: Longs, arriving: Floats, speed: float, lags: Floats, active: Longs
) -> tuple[int, float]:
    """List the partitions that get θ; return how many, and the total rate of the others.

    Those without lag to which no more arrives than θ are set aside. Each round raises θ, so nothing
    has to come back.
    """
    n, light = held.shape[0], 0.0
    for i in range(n):
        active[i] = held[i]
    while n > 0:
        rate = (speed - light) / n
        kept = 0
        for i in range(n):
            p = active[i]
            if lags[p] == 0.0 and arriving[p] <= rate:
                light += arriving[p]
            else:
                active[kept] = p
                kept += 1
        if kept == n:
            break
        n = kept
    return n, light


@inner
def _next_empty(
    n: int,
    arriving: Floats,
    rate: float,
    corner: Floats,
    lags: Floats,
    active: Longs,
    hits: Floats,
) -> float:
    """Time until the first lag is 0, infinity if none will be; `hits` gets that of each one."""
    first = np.inf
    for i in range(n):
        p = active[i]
        falls = rate - arriving[p]
        hits[i] = np.inf
        if falls > 0.0:
            lag = lags[p] + arriving[p] * corner[TIME] - corner[EVENTS]
            hits[i] = max(lag, 0.0) / falls
            first = min(first, hits[i])
    return first


@inner
def _climb(corners: Floats, last: int, rate: float, first: float, length: float) -> int:
    """Add the corner at which the first lag is 0, or the end of the interval; return its index."""
    left = length - corners[last, TIME]
    time = min(first, left)
    corners[last + 1, TIME] = corners[last, TIME] + time if first < left else length
    corners[last + 1, EVENTS] = corners[last, EVENTS] + rate * time
    return last + 1


@inner
def _let_go(n: int, light: float, first: float, last: int, shift: Shift) -> tuple[int, float]:
    """Empty the queues whose lag is 0 at the last corner; what arrives there departs at once."""
    arriving, span, latencies = shift.arriving, shift.span, shift.latencies
    active, corners = shift.level.active, shift.level.corners
    began = corners[last - 1, TIME]
    left = span.end - span.start - corners[last, TIME]
    # The interval may end first: then only those that would be empty just then are.
    until = min(first, span.end - span.start - began) * _TIE
    kept = 0
    for i in range(n):
        p = active[i]
        if shift.level.keys[i] > until:
            active[kept] = p
            kept += 1
            continue
        first_in_first_out.depart(p, last, corners, span, shift.partitions, latencies)
        shift.partitions.lags[p] = 0.0
        light += arriving[p]
        latency_segments.add_at_once(latencies, arriving[p] * left)
    return kept, light


@inner_inlined
def _serve_waiting(shift: Shift) -> None:
    """Serve without arrivals: the smallest lag is the first to reach 0.

    Events of the same burst wait equally long in all partitions, so they share their segments.
    """
    span, speed, partitions = shift.span, shift.speed, shift.partitions
    lags, active, corners = partitions.lags, shift.ranked, shift.level.corners
    length = span.end - span.start
    n = _by_lag(shift)
    fresh = 0
    for i in range(n):
        fresh += _is_fresh(active[i], span, partitions)
    last = 0
    while n > 0 and corners[last, TIME] < length:
        rate = speed / n
        lag = lags[active[n - 1]] - corners[last, EVENTS]
        last = _climb(corners, last, rate, lag / rate if speed > 0.0 else np.inf, length)
        if fresh > 0:
            _depart_together(fresh, last, corners, span, shift.latencies)
        emptied = corners[last, EVENTS] * _TIE
        while n > 0 and lags[active[n - 1]] <= emptied:
            n -= 1
            if _is_fresh(active[n], span, partitions):
                fresh -= 1
            else:
                _leave(active[n], last, shift)
            lags[active[n]] = 0.0
    for i in range(n):
        p = active[i]
        if _is_fresh(p, span, partitions):
            partitions.gone[p] += corners[last, EVENTS]
        else:
            _leave(p, last, shift)
        lags[p] -= corners[last, EVENTS]
    shift.level.last[0] = last


@inner_inlined
def _by_lag(shift: Shift) -> int:
    """Sort the partitions by lag, largest first, ties ascending; return how many have some.

    They are nearly in order, the one in which they were served last.
    """
    ranked, lags, m = shift.ranked, shift.partitions.lags, shift.ranked.shape[0]
    moves = _MOVES * m
    for i in range(1, m):
        p = ranked[i]
        lag = lags[p]
        j = i
        while j > 0 and (
            lags[ranked[j - 1]] < lag or (lags[ranked[j - 1]] == lag and ranked[j - 1] > p)
        ):
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = p
        moves -= i - j
        if moves < 0:
            _sort(shift.held, ranked, lags, shift.level.keys, shift.level.order, shift.level.spare)
            break
    n = m
    while n > 0 and lags[ranked[n - 1]] == 0.0:
        n -= 1
    return int(n)


@inner
def _sort(
    held: Longs, ranked: Longs, lags: Floats, keys: Floats, order: Longs, spare: Longs
) -> None:
    """Sort partitions by lag, whatever their order was."""
    m = held.shape[0]
    for i in range(m):
        keys[i] = lags[held[i]]
    sorting.descending(keys[:m], order[:m], spare[:m])
    for i in range(m):
        ranked[i] = held[order[i]]


@inner_inlined
def _is_fresh(p: int, span: Span, partitions: Partitions) -> bool:
    """Whether the oldest waiting event is of this step's burst."""
    return bool(span.burst and partitions.head_steps[p] == span.step)


@inner_inlined
def _depart_together(
    fresh: int, last: int, corners: Floats, span: Span, latencies: Latencies
) -> None:
    """Let events of this step's burst depart, in all partitions in which they are the oldest."""
    waited = span.start - span.step * span.step_s
    events = fresh * (corners[last, EVENTS] - corners[last - 1, EVENTS])
    first, final = waited + corners[last - 1, TIME], waited + corners[last, TIME]
    latency_segments.add(latencies, events, first, final)


@inner
def _leave(p: int, last: int, shift: Shift) -> None:
    """Let events of a partition depart that had waited before."""
    corners = shift.level.corners
    first_in_first_out.depart(p, last, corners, shift.span, shift.partitions, shift.latencies)
