"""The counts of `headroom` by KEDA's Prometheus trigger: a query, a formula, the pod autoscaler.

For shares that do not change. The query is the greater of ``max_over_time((Q)[hold:scrape_s])`` and
Q, or Q alone where `hold` is at most `scrape_s`. Q is the sum of ``rate(M[window_s])`` over the end
offsets M of all partitions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import (
    count_thresholds,
    deployed_syncs,
    failing_trigger,
    hpa_rules,
    recent_values,
    totals,
)
from algorithms.autoscaling.deployed_syncs import Syncs
from algorithms.autoscaling.dispatch import (
    MISSING,
    NO_ANSWER,
    PARTITION,
    STALE,
    ZERO,
    Seen,
    decides,
)
from algorithms.autoscaling.failing_trigger import Failures
from algorithms.autoscaling.recent_values import Recent
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import inner, kernel
from algorithms.core.input_errors import InvalidParameterError

LEAST_SCRAPES = 4
"""Fewest scrapes in a window: with one or two missing, ``rate`` still has two."""

# Times that differ by less are equal, and so are times in scrapes.
_ROUNDING_S = 1e-8
_EXACT = 1e-9
_SCRAPES, _EVALUATIONS, _STARTED, _RESET = 0, 1, 2, 3
_NEVER = -(2**62)
_TIME, _OFFSET = 0, 1


class KedaPrometheus(NamedTuple):
    """State of the strategy ``keda_prometheus``."""

    partitions: int
    table: Floats
    """float64[N]: rates above which more than 1, 2, … replicas are needed."""
    syncs: Syncs
    """State of the pod autoscaler."""
    offsets: Floats
    """float64[S]: sum of the end offsets at the last S scrapes, at the scrape's number modulo S."""
    recent: Recent
    """Q at the times at which the subquery evaluates it."""
    absent: Bools
    """bool[S]: whether a partition, or all, had no sample at these scrapes."""
    marks: Longs
    """int64[4]: numbers of the next scrape and of the next evaluation; whether there was a
    decision; the last scrape at which the sum of the end offsets was lower than before."""
    failures: Failures
    """Answers that KEDA did not get."""
    clock: Floats
    """float64[2]: time of the last decision, and sum of the end offsets then."""
    hold: float
    window_s: float
    scrape_s: float
    scrape_phase: float
    """`hold`, `window_s`, `scrape_s`, `scrape_phase`: the arguments of `start`."""


def check(group: Group, *, window_s: float, scrape_s: float, **arguments: Any) -> None:
    """Raise what `start` would raise of a group whose `means` are known."""
    of_syncs, _ = deployed_syncs.parted(arguments)
    deployed_syncs.create(group, **of_syncs)
    least_s = LEAST_SCRAPES * scrape_s
    if window_s < least_s * (1.0 - _EXACT):
        raise InvalidParameterError(
            f"window_s must be at least {LEAST_SCRAPES} times scrape_s, {least_s:g} s "
            f"(got {window_s:g}); raise it or scrape more often"
        )


def start(
    group: Group,
    *,
    h: float,
    hold: float,
    window_s: float,
    scrape_s: float,
    scrape_phase: float,
    **of_syncs: Any,
) -> KedaPrometheus:
    """Start ``keda_prometheus``: the least n with ``h * m * top_n <= C``, at most ``max_replicas``.

    ``m`` is the answer of the query at a sync of the pod autoscaler, and ``top_n`` the largest
    share that one of n members of a new group gets, by `group.means`; C as in
    `algorithms.autoscaling.headroom`. A formula is evaluated at each sync, so KEDA's polling does
    not matter.

    h: Margin over the peak, as a factor.
    hold: Seconds for which a peak counts; none is held for less than a scrape, as where the pod
        autoscaler's window does it.
    window_s: Length of the window of ``rate``, seconds.
    scrape_s: Time between scrapes, and between evaluations of Q by the subquery, seconds.
    scrape_phase: Time from an evaluation to the next scrape, in scrapes.
    of_syncs: Arguments of `algorithms.autoscaling.deployed_syncs.create`.
    Raises InvalidParameterError if a window has too few scrapes, or `group` no `means`.

    As in Prometheus 3, a window is open at its start, and a subquery evaluates at multiples of its
    step on a clock that does not depend on the time of the query; here it starts with the workload.
    All partitions are scraped at once, and none of the counters is young. If no scrape is missed,
    then ``rate`` is the difference of the last and the first sample over the time between them,
    which a query that must not err where samples are missing takes itself.
    Between two decisions rates are constant; before the first, they were as in the first. O(P) per
    decision and O(1) per scrape, and the evaluations within `hold` per sync.
    """
    check(group, window_s=window_s, scrape_s=scrape_s, **of_syncs)
    if group.means is None:
        raise InvalidParameterError(
            "keda_prometheus needs the mean rate of each partition, which is known of recordings "
            "and profiles only (got means=None)"
        )
    return KedaPrometheus(
        partitions=group.partitions,
        table=_table(group, group.means, h),
        syncs=deployed_syncs.create(group, **of_syncs),
        offsets=np.empty(math.ceil(window_s / scrape_s) + 2),
        recent=recent_values.covering("hold", hold, scrape_s),
        absent=np.zeros(math.ceil(window_s / scrape_s) + 2, np.bool_),
        marks=np.array([0, 0, 0, _NEVER]),
        failures=failing_trigger.create(),
        clock=np.zeros(2),
        hold=hold,
        window_s=window_s,
        scrape_s=scrape_s,
        scrape_phase=scrape_phase,
    )


