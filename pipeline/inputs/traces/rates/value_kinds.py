"""Whether numbers are offsets or rates, by the numbers alone: the one place where that is decided.

Offsets are integers that rise, and fall only where a topic is created again. Rates rise and fall.
What both can be is not guessed: the caller asks for ``--values``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pipeline.inputs.traces.model import Floats
from pipeline.inputs.traces.rates.sampled_series import Series

_RISES = 10
"""Times of rises that rates do not show without falling in between."""

_RARELY, _RESET = 0.01, 0.1
"""Greatest share of falls among the changes of offsets: at several times, and at a single one."""

_OFTEN = 0.2
"""Least share of falls among the changes of rates."""

_SMALL = 0.01
"""Greatest change of large offsets from sample to sample, relative to them."""

_NEW = 0.5
"""Greatest offset of a topic that was created again, relative to the one before."""


class Evidence(NamedTuple):
    """What numbers show."""

    are_offsets: bool | None
    """None if they can be either."""
    why: str
    """The reason, in words that follow *since the values*."""


class _Changes(NamedTuple):
    """Changes of all series."""

    rises: int
    """Number of times at which a series rises: load rises in many partitions at once."""
    falls: int
    """Number of times at which a series falls."""
    share: float
    """Falls of a series among all changes."""
    is_smooth: bool
    """Whether each change is small against the value, as of means of large offsets."""


def of_values(series: Sequence[Series]) -> Evidence:
    """Decide by values whether series are offsets.

    >>> at = np.arange(12.0)
    >>> of_values([Series("0", at, 812_000 + 120 * at)])
    Evidence(are_offsets=True, why='are integers that rise')
    >>> of_values([Series("0", at[:5], 812_000 + 120 * at[:5])]).are_offsets is None
    True
    """
    changes = _changes(series)
    if not all((one.values == np.rint(one.values)).all() for one in series):
        if changes.rises >= _RISES and not changes.falls and changes.is_smooth:
            return Evidence(None, "have fractions, as rates have, but never fall, as offsets do")
        return Evidence(False, "have fractions")
    if not any(one.values.any() for one in series):
        return Evidence(False, "are 0")
    most_falls = _RESET if changes.falls <= 1 else _RARELY
    if changes.rises >= _RISES and changes.share <= most_falls:
        return Evidence(True, "are integers that rise")
    if changes.falls >= 2 and changes.share >= _OFTEN:
        return Evidence(False, "rise and fall")
    if changes.falls:
        return Evidence(None, "are integers that rarely fall")
    return Evidence(None, "are a few integers that never fall")


def may_be_offsets(cells: Floats) -> bool:
    """Whether numbers in a form that holds rates look like offsets all the same.

    cells: ``float64[N, P]``, one column per partition, in order of time; NaN where there is none.

    >>> may_be_offsets(np.array([[812_000.0], [812_120.0]]))
    True
    >>> may_be_offsets(np.array([[5.0], [7.0]])), may_be_offsets(np.array([[7.0], [7.0]]))
    (False, False)
    """
    at = np.arange(float(len(cells)))
    present = ~np.isnan(cells)
    series = [
        Series("", at[there], column[there])
        for column, there in zip(cells.T, present.T, strict=True)
    ]
    if not (cells[present] == np.rint(cells[present])).all():
        return False
    changes = _changes(series)
    if changes.falls:
        before = _before_reset(series) if changes.falls == 1 else []
        return _rise_as_offsets(before) or of_values(series).are_offsets is True
    return _rise_as_offsets(series)


def _rise_as_offsets(series: Sequence[Series]) -> bool:
    """Whether series that never fall rise often, or little by little."""
    rises = sum(int((np.diff(one.values) > 0.0).sum()) for one in series)
    return rises >= _RISES or (rises > 0 and _changes(series).is_smooth)


def _before_reset(series: Sequence[Series]) -> list[Series]:
    """What series hold until a topic is created again; nothing if one only falls a little."""
    before = []
    for one in series:
        falls = np.flatnonzero(np.diff(one.values) < 0.0)
        if (one.values[falls + 1] > _NEW * one.values[falls]).any():
            return []
        end = falls[0] + 1 if len(falls) else len(one.values)
        before.append(Series(one.name, one.times[:end], one.values[:end]))
    return before


def _changes(series: Sequence[Series]) -> _Changes:
    steps = [np.diff(one.values) for one in series]
    pairs = list(zip(series, steps, strict=True))
    rises = np.concatenate([one.times[1:][step > 0.0] for one, step in pairs])
    falls = np.concatenate([one.times[1:][step < 0.0] for one, step in pairs])
    share = len(falls) / max(1, len(rises) + len(falls))
    smooth = all((np.abs(step) <= _SMALL * one.values[1:]).all() for one, step in pairs)
    return _Changes(len(np.unique(rises)), len(np.unique(falls)), share, smooth)
