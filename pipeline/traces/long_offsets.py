"""A trace of rows that hold the end offsets of partitions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from pipeline.errors import InputError
from pipeline.traces import moments
from pipeline.traces.long_form import Rows, refuse_duplicates
from pipeline.traces.model import Trace, check_size
from pipeline.traces.sampled_series import Series
from pipeline.traces.series_trace import OFFSETS, SEE, Source, of_series


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
    if not rows.times.in_seconds:
        raise InputError(
            f"{path}: offsets need a column timestamp (got iteration), since a rate is per second; "
            f"{SEE}"
        )
    check_size(path, len(rows.times.at), len(rows.names))
    cells = rows.ranks * len(rows.names) + rows.partitions
    refuse_duplicates(rows, cells, where)
    # By partition, then time.
    order = np.lexsort((rows.ranks, rows.partitions))
    order = order[~np.isnan(rows.rates[order])]
    ends = np.cumsum(np.bincount(rows.partitions[order], minlength=len(rows.names)))
    series = [
        Series(name, rows.times.at[rows.ranks[own]], rows.rates[own])
        for name, own in zip(rows.names, np.split(order, ends[:-1]), strict=True)
    ]
    return of_series(Source(path, form, OFFSETS, at=moments.writer(rows.times)), series)