def _table(group: Group, means: Floats, h: float) -> Floats:
    if group.capacity > 0.0:
        return count_thresholds.thresholds(
            means, group.assignor, group.capacity, h, group.max_replicas, group.topics
        )
    # Bursts of which not even one event is in time: every rate is too much for fewer.
    return np.full(group.max_replicas - 1, -1.0)


@decides(KedaPrometheus, knows_blindness=True)
@kernel
def _decide(state: KedaPrometheus, seen: Seen, after: Longs) -> tuple[int, int]:
    rate = totals.total(seen.rates)
    if state.marks[_STARTED] == 0:
        _begin(state, rate)
    _follow(state, seen.time, rate, seen.blind)
    has_failed = not _has_result(state, seen.time)
    failing_trigger.poll(state.failures, seen.time, has_failed)
    if not deployed_syncs.is_sync(state.syncs, seen.time):
        return NO_ANSWER, 0
    controller = state.syncs.controller
    if has_failed:
        count = failing_trigger.fail(state.failures, seen.replicas)
        if count < 0:
            return NO_ANSWER, 0
        _, desired = hpa_rules.sync(controller, seen.time, float(count), seen.replicas)
        return desired, 0
    peak = _rate(state, seen.time)
    if state.hold > state.scrape_s:
        peak = recent_values.greatest(state.recent, seen.time, state.hold, peak)
    count = max(1 + _number_below(state.table, peak), controller.min_replicas)
    failing_trigger.succeed(state.failures, count)
    _, desired = hpa_rules.sync(controller, seen.time, float(count), seen.replicas)
    return desired, 0


@inner
def _begin(state: KedaPrometheus, rate: float) -> None:
    """Scrapes before the start, as if the first rate had been that of all times before."""
    state.marks[_STARTED] = 1
    size = state.offsets.shape[0]
    for k in range(-size, 0):
        state.offsets[k % size] = rate * ((k + state.scrape_phase) * state.scrape_s)


@inner
def _follow(state: KedaPrometheus, time: float, rate: float, blind: int) -> None:
    """Scrape and evaluate up to the time of a decision; what is read then is read since the last.

    Samples are missing, or are those of the scrape before, or 0.
    """
    marks, clock, scrape_s = state.marks, state.clock, state.scrape_s
    while True:
        scraped = (marks[_SCRAPES] + state.scrape_phase) * scrape_s
        evaluated = marks[_EVALUATIONS] * scrape_s
        if min(scraped, evaluated) > time + _ROUNDING_S:
            break
        if scraped <= evaluated:
            place, size = marks[_SCRAPES] % state.offsets.shape[0], state.offsets.shape[0]
            before = state.offsets[(place + size - 1) % size]
            offset = clock[_OFFSET] + rate * (scraped - clock[_TIME])
            if blind == STALE:
                offset = before
            elif blind == ZERO:
                offset = min(before, 0.0)
            if offset < before:
                marks[_RESET] = marks[_SCRAPES]
            state.offsets[place] = offset
            state.absent[place] = blind in (MISSING, PARTITION)
            marks[_SCRAPES] += 1
        else:
            if _has_result(state, evaluated):
                recent_values.record(state.recent, evaluated, _rate(state, evaluated))
            marks[_EVALUATIONS] += 1
    clock[_OFFSET] += rate * (time - clock[_TIME])
    clock[_TIME] = time


@inner
def _rate(state: KedaPrometheus, time: float) -> float:
    """Q at a time up to which all scrapes have been made, rounded to 6 decimals."""
    size, last, first = state.offsets.shape[0], state.marks[_SCRAPES] - 1, _first(state, time)
    events = state.offsets[last % size] - state.offsets[first % size]
    return float(round(events / ((last - first) * state.scrape_s), 6))


@inner
def _first(state: KedaPrometheus, time: float) -> int:
    """Number of the first scrape of a window that ends at a time."""
    before = (time - state.window_s) / state.scrape_s - state.scrape_phase
    return int(np.floor(before + _EXACT)) + 1


@inner
def _has_result(state: KedaPrometheus, time: float) -> bool:
    """Whether all partitions have the samples that Q takes, and no offset fell in its window."""
    size, first = state.offsets.shape[0], _first(state, time)
    last = state.marks[_SCRAPES] - 1
    is_whole = not state.absent[first % size] and not state.absent[last % size]
    return is_whole and state.marks[_RESET] <= first


@inner
def _number_below(table: Floats, value: float) -> int:
    """Number of entries of an ascending table that are below a value."""
    low, high = 0, table.shape[0]
    while low < high:
        middle = (low + high) // 2
        if table[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
