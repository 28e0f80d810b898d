"""Compiled functions of the family `live`, all of which run in the driver."""

from __future__ import annotations

import numpy as np

from algorithms.simulation.queue_replay import Fetching, Ownership, waiting_times
from algorithms.workloads import random_walk


def load() -> None:
    """Load the machine code of all kernels; compile those that are not in the cache yet."""
    random_walk.generate(1, 1, 5.0, 1.0, None, 0)
    none, zero = np.zeros(1, np.int32), np.zeros(1)
    waiting_times(zero, none, Ownership(none, none, zero, zero + 1.0), 1.0, Fetching(1, 1, 0.0))
