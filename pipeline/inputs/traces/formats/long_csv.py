"""Long CSV: a row per time and partition, with its rate or offset.

Arrow reads millions of rows in seconds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces import files, times
from pipeline.inputs.traces.formats import cell_texts, csv_header, long_offsets
from pipeline.inputs.traces.formats.arrow_columns import Codes, codes, first, floats, merged, row_of
from pipeline.inputs.traces.formats.csv_header import Header
from pipeline.inputs.traces.formats.long_form import Rows, assemble, by_topic, check_names
from pipeline.inputs.traces.formats.rate_cells import offset_of, rate_of
from pipeline.inputs.traces.model import Floats, Times, Trace

_BLOCK = 16 * 1024 * 1024
_REPEATED = pa.dictionary(pa.int32(), pa.string())


def read(path: Path, values: str | None = None, timestamps: str | None = None) -> Trace:
    """Read a long CSV file.

    Parameters
    ----------
    values, timestamps
        As in `pipeline.inputs.traces.load`.

    Raises
    ------
    InputError
        If a row or cell is not valid; names its line.
    """
    head = csv_header.read(path)
    table = _table(path, head)
    if table.num_rows == 0:
        raise InputError(f"{path}: the file has a header but no rows; add a row for each rate")
    lines = _Lines(path, head)
    time_column = next(name for name in head.names if name in csv_header.TIMES)
    for name in head.names:
        check_names(table[name], name, lines.where)
    columns = {name: table[name].combine_chunks() for name in head.names}
    found, times_at = _times(columns[time_column], time_column, lines, timestamps)
    partitions, names = _partitions(columns, lines)
    numbers = _values(columns[head.value], head.value, lines)
    rows = _of_whole_lines(path, Rows(found, times_at, partitions, names, numbers), head.value)
    if values == "rates" or (values is None and head.value == "rate"):
        return assemble(path, "long CSV", rows, lines.where)
    return long_offsets.trace(path, "long CSV", rows, lines.where)


def _of_whole_lines(path: Path, rows: Rows, column: str) -> Rows:
    """Rows with a note if the last one may be cut short; an offset that was cut is left out."""
    if not files.is_cut(path):
        return rows
    last = len(rows.ranks) - 1
    before = (rows.partitions == rows.partitions[last]) & (rows.ranks < rows.ranks[last])
    if column == "offset" and np.nanmax(rows.rates[before], initial=0.0) > rows.rates[last]:
        rates = rows.rates.copy()
        rates[last] = np.nan
        rows = rows._replace(rates=rates)
    notes = (*rows.times.notes, files.CUT)
    return rows._replace(times=replace(rows.times, notes=notes))


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


def _texts(column: pa.DictionaryArray, name: str, wanted: str, lines: _Lines) -> list[str]:
    """Distinct texts of a column, without blanks around; none may be empty."""
    texts = [cell_texts.cleaned(text) for text in column.dictionary.to_pylist()]
    row = first(pc.is_null(column))
    if row is None and "" in texts:
        row = row_of(column, texts.index(""))
    if row is not None:
        raise InputError(f"{lines.where(row)}: {name} must be {wanted} (got none)")
    return texts


def _times(
    column: pa.DictionaryArray, name: str, lines: _Lines, timestamps: str | None
) -> tuple[Codes, Times]:
    texts = _texts(column, name, times.KINDS, lines)
    try:
        found, moments = times.ranks(name, texts, timestamps)
    except times.TimeError as error:
        row = row_of(column, error.position)
        raise InputError(f"{lines.where(row)}: {name} {error}") from error
    return np.array(found, dtype=np.int64)[codes(column)], moments


def _partitions(
    columns: Mapping[str, pa.DictionaryArray], lines: _Lines
) -> tuple[Codes, list[str]]:
    """Index of each row's partition, and names: ``topic/partition`` if the file has topics."""
    places, names = merged(_numbered(columns["partition"], lines))
    partitions = places[codes(columns["partition"])]
    if "topic" not in columns:
        return partitions, names
    of_topics, topics = merged(_texts(columns["topic"], "topic", "a name", lines))
    return by_topic((of_topics[codes(columns["topic"])], topics), (partitions, names))


def _numbered(column: pa.DictionaryArray, lines: _Lines) -> list[str]:
    """Names of partitions."""
    names = []
    for code, text in enumerate(_texts(column, "partition", "a name", lines)):
        try:
            names.append(cell_texts.partition(text))
        except ValueError as error:
            where = lines.where(row_of(column, code))
            raise InputError(f"{where}: partition {error} (got {shown(text)})") from None
    return names


def _values(texts: pa.StringArray, column: str, lines: _Lines) -> Floats:
    with suppress(pa.ArrowInvalid):
        found, present = floats(pc.cast(texts, pa.float64()))
        # Arrow reads "nan" and "inf" as numbers: they are errors, as negative numbers are.
        if not (present & ~(np.isfinite(found) & (found >= 0.0))).any():
            return found
    return _one_by_one(texts, column, lines)


def _one_by_one(texts: pa.StringArray, column: str, lines: _Lines) -> Floats:
    """Values of cells that are not all plain numbers: some may have blanks around them."""
    found = np.empty(len(texts))
    value_of = rate_of if column == "rate" else offset_of
    for row, text in enumerate(texts.to_pylist()):
        try:
            found[row] = value_of("", text or "")
        except InputError as error:
            problem = str(error).removeprefix(": ")
            raise InputError(f"{lines.where(row)}: {problem}") from error
    return found
