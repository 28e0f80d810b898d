"""Values of the last seconds, in a ring of fixed size.

An entry counts while it is younger than a window: its age is strictly below it. Ages that differ
from the window only through rounding of times are equal to it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel
from algorithms.core.input_errors import InvalidParameterError

MAX_ENTRIES = 1_000_000
"""Most entries that a window can have room for."""

_FIRST, _COUNT = 0, 1
_MARGIN = 2
_ROUNDING_S = 1e-8


class Recent(NamedTuple):
    """Values with their times, oldest first from ``marks[0]`` on, around the end of the arrays."""

    times: Floats
    """float64[R]: seconds since the start, ascending."""
    values: Floats
    """float64[R]: the values."""
    marks: Longs
    """int64[2]: place of the oldest entry, and number of entries."""


def create(entries: int) -> Recent:
    """An empty ring for a number of entries, at least 1."""
    return Recent(np.empty(entries), np.empty(entries), np.zeros(2, np.int64))


def covering(name: str, window_s: float, interval_s: float) -> Recent:
    """An empty ring for all entries of a window, if at most one comes per interval.

    window_s, interval_s: Length of the window, and time from one entry to the next, seconds.
    Raises InvalidParameterError if the window has more than `MAX_ENTRIES` intervals.
    """
    entries = window_s / interval_s
    if entries > MAX_ENTRIES:
        raise InvalidParameterError(
            f"{name} must be at most {MAX_ENTRIES:,} times decision_s, {interval_s:g} s "
            f"(got {window_s:g}); lower it or decide less often"
        )
    return create(math.ceil(entries) + _MARGIN)


def is_nearly_full(recent: Recent) -> bool:
    """Whether the second of two further entries would replace the oldest one."""
    return int(recent.marks[_COUNT]) + 2 > recent.times.size


def enlarged(recent: Recent) -> Recent:
    """The same entries in a ring of twice the size."""
    result = create(2 * recent.times.size)
    count = int(recent.marks[_COUNT])
    places = (recent.marks[_FIRST] + np.arange(count)) % recent.times.size
    result.times[:count] = recent.times[places]
    result.values[:count] = recent.values[places]
    result.marks[_COUNT] = count
    return result


@inlined
def _is_younger(time: float, then: float, window: float) -> bool:
    return time - then < window - _ROUNDING_S


@inlined
def _place(recent: Recent, i: int) -> int:
    """Place of an entry by its age, 0 for the oldest one."""
    return int((recent.marks[_FIRST] + i) % recent.times.shape[0])


@kernel
def _count_older(recent: Recent, time: float, window: float) -> int:
    """Number of entries, the oldest ones, that are not younger than a window. O(entries)."""
    i = 0
    while i < recent.marks[_COUNT] and not _is_younger(
        time, recent.times[_place(recent, i)], window
    ):
        i += 1
    return i


@kernel
def record(recent: Recent, time: float, value: float) -> None:
    """Append an entry; a full ring loses the oldest one. O(1)."""
    size = recent.times.shape[0]
    first, count = recent.marks[_FIRST], recent.marks[_COUNT]
    place = (first + count) % size
    recent.times[place] = time
    recent.values[place] = value
    if count < size:
        recent.marks[_COUNT] = count + 1
    else:
        recent.marks[_FIRST] = (first + 1) % size


@kernel
def forget(recent: Recent, time: float, window: float) -> None:
    """Remove the entries that are not younger than a window."""
    older = _count_older(recent, time, window)
    recent.marks[_FIRST] = _place(recent, older)
    recent.marks[_COUNT] -= older


@kernel
def greatest(recent: Recent, time: float, window: float, value: float) -> float:
    """Maximum of a value and the entries younger than a window. O(entries)."""
    for i in range(_count_older(recent, time, window), recent.marks[_COUNT]):
        value = max(value, recent.values[_place(recent, i)])
    return value


@kernel
def least(recent: Recent, time: float, window: float, value: float) -> float:
    """Minimum of a value and the entries younger than a window. O(entries)."""
    for i in range(_count_older(recent, time, window), recent.marks[_COUNT]):
        value = min(value, recent.values[_place(recent, i)])
    return value


@kernel
def balance(recent: Recent, time: float, window: float) -> float:
    """Sum of the entries younger than a window, oldest first. O(entries)."""
    result = 0.0
    for i in range(_count_older(recent, time, window), recent.marks[_COUNT]):
        result += recent.values[_place(recent, i)]
    return result
