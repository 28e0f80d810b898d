"""How far a simulated group is behind what is written, in seconds."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats

LEAST = 1e-9
"""Events; less is no lag."""


def behind(arrived: Floats, lag: Floats, step_s: float) -> Floats:
    """How long ago what is read next has arrived, s, if partitions are read in order of arrival.

    arrived, lag: ``[N]``, events that arrive in each step, and events that wait as it ends.

    >>> behind(np.array([10.0, 10.0, 10.0]), np.array([0.0, 5.0, 15.0]), 2.0).tolist()
    [0.0, 1.0, 3.0]
    """
    ends = np.arange(len(arrived) + 1) * step_s
    written = np.concatenate([[0.0], np.cumsum(arrived)])
    read = np.clip(written[1:] - lag, 0.0, None)
    # The last time at which no more than this was written: times without events do not count.
    at = np.interp(read, written, ends)
    result: Floats = np.where(lag > LEAST, np.maximum(ends[1:] - at, 0.0), 0.0)
    return result
