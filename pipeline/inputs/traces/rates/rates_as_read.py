"""A trace of measurements: a row per time and partition becomes a cell of a matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.model import Floats, Trace, check_name, check_size, make
from pipeline.inputs.traces.rates import series_trace, time_order, total_column, value_kinds
from pipeline.inputs.traces.rates.long_table import OFFSETS, Codes, LongTable, Measurements
from pipeline.inputs.traces.times import repeated_hint


def trace_of(table: LongTable) -> Trace:
    """The trace of a file's rows.

    Raises InputError if rows contradict each other, it is not known what values are, or the trace
        is too large.
    """
    check_name(str(table.path), max(map(len, table.names), default=0))
    if table.measurements is None:
        return series_trace.trace(table)
    return _trace(table, table.measurements)


def _trace(table: LongTable, measurements: Measurements) -> Trace:
    are_offsets = table.kind == OFFSETS
    if are_offsets and not measurements.in_seconds:
        raise InputError(
            f"{table.path}: offsets need a column timestamp (got iteration), since a rate is per "
            f"second; {SEE}"
        )
    check_size(table.path, measurements.size, len(table.names))
    cells = measurements.ranks * len(table.names) + table.series
    _refuse_duplicates(table, measurements, cells)
    if are_offsets:
        time_order.refuse_jump(measurements.ranks, table.series, table.values, measurements.where)
    notes = _notes(table, measurements)
    matrix = np.full((measurements.size, len(table.names)), np.nan)
    matrix.ravel()[cells] = table.values
    total_column.refuse(table.path, table.names, matrix, measurements.in_columns)
    if are_offsets:
        return series_trace.trace(replace(table, notes=notes))
    _refuse_offsets(table, measurements, matrix)
    made = make(table.path, table.names, matrix, table.form, measurements.times, table.is_total)
    return replace(made, notes=notes)


def _notes(table: LongTable, measurements: Measurements) -> tuple[str, ...]:
    """What is known so far, and whether rows are not in order."""
    if measurements.times is None:
        return table.notes
    order = time_order.notes(
        measurements.ranks, table.series, measurements.times, measurements.where
    )
    return (*measurements.times.notes, *order, *table.notes)


def _refuse_offsets(table: LongTable, measurements: Measurements, matrix: Floats) -> None:
    """Raise `InputError` if nothing says that values are rates, and they look like offsets."""
    if table.kind is None and measurements.in_seconds and value_kinds.may_be_offsets(matrix):
        raise InputError(
            f"{table.path}: columns hold integers that rise as offsets do, and no column says what "
            f"they are; set --values offsets or --values rates; {SEE}"
        )


def _refuse_duplicates(table: LongTable, measurements: Measurements, cells: Codes) -> None:
    """Raise `InputError` if two rows are of one cell: a time and partition."""
    if np.bincount(cells, minlength=1).max() < 2:
        return
    by_cell = np.argsort(cells, kind="stable")
    again = np.flatnonzero(np.diff(cells[by_cell]) == 0)
    # Report the repetition that comes first in the file.
    second = int(by_cell[again + 1].min())
    first = int(np.flatnonzero(cells == cells[second])[0])
    name = table.names[int(table.series[second])]
    hint = "" if measurements.times is None else repeated_hint(measurements.times.first)
    raise InputError(
        f"{measurements.where(second)}: duplicate row for partition {named(name)} at this time, "
        f"the first is in {measurements.where(first)}; remove one{hint}"
    )
