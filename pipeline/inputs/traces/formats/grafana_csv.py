"""CSV that Grafana exports from a panel: a column ``Time``, then one per series."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import kind, shown
from pipeline.inputs.traces import moments
from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import csv_header
from pipeline.inputs.traces.formats.panel_cells import Numbers
from pipeline.inputs.traces.model import Floats, check_name, check_size
from pipeline.inputs.traces.moments import Clock
from pipeline.inputs.traces.rates import long_table, metric_labels, total_column
from pipeline.inputs.traces.rates.long_table import RATES, Labels, LongTable
from pipeline.inputs.traces.reading import Reading

FORM = "Grafana CSV"
TIME = "Time"

_FIRST = re.compile(r'(?:sep=(?P<sep>[,;])\r?\n)?"?Time"?(?P<next>[,;])')


class _Columns(NamedTuple):
    """Cells of the file: a list of times, and one of values per series, NaN where empty."""

    times: array[float]
    values: list[array[float]]


def looks_like(head: Head) -> bool:
    """Whether the first lines of a file are those of an export of Grafana."""
    return _FIRST.match(head.text) is not None


def read(path: Path, reading: Reading) -> LongTable:
    """Read an export of Grafana. Raises InputError, with the line, if a cell is not valid."""
    clock = Clock(reading.timestamps)
    with csv_header.opened(path) as file:
        numbers = Numbers(_mark(file))
        numbers.learn(str(path), _cells(path, file))
    with csv_header.opened(path) as file:
        rows = _rows(path, file)
        line, header = next(rows)
        names = [cell.strip() for cell in header[1:]]
        _check_names(f"{path}:{line}", names)
        columns = _read(path, rows, names, clock, numbers)
    if not columns.times:
        raise InputError(f"{path}: the file has a header but no rows; {SEE}")
    at, order = _ascending(path, columns.times)
    cells = np.stack([np.array(column)[order] for column in columns.values], axis=1)
    notes = (*clock.notes, *numbers.notes())
    while (total := total_column.place(names, cells, numbers.is_formatted)) is not None:
        others, note = total_column.without(names, cells, total)
        names, cells, notes = [names[k] for k in others], cells[:, others], (*notes, note)
    total_column.refuse_names(path, names)
    labels = [metric_labels.parsed(name) for name in names]
    labelled = [Labels(*parsed) for parsed in labels if parsed is not None]
    has_labels = len(labelled) == len(names)
    return LongTable(
        path,
        FORM,
        *long_table.stacked([_present(at, column) for column in cells.T]),
        names,
        labelled if has_labels else (),
        kind=reading.values or (RATES if numbers.are_rates else None),
        unit=numbers.unit,
        text=clock.text,
        notes=notes,
        is_total=len(names) == 1 and not has_labels and not total_column.is_numbered(names[0]),
    )


def _mark(file: TextIO) -> str:
    """The character between cells."""
    match = _FIRST.match(file.readline() + file.readline())
    file.seek(0)
    return match["next"] if match else ","


def _cells(path: Path, file: TextIO) -> Iterator[str]:
    """All cells but the times."""
    rows = _rows(path, file)
    next(rows)
    return (cell for _, row in rows for cell in row[1:])


def _rows(path: Path, file: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, header first, with their lines; without a line ``sep=``."""
    first = file.readline()
    skipped = first.startswith("sep=")
    if skipped:
        first = file.readline()
    match = _FIRST.match(first)
    mark = match["next"] if match else ","
    reader = csv.reader([first], delimiter=mark, strict=True)
    yield 1 + skipped, next(reader)
    reader = csv.reader(file, delimiter=mark, strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num + 1 + skipped, row
    except csv.Error as error:
        line = reader.line_num + 1 + skipped
        raise InputError(f"{path}:{line}: not valid CSV ({kind(str(error))})") from None


def _check_names(where: str, names: Sequence[str]) -> None:
    if {name.lower() for name in names} == {"series", "value"}:
        raise InputError(
            f"{where}: each row has one value; export with 'Series joined by time' in Grafana's "
            f"data options; {SEE}"
        )
    first: dict[str, int] = {}
    for place, name in enumerate(names, start=2):
        check_name(where, len(name), f"the name of column {place:,}")
        if not name or first.setdefault(name, place) != place:
            what = "has no name" if not name else "has the name of another one"
            raise InputError(f"{where}: column {place:,} {what}; set the panel's legend; {SEE}")


def _read(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    names: Sequence[str],
    clock: Clock,
    numbers: Numbers,
) -> _Columns:
    columns = _Columns(array("d"), [array("d") for _ in names])
    for line, cells in rows:
        where = f"{path}:{line}"
        if len(cells) != len(names) + 1:
            raise InputError(
                f"{where}: must have {len(names) + 1} cells, one per column (got {len(cells)})"
            )
        try:
            columns.times.append(clock.seconds(cells[0].strip()))
        except ValueError as error:
            raise InputError(f"{where}: Time {error} (got {shown(cells[0])}); {SEE}") from None
        for name, cell, column in zip(names, cells[1:], columns.values, strict=True):
            column.append(numbers.value(where, name, cell))
        if len(columns.times) % 1000 == 1:
            check_size(path, len(columns.times), len(names))
    return columns


def _ascending(path: Path, times: array[float]) -> tuple[Floats, NDArray[np.int64]]:
    """Times in ascending order, and the positions of their rows."""
    at = np.array(times)
    order = np.argsort(at, kind="stable")
    again = np.flatnonzero(np.diff(at[order]) == 0.0)
    if len(again):
        time = moments.iso(float(at[order][again[0]]))
        raise InputError(
            f"{path}: two rows have the same Time ({time}); set the dashboard's time zone to UTC, "
            f"and export again; {SEE}"
        )
    return at[order], order


def _present(times: Floats, cells: Floats) -> tuple[Floats, Floats]:
    present = ~np.isnan(cells)
    return times[present], cells[present]
