"""Blocks of time: parts of one recording, resampled in place of replicates."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import Floats, Longs, check_count
from algorithms.core.input_errors import InvalidParameterError

DAY_S = 86_400.0
"""Length of the blocks of a recording of several days."""

FEWEST_DAYS = 3
"""Days from which each day is a block: a resample of two says nothing."""

PARTS = 12
"""Blocks of a shorter recording. More would be shorter than what load and lag depend on."""

MAX_STEPS = 2**31 - 1


def block_edges(steps: int, step_s: float, block_s: float | None = None) -> Longs:
    """Cut the steps of a recording into blocks of equal length.

    block_s: Length of a block, s, rounded to whole steps. Default: a day if the recording has at
        least 3 days, else a twelfth of it.
    Returns: int64[n + 1], block b has the steps from ``edges[b]`` up to, but not including,
        ``edges[b + 1]``. A rest of at least half a block is a block of its own, a shorter one
        belongs to the last block.

    Carlstein 1986: within a block, what depends on each other stays together, such as load, lag and
    the replicas that follow. Blocks must be so long that little passes from one to the next. O(n).

    >>> block_edges(10, 60.0, 180.0).tolist(), block_edges(11, 60.0, 180.0).tolist()
    ([0, 3, 6, 10], [0, 3, 6, 9, 11])
    """
    steps = check_count("steps", steps, 1, MAX_STEPS)
    _check_length("step_s", step_s)
    if block_s is None:
        length = steps * step_s
        block_s = DAY_S if length >= FEWEST_DAYS * DAY_S else length / PARTS
    _check_length("block_s", block_s)
    size = min(max(round(block_s / step_s), 1), steps)
    count, rest = divmod(steps, size)
    edges = np.arange(count + 1, dtype=np.int64) * size
    if 2 * rest >= size:
        return np.append(edges, steps)
    edges[-1] = steps
    return edges


def block_sums(values: Floats, edges: Longs) -> Floats:
    """Sum of each block.

    values: float64[N], one value per step.
    edges: int64[n + 1], see `block_edges`.
    Returns: float64[n].

    >>> block_sums(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 3, 4])).tolist()
    [6.0, 4.0]
    """
    sums: Floats = np.add.reduceat(values, edges[:-1])
    return sums


def _check_length(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise InvalidParameterError(f"{name} must be finite and above 0 s (got {value})")
