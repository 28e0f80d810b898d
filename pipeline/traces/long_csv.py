"""Long CSV: a row per time and partition. Arrow reads millions of rows in seconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from pipeline.errors import InputError
from pipeline.traces import header, times
from pipeline.traces.cells import rate_of
from pipeline.traces.header import Header
from pipeline.traces.long import Codes, Rows, assemble
from pipeline.traces.model import Floats, Trace

_BLOCK = 16 * 1024 * 1024
_REPEATED = pa.dictionary(pa.int32(), pa.string())


def read(path: Path) -> Trace:
    """Read a long CSV file.

    Raises
    ------
    InputError
        If a row or cell is not as it should be; names its line.
    """
    head = header.read(path)
    table = _table(path, head)
    if table.num_rows == 0:
        raise InputError(f"{path}: has a header and no rows; add a row for each rate")
    lines = _Lines(path, head)
    time_column = next(name for name in head.names if name in header.TIMES)
    moments, n_times = _times(table, time_column, lines)
    partitions, names = _partitions(table, lines)
    rates = _rates(table, lines)
    return assemble(path, Rows(moments, n_times, partitions, names, rates), lines.where)


class _Lines:
    """Finds the line of a row, for messages."""

    def __init__(self, path: Path, head: Header) -> None:
        self._path, self._head = path, head

    def where(self, row: int) -> str:
        """File and line of a row, by its number from 0."""
        with header.opened(self._path) as file:
            rows = (line for line, _ in header.records(self._path, file) if line > self._head.line)
            line = next((line for number, line in enumerate(rows) if number == row), None)
        return str(self._path) if line is None else f"{self._path}:{line}"


def _table(path: Path, head: Header) -> pa.Table:
    """All cells as texts; where Arrow finds the file malformed, it is read again for the line."""
    columns = {name: pa.string() if name == "rate" else _REPEATED for name in head.names}
    try:
        with path.open("rb") as file:
            found = pcsv.read_csv(
                file,
                read_options=pcsv.ReadOptions(
                    column_names=list(head.names), skip_rows=head.line, block_size=_BLOCK
                ),
                parse_options=pcsv.ParseOptions(newlines_in_values=True),
                convert_options=pcsv.ConvertOptions(column_types=columns),
            )
    except pa.ArrowInvalid as error:
        _explain(path, head)
        raise InputError(f"{path}: is not CSV ({error}); correct it") from error
    return found.unify_dictionaries().combine_chunks()


def _explain(path: Path, head: Header) -> None:
    """Raise the error that names the first malformed line, if one is found."""
    with header.opened(path) as file:
        for line, cells in header.records(path, file):
            if len(cells) != len(head.names):
                raise InputError(
                    f"{path}:{line}: has {len(cells)} cells: must have {len(head.names)}, for "
                    f"{', '.join(head.names)}; correct it"
                )


def _repeated(column: pa.ChunkedArray) -> tuple[Codes, list[str]]:
    """A column as numbers of its distinct texts, and these without blanks around."""
    array = column.combine_chunks()
    codes = array.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, [text.strip() for text in array.dictionary.to_pylist()]


def _first(codes: Codes, code: int) -> int:
    return int(np.flatnonzero(codes == code)[0])


def _times(table: pa.Table, column: str, lines: _Lines) -> tuple[Codes, int]:
    codes, texts = _repeated(table[column])
    if "" in texts:
        row = _first(codes, texts.index(""))
        raise InputError(f"{lines.where(row)}: {column} is empty: must be {times.KINDS}; give one")
    try:
        found, distinct = times.ranks(column, texts)
    except times.TimeError as error:
        row = _first(codes, error.position)
        raise InputError(f"{lines.where(row)}: {column} is {error}") from error
    return np.array(found, dtype=np.int64)[codes], distinct


def _partitions(table: pa.Table, lines: _Lines) -> tuple[Codes, list[str]]:
    codes, texts = _repeated(table["partition"])
    if "" in texts:
        row = _first(codes, texts.index(""))
        raise InputError(f"{lines.where(row)}: partition is empty; give its name")
    # Texts that differ in blanks around them are one name.
    names = list(dict.fromkeys(texts))
    places = {name: place for place, name in enumerate(names)}
    return np.array([places[text] for text in texts], dtype=np.int64)[codes], names


def _rates(table: pa.Table, lines: _Lines) -> Floats:
    texts = table["rate"].combine_chunks()
    given = pc.if_else(pc.equal(texts, ""), None, texts)
    try:
        found = pc.cast(given, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return _one_by_one(texts, lines)
    # Arrow reads "nan" and "inf" as numbers: they are as wrong as negative ones.
    present = pc.is_valid(given).to_numpy(zero_copy_only=False)
    if (present & ~(np.isfinite(found) & (found >= 0.0))).any():
        return _one_by_one(texts, lines)
    return np.where(present, found, np.nan)


def _one_by_one(texts: pa.StringArray, lines: _Lines) -> Floats:
    """Rates of cells that are not all plain numbers: some may have blanks around."""
    found = np.empty(len(texts))
    for row, text in enumerate(texts.to_pylist()):
        try:
            found[row] = rate_of("", text)
        except InputError as error:
            problem = str(error).removeprefix(": ")
            raise InputError(f"{lines.where(row)}: {problem}") from error
    return found
