"""A trace of rows that hold the end offsets of partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from pipeline.base.errors import InputError
from pipeline.inputs.traces import moments
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats.long_form import Rows, refuse_duplicates, with_notes
from pipeline.inputs.traces.model import Floats, Times, Trace, check_size
from pipeline.inputs.traces.rates import time_order
from pipeline.inputs.traces.rates.sampled_series import Series
from pipeline.inputs.traces.rates.series_trace import OFFSETS, Source, of_series


def trace(path: Path, form: str, rows: Rows, where: Callable[[int], str]) -> Trace:
    """Turn offsets into rates.

    Parameters
    ----------
    form
        Format of the file, in words.
    rows
        Rows with offsets in place of rates.
    where
        Returns the position of a row in the file, by its number from 0.

    Raises
    ------
    InputError
        If rows have no times in seconds, a time and partition occur in two of them, or the trace
        is too large.
    """
    _check_times(path, rows.times)
    check_size(path, len(rows.times.at), len(rows.names))
    cells = rows.ranks * len(rows.names) + rows.partitions
    refuse_duplicates(rows, cells, where)
    time_order.refuse_jump(rows.ranks, rows.partitions, rows.rates, where)
    times = with_notes(rows, where)
    # By partition, then time.
    order = np.lexsort((rows.ranks, rows.partitions))
    order = order[~np.isnan(rows.rates[order])]
    ends = np.cumsum(np.bincount(rows.partitions[order], minlength=len(rows.names)))
    series = [
        Series(name, rows.times.at[rows.ranks[own]], rows.rates[own])
        for name, own in zip(rows.names, np.split(order, ends[:-1]), strict=True)
    ]
    return _of_series(path, form, times, series, is_total=False)


def of_matrix(
    path: Path,
    form: str,
    matrix: tuple[Times, Sequence[str], Floats],
    is_total: bool,
) -> Trace:
    """Turn offsets in columns into rates.

    Parameters
    ----------
    matrix
        The N times, names of the P columns, and offsets ``float64[N, P]``, NaN where unknown.
    is_total
        Whether the only column is the sum over a topic.

    Raises
    ------
    InputError
        If rows have no times in seconds.
    """
    times, names, offsets = matrix
    _check_times(path, times)
    known = ~np.isnan(offsets)
    series = [
        Series(name, times.at[known[:, j]], offsets[known[:, j], j]) for j, name in enumerate(names)
    ]
    return _of_series(path, form, times, series, is_total)


def _check_times(path: Path, times: Times) -> None:
    if not times.in_seconds:
        raise InputError(
            f"{path}: offsets need a column timestamp (got iteration), since a rate is per second; "
            f"{SEE}"
        )


def _of_series(
    path: Path, form: str, times: Times, series: Sequence[Series], is_total: bool
) -> Trace:
    source = Source(path, form, OFFSETS, at=moments.writer(times), notes=times.notes)
    return of_series(source, series, is_total=is_total)
