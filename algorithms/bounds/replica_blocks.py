"""Bounds for any arrivals: blocks of steps, between which waiting events may be carried over.

An event that is carried over has a price, which its own block pays and the later one receives. With
the time that serves an event as its price, it costs the same in both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.bounds.plan_terms import Terms
from algorithms.bounds.replica_chain import least_cost
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating, kernel

_MOST_STEPS = 64


class Blocks(NamedTuple):
    """A workload that is cut into B blocks of equally many steps; the last may be shorter."""

    seconds: Floats
    """float64[B]: length of each block."""
    events: Floats
    """float64[B]: events that arrive in it."""
    late: Floats
    """float64[B, R]: of these, those that are late whatever is carried over, by the greatest number
    of replicas in the block."""
    carried: Floats
    """float64[B + 1]: events that arrive so shortly before each block, and before the end, that
    they can be in time if they are served in it."""


def every_cut(rates: Floats, terms: Terms) -> list[Blocks]:
    """Cut a workload into blocks of 1, 2, 4 … steps, and into a single one. O(N (P + R) log N)."""
    lengths = [2**i for i in range(_MOST_STEPS.bit_length()) if 2**i < terms.steps]
    return [_cut(rates, terms, length) for length in (*lengths, terms.steps)]


def lower_bound(blocks: Blocks, terms: Terms, weight: float) -> float:
    """Return a bound of replica-seconds and weighted late events.

    blocks: The workload.
    terms: The group.
    weight: Replica-seconds per late event.

    The proof is in docs/autoscaling-bounds.md. O(B R).
    """
    price = min(1.0 / terms.mu, weight)
    floor_s = terms.low * blocks.seconds
    spare = terms.mu * terms.low * np.minimum(blocks.seconds, terms.window_s)
    carried = np.minimum(spare, blocks.carried[:-1])
    beyond = np.maximum(blocks.events - terms.mu * floor_s, -carried)
    costs = (floor_s + price * beyond)[:, None] + (weight - price) * blocks.late
    chain = least_cost(costs, np.zeros(costs.shape[1]), 0.0, terms.ready_s)
    return chain - price * float(blocks.carried[-1])


def _cut(rates: Floats, terms: Terms, length: int) -> Blocks:
    starts = np.arange(0, terms.steps, length)
    ends = np.append(starts[1:], terms.steps)
    counts = np.array(terms.replicas, dtype=np.float64)
    late = np.empty((starts.size, counts.size))
    open_s = _open_seconds(terms, length)
    _count_late(rates, starts, ends, counts, open_s, terms, late)
    steps: Floats = (ends - starts).astype(np.float64)
    totals: Floats = rates.sum(axis=1) * terms.step_s
    return Blocks(
        seconds=steps * terms.step_s,
        events=np.add.reduceat(totals, starts),
        late=late,
        carried=_carried(totals, np.append(starts, terms.steps), terms),
    )


def _carried(totals: Floats, starts: Longs, terms: Terms) -> Floats:
    """Events that can still be in time if they are served from the start of a step on."""
    arrived = np.append(0.0, np.cumsum(totals))
    since = starts - terms.window_s / terms.step_s
    if terms.burst:
        # A burst at that moment is too early: no time is left for it.
        early = arrived[np.clip(np.floor(since).astype(np.int64) + 1, 0, starts)]
    else:
        early = np.interp(since, np.arange(arrived.size), arrived)
    return np.asarray(arrived[starts] - early)


def _open_seconds(terms: Terms, length: int) -> Floats:
    """Seconds of each of the last steps of a block whose events must be served within the block."""
    left_s = np.arange(length, 0, -1) * terms.step_s - terms.window_s
    if terms.burst:
        return np.where(left_s >= 0.0, terms.step_s, 0.0)
    return np.clip(left_s, 0.0, terms.step_s)


@allocating
def _count_late(
    rates: Floats,
    starts: Longs,
    ends: Longs,
    counts: Floats,
    open_s: Floats,
    terms: Terms,
    late: Floats,
) -> None:
    totals, whole = np.empty(rates.shape[0]), np.full(open_s.shape[0], terms.step_s)
    for k in range(rates.shape[0]):
        totals[k] = 0.0
        for rate in rates[k]:
            totals[k] += rate
    for b in range(starts.shape[0]):
        start, end = starts[b], ends[b]
        # At most this speed is possible at any time, also after the block.
        alone, fastest = 0.0, terms.mu * counts[-1]
        for p in range(rates.shape[1]):
            alone += _overflow(rates[start:end, p], whole, terms.mu, terms)
        alone = max(alone, _overflow(totals[start:end], whole, fastest, terms))
        for i in range(counts.shape[0]):
            together = _overflow(totals[start:end], open_s, terms.mu * counts[i], terms)
            late[b, i] = max(alone, together)


@kernel
def _overflow(rates: Floats, open_s: Floats, speed: float, terms: Terms) -> float:
    """Events that overflow a queue which is served at a constant rate.

    The queue holds what is served within the window, so all events in it are in time. Only events
    that arrive in the open seconds of a step count; the last steps of both arrays belong together.
    """
    most, waiting, lost = speed * terms.window_s, 0.0, 0.0
    skipped = open_s.shape[0] - rates.shape[0]
    for k in range(rates.shape[0]):
        fed_s, length_s = open_s[skipped + k], terms.step_s
        if terms.burst:
            waiting += rates[k] * fed_s
        else:
            waiting = max(waiting + (rates[k] - speed) * fed_s, 0.0)
            length_s -= fed_s
        if waiting > most:
            lost += waiting - most
            waiting = most
        waiting = max(waiting - speed * length_s, 0.0)
    return lost
