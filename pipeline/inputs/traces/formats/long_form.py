"""Long form of any file format: a row per time and partition becomes a cell of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_NAME
from pipeline.base.text.quoting import named
from pipeline.inputs.traces.formats.arrow_columns import Codes, numbers, row_of
from pipeline.inputs.traces.model import Floats, Times, Trace, check_name, check_size, make
from pipeline.inputs.traces.rates import time_order, total_column
from pipeline.inputs.traces.times import repeated_hint


class Rows(NamedTuple):
    """Rows of a file in long form, in its order."""

    ranks: Codes
    """Rank of each row's time, from 0."""
    times: Times
    """The distinct times."""
    partitions: Codes
    """Index of each row's partition in ``names``."""
    names: Sequence[str]
    """Names of the partitions, in any order."""
    rates: Floats
    """Rate of each row, bytes/s; NaN where the cell is empty."""


def assemble(path: Path, form: str, rows: Rows, where: Callable[[int], str]) -> Trace:
    """Make a trace of rows that have been checked one by one.

    Parameters
    ----------
    form
        Format of the file, in words.
    where
        Returns the position of a row in the file, by its number from 0.

    Raises
    ------
    InputError
        If a time and partition occur in two rows, or the trace is too large.
    """
    n_times = len(rows.times.at)
    check_size(path, n_times, len(rows.names))
    n_partitions = len(rows.names)
    cells = rows.ranks * n_partitions + rows.partitions
    refuse_duplicates(rows, cells, where)
    times = with_notes(rows, where)
    rates = np.full(n_times * n_partitions, np.nan)
    rates[cells] = rows.rates
    matrix = rates.reshape(n_times, n_partitions)
    total_column.refuse(path, rows.names, matrix, is_long=True)
    return make(path, rows.names, matrix, form, times)


def with_notes(rows: Rows, where: Callable[[int], str]) -> Times:
    """Times of rows, with a note if they are not in order."""
    said = time_order.notes(rows.ranks, rows.partitions, rows.times, where)
    return replace(rows.times, notes=(*rows.times.notes, *said))


def by_topic(
    topics: tuple[Codes, list[str]], partitions: tuple[Codes, list[str]]
) -> tuple[Codes, list[str]]:
    """Index of each row's partition, and names ``topic/partition``.

    Parameters
    ----------
    topics, partitions
        Index of each row's topic, or of the partition within it, and the names.
    """
    pairs = topics[0] * len(partitions[1]) + partitions[0]
    distinct, pair_of_row = np.unique(pairs, return_inverse=True)
    return pair_of_row, [
        f"{topics[1][pair // len(partitions[1])]}/{partitions[1][pair % len(partitions[1])]}"
        for pair in distinct.tolist()
    ]


def check_names(column: pa.ChunkedArray, what: str, where: Callable[[int], str]) -> None:
    """Raise `InputError` if a text of a dictionary is too long; only checks distinct texts."""
    if not (pa.types.is_dictionary(column.type) and len(column)):
        return
    whole = column.combine_chunks()
    lengths = numbers(pc.utf8_length(whole.dictionary))
    if lengths.max(initial=0) > MAX_NAME:
        longest = int(lengths.argmax())
        check_name(where(row_of(whole, longest)), int(lengths[longest]), what)


def refuse_duplicates(rows: Rows, cells: Codes, where: Callable[[int], str]) -> None:
    """Raise `InputError` if two rows are of one cell: a time and partition."""
    if np.bincount(cells).max() < 2:
        return
    by_cell = np.argsort(cells, kind="stable")
    again = np.flatnonzero(np.diff(cells[by_cell]) == 0)
    # Report the repetition that comes first in the file.
    second = int(by_cell[again + 1].min())
    first = int(np.flatnonzero(cells == cells[second])[0])
    name = rows.names[int(rows.partitions[second])]
    raise InputError(
        f"{where(second)}: duplicate row for partition {named(name)} at this time, the first is "
        f"in {where(first)}; remove one{repeated_hint(rows.times.first)}"
    )
