"""Late events of one member, plainly: by following many single events."""

from __future__ import annotations


def late_of_burst(
    mu: float, step_s: float, limit_s: float, events: int, lag: int, pause_s: float
) -> tuple[float, float]:
    """Late events and lag after a step, if all events arrive at its start; one after the other."""
    late, left = 0, 0
    for i in range(lag + events):
        departs = pause_s + (i + 1) / mu
        late += i >= lag and departs > limit_s
        left += departs > step_s
    return float(late), float(left)


def late_when_even(
    mu: float, step_s: float, limit_s: float, rate: float, lag: float, pause_s: float
) -> tuple[float, float]:
    """The same, for events that arrive evenly, in 20,000 parts of the step."""
    parts = 20_000
    late, queue = 0.0, lag
    for i in range(parts):
        now = (i + 0.5) / parts * step_s
        paused = max(pause_s - now, 0.0)
        late += (paused + queue / mu > limit_s) * rate * step_s / parts
        served = mu * step_s / parts if now >= pause_s else 0.0
        queue = max(queue + rate * step_s / parts - served, 0.0)
    return late, queue
