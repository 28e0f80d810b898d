"""A member that always has the same partitions, replayed step by step: what is served and late.

The same model as the simulation of a whole group: the member divides its rate among partitions with
lag by max-min fairness (`fair_service`), and events of a partition depart in the order in which
they arrived (`first_in_first_out`). Here are no commits, rebalances or percentiles, so a step takes
a tenth of the time. The queue of a partition is the step of its oldest event, and how many of that
step's events have departed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel
from algorithms.simulation.first_in_first_out import NOTHING
from algorithms.simulation.latency_segments import SAME_TIME_S, late_part

TIE = 1.0 + 1e-12
"""As in `fair_service`: what differs by this factor or less is equal."""

DEPARTED, LATE, CARRIED = range(3)
"""Rows of the figures of blocks: events that depart, those that are late, and lag as it ends."""


class Service(NamedTuple):
    """How a member serves."""

    speed: float
    """Its rate, events/s."""
    step_s: float
    """Length of a step, s."""
    drain_s: float
    """Time after the last step in which what waits is served, s."""
    limit_s: float
    """Greatest wait that is not late, s."""
    burst: bool
    """Whether events arrive at the start of their step instead of spread over it."""


class _Queues(NamedTuple):
    """Lag of each of P partitions, its queue, and scratch space.

    ``active`` lists those that share the rate; ``empty_s`` is when each has no lag. ``times`` and
    ``levels`` are corners of the events that each of them got since the step began.
    """

    lags: Floats
    head_steps: Longs
    gone: Floats
    arriving: Floats
    active: Longs
    empty_s: Floats
    times: Floats
    levels: Floats


def replay(columns: Floats, held: Longs, edges: Longs, service: Service) -> Floats:
    """Let a member serve its partitions.

    columns: float64[P, N], rates of all partitions, events/s.
    held: int64[M], partitions of the member.
    edges: int64[n + 1], blocks of steps, from 0 to N.
    Returns: float64[3, n], see `DEPARTED`. Events that never depart are late, and depart in the
        last block.

    O(M) per step, and O(M) more for each lag that reaches 0.
    """
    m = held.size
    blocks = np.zeros((3, edges.size - 1))
    queues = _Queues(
        np.zeros(m), np.zeros(m, np.int64), np.zeros(m), np.zeros(m), np.empty(m, np.int64),
        np.empty(m), np.zeros(m + 2), np.zeros(m + 2),
    )  # fmt: skip
    _replay(columns, held, edges, service, queues, blocks)
    left = float(queues.lags.sum())
    if left > NOTHING * float(blocks[DEPARTED].sum()):
        blocks[LATE, -1] += left
    blocks[DEPARTED, -1] += blocks[CARRIED, -1]
    return blocks


@kernel
def _replay(
    columns: Floats, held: Longs, edges: Longs, service: Service, queues: _Queues, blocks: Floats
) -> None:
    n, block = columns.shape[1], 0
    for step in range(n + 1):
        # What departs in the time after the last step belongs to the last block.
        while step < n and step >= edges[block + 1]:
            block += 1
        total, has_lag = _arrive(step, columns, held, service, queues)
        if not has_lag and total <= service.speed * TIE:
            served = total * service.step_s if step < n else 0.0
            late = served if service.limit_s < -SAME_TIME_S else 0.0
        else:
            length = service.step_s if step < n else service.drain_s
            served, late = _serve(step, length, columns, held, service, queues)
        blocks[LATE, block] += late
        if step < n:
            blocks[DEPARTED, block] += served
            if step == edges[block + 1] - 1:
                for lag in queues.lags:
                    blocks[CARRIED, block] += lag


@inlined
def _arrive(
    step: int, columns: Floats, held: Longs, service: Service, q: _Queues
) -> tuple[float, bool]:
    """Note what arrives in a step; return the total rate within it, and whether there is lag."""
    total, has_lag, n = 0.0, False, columns.shape[1]
    for p in range(held.shape[0]):
        q.arriving[p] = 0.0
        if step < n and service.burst:
            if q.lags[p] == 0.0:
                q.head_steps[p], q.gone[p] = step, 0.0
            q.lags[p] += columns[held[p], step] * service.step_s
        elif step < n:
            q.arriving[p] = columns[held[p], step]
        total += q.arriving[p]
        has_lag = has_lag or q.lags[p] > 0.0
    return total, has_lag


@inlined
def _serve(
    step: int, length: float, columns: Floats, held: Longs, service: Service, q: _Queues
) -> tuple[float, float]:
    """Serve for the length of a step; return the events that depart, and those that are late."""
    n, light = _set_aside(service.speed, q)
    served, late = light * length, 0.0
    for i in range(n):
        p = q.active[i]
        if q.lags[p] == 0.0:
            q.head_steps[p], q.gone[p] = step, 0.0
    corner = 0
    while n > 0 and q.times[corner] < length:
        rate = (service.speed - light) / n
        first = _next_empty(n, rate, corner, q)
        began, left = q.times[corner], length - q.times[corner]
        q.times[corner + 1] = began + first if first < left else length
        q.levels[corner + 1] = q.levels[corner] + rate * min(first, left)
        corner += 1
        # The step may end first: then only those are let go that would be empty just then.
        until, kept = min(first, left) * TIE, 0
        for i in range(n):
            p = q.active[i]
            if q.empty_s[i] > until:
                q.active[kept] = p
                kept += 1
                continue
            done, later = _depart(p, step, corner, columns[held[p]], service, q)
            after = q.arriving[p] * (length - q.times[corner])
            served += done + after
            late += later
            q.lags[p] = 0.0
            light += q.arriving[p]
        n = kept
    for i in range(n):
        p = q.active[i]
        done, later = _depart(p, step, corner, columns[held[p]], service, q)
        served += done
        late += later
        q.lags[p] = max(q.lags[p] + q.arriving[p] * length - q.levels[corner], 0.0)
    return served, late


@inlined
def _set_aside(speed: float, q: _Queues) -> tuple[int, float]:
    """List the partitions that share the rate; return how many, and the total rate of others.

    Others have no lag, and get no more events than those that share.
    """
    n, light = q.lags.shape[0], 0.0
    for p in range(n):
        q.active[p] = p
    while n > 0:
        rate, kept = (speed - light) / n, 0
        for i in range(n):
            p = q.active[i]
            if q.lags[p] == 0.0 and q.arriving[p] <= rate:
                light += q.arriving[p]
            else:
                q.active[kept] = p
                kept += 1
        if kept == n:
            break
        n = kept
    return n, light


@inlined
def _next_empty(n: int, rate: float, corner: int, q: _Queues) -> float:
    """Time until the first lag is 0, infinity if none will be."""
    first = np.inf
    for i in range(n):
        p = q.active[i]
        falls = rate - q.arriving[p]
        q.empty_s[i] = np.inf
        if falls > 0.0:
            lag = q.lags[p] + q.arriving[p] * q.times[corner] - q.levels[corner]
            q.empty_s[i] = max(lag, 0.0) / falls
            first = min(first, q.empty_s[i])
    return first


@kernel
def _depart(
    p: int, step: int, last: int, rates: Floats, service: Service, q: _Queues
) -> tuple[float, float]:
    """Let the oldest events of a partition depart up to a corner; return how many, and the late."""
    head, gone, step_s, burst = q.head_steps[p], q.gone[p], service.step_s, service.burst
    start, served, late = step * step_s, 0.0, 0.0
    # Through rounding, a queue can be empty slightly before its lag is 0.
    end_step = min(step + 1, rates.shape[0])
    for c in range(1, last + 1):
        began, ends = start + q.times[c - 1], start + q.times[c]
        events, done, time = q.levels[c] - q.levels[c - 1], 0.0, start + q.times[c - 1]
        while done < events and head < end_step:
            rate = rates[head]
            arrived = rate * step_s
            waiting = arrived - gone
            if head == step and not burst:
                waiting = np.inf if rate > 0.0 else 0.0
            elif not waiting > NOTHING * arrived:
                waiting = 0.0
            if waiting <= 0.0:
                head += 1
                gone = 0.0
                continue
            part = min(waiting, events - done)
            first = time - (head * step_s + (0.0 if burst else gone / rate))
            done += part
            gone += part
            time = ends if done == events else began + (ends - began) * (done / events)
            final = time - (head * step_s + (0.0 if burst else gone / rate))
            late += late_part(part, first, final, service.limit_s)
        served += done
    q.head_steps[p], q.gone[p] = head, gone
    return served, late
