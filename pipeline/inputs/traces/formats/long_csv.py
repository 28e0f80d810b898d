"""Long CSV: a rate or offset per time and partition; Arrow reads millions of rows in seconds."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from pipeline.base.errors import InputError
from pipeline.inputs.traces import files, moments
from pipeline.inputs.traces.formats import csv_header, long_columns
from pipeline.inputs.traces.formats.arrow_columns import floats
from pipeline.inputs.traces.formats.csv_header import Header
from pipeline.inputs.traces.formats.rate_cells import amount_of, rate_of
from pipeline.inputs.traces.model import Floats
from pipeline.inputs.traces.rates.long_table import Codes, LongTable, Measurements
from pipeline.inputs.traces.reading import Reading

_BLOCK = 16 * 1024 * 1024
_REPEATED = pa.dictionary(pa.int32(), pa.string())


def read(path: Path, reading: Reading) -> LongTable:
    """Read a long CSV file. Raises InputError if a row or cell is not valid; names its line."""
    head = csv_header.read(path)
    table = _table(path, head)
    if table.num_rows == 0:
        raise InputError(f"{path}: the file has a header but no rows; add a row for each rate")
    lines = _Lines(path, head)
    time_column = next(name for name in head.names if name in csv_header.TIMES)
    for name in head.names:
        long_columns.check_names(table[name], name, lines.where)
    columns = {name: table[name].combine_chunks() for name in head.names}
    ranks, written = long_columns.written_times(
        columns[time_column], time_column, lines.where, reading.timestamps
    )
    series, names = long_columns.partitions(columns["partition"], columns.get("topic"), lines.where)
    values = _values(columns[head.value], head.value, lines)
    is_cut = files.is_cut(path)
    if is_cut and head.value == "offset":
        values = _without_cut(ranks, series, values)
    return LongTable(
        path,
        "long CSV",
        series,
        written.at[ranks],
        values,
        names,
        kind=reading.values or csv_header.VALUES[head.value],
        text=moments.writer(written),
        notes=(files.CUT,) if is_cut else (),
        warnings=csv_header.notes(path),
        measurements=Measurements(len(written.at), ranks, written, lines.where),
    )


def _without_cut(ranks: Codes, series: Codes, offsets: Floats) -> Floats:
    """Offsets of a file whose last line may be cut short: it is left out if it would be a reset."""
    before = (series == series[-1]) & (ranks < ranks[-1])
    if np.nanmax(offsets[before], initial=0.0) <= offsets[-1]:
        return offsets
    whole = offsets.copy()
    whole[-1] = np.nan
    return whole


class _Lines:
    """Finds the line of a row, for messages."""

    def __init__(self, path: Path, head: Header) -> None:
        self._path, self._head = path, head

    def where(self, row: int) -> str:
        """File and line of a row, by its number from 0."""
        with csv_header.opened(self._path) as file:
            rows = (
                line for line, _ in csv_header.records(self._path, file) if line > self._head.line
            )
            line = next((line for number, line in enumerate(rows) if number == row), None)
        return str(self._path) if line is None else f"{self._path}:{line}"


def _table(path: Path, head: Header) -> pa.Table:
    """All cells as texts; a file that Arrow finds malformed is read again to find the line."""
    columns = {name: pa.string() if name == head.value else _REPEATED for name in head.names}
    # Arrow's message quotes a row, so it must not be the cause of an error either. Arrow opens the
    # file: a thread of its own that lets go of a Python file as Python ends aborts the process.
    with suppress(pa.ArrowInvalid):
        return pcsv.read_csv(
            pa.OSFile(os.fsencode(path)),
            read_options=pcsv.ReadOptions(
                column_names=list(head.names), skip_rows=head.line, block_size=_BLOCK
            ),
            parse_options=pcsv.ParseOptions(newlines_in_values=True),
            convert_options=pcsv.ConvertOptions(
                column_types=columns, null_values=[""], strings_can_be_null=True
            ),
        ).unify_dictionaries()
    _explain(path, head)
    raise InputError(f"{path}: a row is not valid CSV or longer than 16 MB")


def _explain(path: Path, head: Header) -> None:
    """Raise the error that names the first malformed line, if one is found."""
    with csv_header.opened(path) as file:
        for line, cells in csv_header.records(path, file):
            if len(cells) != len(head.names):
                raise InputError(
                    f"{path}:{line}: must have {len(head.names)} cells: "
                    f"{', '.join(head.names)} (got {len(cells)})"
                )


def _values(texts: pa.StringArray, column: str, lines: _Lines) -> Floats:
    with suppress(pa.ArrowInvalid):
        values, present = floats(pc.cast(texts, pa.float64()))
        # Arrow reads "nan" and "inf" as numbers: they are errors, as negative numbers are.
        if not (present & ~(np.isfinite(values) & (values >= 0.0))).any():
            return values
    return _one_by_one(texts, column, lines)


def _one_by_one(texts: pa.StringArray, column: str, lines: _Lines) -> Floats:
    """Values of cells that are not all plain numbers: some may have blanks around them."""
    values = np.empty(len(texts))
    value_of = rate_of if column == "rate" else partial(amount_of, what="offset", can_be_empty=True)
    for row, text in enumerate(texts.to_pylist()):
        try:
            values[row] = value_of("", text or "")
        except InputError as error:
            problem = str(error).removeprefix(": ")
            raise InputError(f"{lines.where(row)}: {problem}") from error
    return values
