"""How long a call takes, on a machine that has other things to do."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def median_seconds(call: Callable[[], object], seconds: float, fewest: int, most: int) -> float:
    """Median duration of a call, which is repeated for a while.

    Parameters
    ----------
    call : callable
        What is measured. It should have run before, so that it is compiled.
    seconds : float
        How long to go on.
    fewest, most : int
        Bounds of the number of calls, at least 1; they come before `seconds`.

    Returns
    -------
    float
        Seconds per call.
    """
    durations: list[float] = []
    end = time.perf_counter() + seconds
    while len(durations) < fewest or (len(durations) < most and time.perf_counter() < end):
        start = time.perf_counter()
        call()
        durations.append(time.perf_counter() - start)
    return statistics.median(durations)
