"""The queue of a partition: its events depart in the order in which they arrived.

Nothing is stored per event: the rates of the steps are the queue, and a partition only knows the
step of its oldest waiting event, and how many events of that step have departed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.compiled import inner, inner_inlined
from algorithms.simulation import latency_segments
from algorithms.simulation.group_state import Partitions
from algorithms.simulation.latency_segments import Latencies

TIME, EVENTS = range(2)
"""Columns of the corners of a level curve."""

NOTHING = 1e-12
"""Share of a step's events that is left through rounding only. It must not wait for another
departure: the longest wait would be one that no event has."""


class Span(NamedTuple):
    """An interval within one step, and the workload."""

    start: float
    end: float
    """`start`, `end`: the interval, in s."""
    step: int
    """Its step; N or more after the last one."""
    step_s: float
    """Length of a step, in s."""
    burst: bool
    """Whether the events of a step arrive at its start instead of spread over it."""
    rates: Floats
    """float64[N, P]: rates of all steps, events/s."""


@inner_inlined
def begin(p: int, rate: float, span: Span, partitions: Partitions) -> None:
    """Note that a partition without lag begins to get some from the start of an interval on."""
    partitions.head_steps[p] = span.step
    partitions.gone[p] = rate * (span.start - span.step * span.step_s)


@inner
def depart(
    p: int, last: int, corners: Floats, span: Span, partitions: Partitions, latencies: Latencies
) -> None:
    """Let the oldest events of a partition depart along a level curve.

    last: Corner up to which the curve is followed.
    corners: float64[P + 2, 2], the curve; see `algorithms.simulation.group_state.Level`.

    Each part of the curve between two corners is cut where the events of one step end. O(1) per
    part and step.
    """
    step, gone = partitions.head_steps[p], partitions.gone[p]
    # Through rounding, a queue can be empty slightly before its lag is 0.
    end_step = min(span.step + 1, span.rates.shape[0])
    for c in range(1, last + 1):
        began, ends = span.start + corners[c - 1, TIME], span.start + corners[c, TIME]
        events = corners[c, EVENTS] - corners[c - 1, EVENTS]
        time, done = began, 0.0
        while done < events and step < end_step:
            waiting = _waiting(step, gone, p, span)
            if waiting <= 0.0:
                step += 1
                gone = 0.0
                continue
            part = min(waiting, events - done)
            arrived = _arrival(step, gone, p, span)
            done += part
            gone += part
            until = ends if done == events else began + (ends - began) * (done / events)
            first, final = time - arrived, until - _arrival(step, gone, p, span)
            latency_segments.add(latencies, part, first, final)
            time = until
    partitions.head_steps[p] = step
    partitions.gone[p] = gone


@inner_inlined
def _waiting(step: int, gone: float, p: int, span: Span) -> float:
    """Events of a step that have not departed; of the present one, as many as will arrive."""
    if step == span.step and not span.burst:
        return np.inf if span.rates[step, p] > 0.0 else 0.0
    arrived = span.rates[step, p] * span.step_s
    waiting = arrived - gone
    return float(waiting) if waiting > NOTHING * arrived else 0.0


@inner_inlined
def _arrival(step: int, gone: float, p: int, span: Span) -> float:
    """When the first event of a step that has not departed arrived."""
    began = step * span.step_s
    return began if span.burst else began + gone / span.rates[step, p]
