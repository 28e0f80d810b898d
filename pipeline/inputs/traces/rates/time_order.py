"""Times that go back within a file: where a clock jumped, the order of rows is not that of time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.base.errors import InputError
from pipeline.base.text.durations import duration
from pipeline.inputs.traces import times as written_times
from pipeline.inputs.traces.model import Floats, Times

Ints = NDArray[np.int64]

_FEW = 0.05
"""Share of steps that may go back in a file whose rows are meant to be in order."""

_HOUR_S = 3600.0


def notes(ranks: Ints, series: Ints, times: Times, where: Callable[[int], str]) -> tuple[str, ...]:
    """What a reader should know about rows that are not in the order of time.

    A file in another order throughout, such as latest first, is not worth a note.

    ranks, series: ``int64[R]``: rank of each row's time, and a number of the series that it is of.
    where: Returns the position of a row in the file, by its number from 0.
    Raises InputError if times without a time zone go back by up to an hour, as when daylight saving
        time ends: they cannot be put in order.
    """
    before, after = _back(ranks, series)
    if not len(after) or len(after) > max(_FEW * len(ranks), int(series.max()) + 1):
        return ()
    row = int(after.argmin())
    back = float(times.at[ranks[before[row]]] - times.at[ranks[after[row]]])
    place = where(int(after[row]))
    if not times.in_seconds:
        return (f"Iterations are not in order ({place}); rows are sorted.",)
    if _HOUR_S / 2 < back <= _HOUR_S and written_times.repeated_hint(times.first):
        raise InputError(
            f"{place}: the time goes back by {duration(back)}, as when daylight saving time ends, "
            "so the order of rows is not known; write times in UTC (with Z)"
        )
    return (f"Times go back by {duration(back)} at {place}; rows are sorted by time.",)


def refuse_jump(ranks: Ints, series: Ints, offsets: Floats, where: Callable[[int], str]) -> None:
    """Raise `InputError` if offsets, ``float64[R]``, fall only because a clock jumped back."""
    rows = np.flatnonzero(~np.isnan(offsets))
    ranks, series, values = ranks[rows], series[rows], offsets[rows]
    after = _back(ranks, series)[1]
    if not len(after):
        return
    in_file = np.argsort(series, kind="stable")
    in_time = np.lexsort((ranks, series))
    if _falls(values[in_file], series[in_file]) or not _falls(values[in_time], series[in_time]):
        return
    raise InputError(
        f"{where(int(rows[after.min()]))}: the clock went back: offsets rise in the order of rows "
        "but fall in the order of times; remove the rows before or after the jump, or write times "
        "in UTC"
    )


def _falls(values: Floats, series: Ints) -> bool:
    return bool(((np.diff(values) < 0.0) & (np.diff(series) == 0)).any())


def _back(ranks: Ints, series: Ints) -> tuple[Ints, Ints]:
    """Rows whose time is before that of the row before them in the same series, and these."""
    if (ranks[1:] >= ranks[:-1]).all():
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    order = np.argsort(series, kind="stable")
    earlier, later = order[:-1], order[1:]
    is_back = (series[earlier] == series[later]) & (ranks[later] < ranks[earlier])
    return earlier[is_back], later[is_back]
