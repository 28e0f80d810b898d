"""What is measured while an application is simulated: backlogs, rates, service and response times.

Means and sums of squared deviations follow Welford's recurrence (1962), so that variances of nearly
equal times are not lost in rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel
from algorithms.simulation.application_state import SAMPLES, Functions, Responses

INTERVAL_S = 30.0
"""Length of the intervals whose mean response times are compared, s."""


class Window(NamedTuple):
    """Measurements of F functions since the last decision."""

    seconds: float
    """Length of the window."""
    backlog: Longs
    """int64[F]: events that are waiting or in service at its end."""
    arrivals: Longs
    entered: Longs
    completions: Longs
    """`arrivals`, `entered`, `completions`: int64[F]: events that arrived, those of them that came
    from a source, and completed events."""
    busy: Floats
    """float64[F]: instance-seconds of service."""
    gap_mean: Floats
    gap_variance: Floats
    """`gap_mean`, `gap_variance`: float64[F]: of the times between successive arrivals in the
    window, s and s²; 0 without any."""
    service_mean: Floats
    service_variance: Floats
    """`service_mean`, `service_variance`: float64[F]: of the service times of the completed events,
    s and s²; 0 without any."""


def end_window(functions: Functions, begin: float, end: float) -> Window:
    """Measurements of a window, up to where events are simulated; the next one begins."""
    sum_all(functions, end)
    window = Window(
        seconds=end - begin,
        backlog=functions.backlog.copy(),
        arrivals=functions.arrivals.copy(),
        entered=functions.entered.copy(),
        completions=functions.completions.copy(),
        busy=functions.busy.copy(),
        gap_mean=functions.gap_mean.copy(),
        gap_variance=functions.gap_squares / np.maximum(functions.arrivals - 1, 1),
        service_mean=functions.service_mean.copy(),
        service_variance=functions.service_squares / np.maximum(functions.completions, 1),
    )
    for count in (functions.arrivals, functions.entered, functions.completions):
        count[:] = 0
    for total in (functions.busy, functions.gap_mean, functions.gap_squares):
        total[:] = 0.0
    for total in (functions.service_mean, functions.service_squares):
        total[:] = 0.0
    return window


@kernel
def sum_all(functions: Functions, now: float) -> None:
    """Sum up backlogs and services of all functions until now."""
    for f in range(functions.summed.shape[0]):
        sum_until(functions, f, now)


@inlined
def sum_until(functions: Functions, f: int, now: float) -> None:
    """Sum up backlog and service of a function until now: before either of them changes."""
    elapsed = now - functions.summed[f]
    functions.summed[f] = now
    functions.backlog_s[f] += functions.backlog[f] * elapsed
    functions.busy[f] += functions.serving[f] * elapsed


@inlined
def count_arrival(functions: Functions, f: int, now: float) -> None:
    """Count an arrival, and the time since the last one in this window."""
    sum_until(functions, f, now)
    functions.backlog[f] += 1
    gaps = functions.arrivals[f]
    functions.arrivals[f] += 1
    if gaps > 0:
        gap = now - functions.last_arrival[f]
        deviation = gap - functions.gap_mean[f]
        functions.gap_mean[f] += deviation / gaps
        functions.gap_squares[f] += deviation * (gap - functions.gap_mean[f])
    functions.last_arrival[f] = now


@inlined
def count_completion(
    functions: Functions, f: int, arrived: float, service: float, now: float
) -> None:
    """Count a completion, its service time, and the time since the event arrived."""
    sum_until(functions, f, now)
    functions.backlog[f] -= 1
    functions.serving[f] -= 1
    functions.stayed[f] += now - arrived
    functions.completions[f] += 1
    deviation = service - functions.service_mean[f]
    functions.service_mean[f] += deviation / functions.completions[f]
    functions.service_squares[f] += deviation * (service - functions.service_mean[f])


@inlined
def count_response(
    responses: Responses, counters: Longs, path: int, response: float, now: float
) -> None:
    """Count an event that has completed a path, and its response time."""
    position = counters[SAMPLES]
    counters[SAMPLES] += 1
    responses.sample[position] = response
    responses.path[position] = path
    responses.total[path] += response
    interval = int(now / INTERVAL_S)
    if interval != responses.interval[path]:
        _end_interval(responses, path)
        responses.interval[path] = interval
    responses.interval_events[path] += 1
    responses.interval_total[path] += response


@kernel
def end_intervals(responses: Responses) -> None:
    """Let the last interval of each path count."""
    for path in range(responses.total.shape[0]):
        _end_interval(responses, path)


@inlined
def _end_interval(responses: Responses, path: int) -> None:
    if responses.interval_events[path] > 0:
        mean = responses.interval_total[path] / responses.interval_events[path]
        responses.peak[path] = max(responses.peak[path], mean)
    responses.interval_events[path] = 0
    responses.interval_total[path] = 0.0
