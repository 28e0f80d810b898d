"""CSV that Grafana exports from a panel: a column ``Time``, then one per series."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import InputError
from pipeline.text.quoting import kind, named, shown
from pipeline.traces import csv_header, metric_labels, moments, series_trace
from pipeline.traces.model import Floats, Trace, check_name, check_size
from pipeline.traces.moments import Clock
from pipeline.traces.sampled_series import Series
from pipeline.traces.series_trace import BYTES, MESSAGES, SEE, UNKNOWN, Labelled, Source

FORM = "Grafana CSV"
TIME = "Time"

_FIRST = re.compile(r'(?:sep=(?P<sep>[,;])\r?\n)?"?Time"?(?P<next>[,;])')
_SCALES = {
    "": 1.0,
    **dict.fromkeys(("k", "K"), 1e3),
    **dict.fromkeys(("M", "Mil"), 1e6),
    **dict.fromkeys(("G", "Bil"), 1e9),
    **dict.fromkeys(("T", "Tri"), 1e12),
    **{"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40},
}
_CELL = re.compile(
    r"([-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?) ?"
    r"(Mil|Bil|Tri|Ki|Mi|Gi|Ti|[kKMGT])? ?"
    r"(B|B/s|Bps|bytes/s|[a-z]{0,8}/s|ops|cps|mps)?",
    re.ASCII,
)
_BITS = re.compile(r".*\b[kKMGT]?i?(?:b|b/s|bps|bits?/s)", re.ASCII)
_MISSING = frozenset({"", "-", "null", "undefined", "nan", "no data", "n/a"})


class _Columns(NamedTuple):
    """Cells of the file: a list of times, and one of values per series, NaN where empty."""

    times: array[float]
    values: list[array[float]]


def looks_like(head: str) -> bool:
    """Whether the first lines of a file are those of an export of Grafana."""
    return _FIRST.match(head) is not None


def read(path: Path, values: str | None = None, timestamps: str | None = None) -> Trace:
    """Read an export of Grafana.

    Parameters
    ----------
    values
        ``rates`` or ``offsets``; None to recognise them.
    timestamps
        Unit of times that are numbers; None to recognise it.

    Raises
    ------
    InputError
        If a row or cell is not valid; names its line.
    """
    clock, units = Clock(timestamps), _Units()
    with csv_header.opened(path) as file:
        rows = _rows(path, file)
        line, header = next(rows)
        names = [cell.strip() for cell in header[1:]]
        _check_names(f"{path}:{line}", names)
        columns = _read(path, rows, names, clock, units)
    if not columns.times:
        raise InputError(f"{path}: the file has a header but no rows; {SEE}")
    at, order = _ascending(path, columns.times)
    series = [
        (name, *_present(at, np.array(cells)[order]))
        for name, cells in zip(names, columns.values, strict=True)
    ]
    source = Source(path, FORM, values, units.unit, clock.text, units.notes())
    labels = [metric_labels.parsed(name) for name in names]
    if all(labels):
        return series_trace.of_labelled(
            source,
            [
                Labelled(*parsed, times, cells)
                for parsed, (_, times, cells) in zip(labels, series, strict=True)
                if parsed is not None
            ],
        )
    return series_trace.of_series(source, [Series(*one) for one in series], "", len(names) == 1)


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
    for place, name in enumerate(names, start=2):
        check_name(where, len(name), f"the name of column {place:,}")
        if not name or names.index(name) != place - 2:
            what = "has no name" if not name else "has the name of another one"
            raise InputError(f"{where}: column {place:,} {what}; set the panel's legend; {SEE}")


def _read(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    names: Sequence[str],
    clock: Clock,
    units: _Units,
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
            column.append(_value(where, name, cell, units))
        if len(columns.times) % 1000 == 1:
            check_size(path, len(columns.times), len(names))
    return columns


def _value(where: str, name: str, cell: str, units: _Units) -> float:
    """The number in a cell, NaN if it is empty."""
    text = cell.strip().replace("\u00a0", " ")
    try:
        number = float(text)
    except ValueError:
        if text.lower() in _MISSING:
            return math.nan
        number = units.number(text)
    if math.isnan(number) and text.lower() == "nan":
        return math.nan
    if not 0.0 <= number < math.inf:
        unit = "; set the panel's unit to bytes/sec" if _BITS.fullmatch(text) else ""
        raise InputError(
            f"{where}: column {named(name)} must have numbers, 0 or more (got {shown(cell)})"
            f"{unit}; {SEE}"
        )
    return number


class _Units:
    """Units of formatted cells."""

    def __init__(self) -> None:
        self.unit = UNKNOWN
        self._is_formatted = False

    def number(self, text: str) -> float:
        """The number of a formatted cell such as ``1.2 MB/s``; NaN if it is none."""
        match = None if _BITS.fullmatch(text) else _CELL.fullmatch(text)
        if match is None or not any(map(str.isdigit, match[1])):
            return math.nan
        self._is_formatted = True
        unit = match[3] or ""
        if unit:
            self.unit = BYTES if unit[0] == "B" or unit == "bytes/s" else MESSAGES
        return float(match[1].replace(",", "")) * _SCALES[match[2] or ""]

    def notes(self) -> tuple[str, ...]:
        """A note on rounded values."""
        if not self._is_formatted:
            return ()
        return (
            "Values are rounded as the panel shows them. For exact values, export with 'Formatted "
            "data' off.",
        )


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
