"""Measures the time of a call on a machine with other load."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def median_seconds(call: Callable[[], object], seconds: float, fewest: int, most: int) -> float:
    """Median duration of a call that is repeated for some time.

    call: The call to measure. It should have run before, so that it is compiled.
    seconds: How long to repeat it.
    fewest, most: Bounds of the number of calls, at least 1; they take precedence over `seconds`.
    """
    durations: list[float] = []
    end = time.perf_counter() + seconds
    while len(durations) < fewest or (len(durations) < most and time.perf_counter() < end):
        start = time.perf_counter()
        call()
        durations.append(time.perf_counter() - start)
    return statistics.median(durations)
