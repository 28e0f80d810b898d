"""Wide CSV: a row per time, a column per partition, or a single one with the total rate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces import files, moments, times
from pipeline.inputs.traces.formats import cell_texts, csv_header
from pipeline.inputs.traces.formats.csv_header import Header
from pipeline.inputs.traces.formats.rate_cells import amount_of, rate_of
from pipeline.inputs.traces.model import Floats, Times, check_size
from pipeline.inputs.traces.rates.long_table import OFFSETS, RATES, LongTable, Measurements
from pipeline.inputs.traces.reading import Reading

_PLAIN = re.compile(r"[-+0-9.eE]*", re.ASCII)


def read(path: Path, reading: Reading) -> LongTable:
    """Read wide CSV, or one total rate. Raises InputError, which names the line of a bad cell."""
    head = csv_header.read(path)
    table = _table(path, head)
    if not table.rows:
        raise InputError(f"{path}: the file has a header but no rows; add a row for each time")
    names = ("total",) if head.is_total else head.names[1:]
    check_size(path, len(table.rows), len(names))
    of_rows, written = _times(path, head.names[0], table, reading.timestamps)
    ranks = np.repeat(np.array(of_rows), len(names))
    return LongTable(
        path,
        "CSV of one total rate" if head.is_total else "wide CSV",
        np.tile(np.arange(len(names)), len(table.rows)),
        written.at[ranks],
        np.concatenate(table.rows),
        names,
        kind=reading.values or _kind(head),
        text=moments.writer(written),
        notes=(files.CUT,) if files.is_cut(path) else (),
        warnings=csv_header.notes(path),
        is_total=head.is_total,
        measurements=Measurements(
            len(written.at),
            ranks,
            written,
            lambda row: f"{path}:{table.lines[row // len(names)]}",
            in_columns=True,
        ),
    )


def _kind(head: Header) -> str | None:
    """What values are, as far as the header says."""
    if head.value == "offset":
        return OFFSETS
    return RATES if head.is_total and head.line > 0 else None


class _Table(NamedTuple):
    """Rows of a file in its order: times as texts, lines, and rates ``float64[P]`` each."""

    texts: list[str]
    lines: list[int]
    rows: list[Floats]


def _table(path: Path, head: Header) -> _Table:
    table = _Table([], [], [])
    with csv_header.opened(path) as file:
        for line, cells in csv_header.records(path, file):
            if line <= head.line:
                continue
            _check_length(f"{path}:{line}", cells, len(head.names))
            table.texts.append(cell_texts.cleaned(cells[0]))
            table.lines.append(line)
            table.rows.append(_rates(f"{path}:{line}", head, cells[1:]))
            if len(table.rows) % 1000 == 1:
                check_size(path, len(table.rows), len(head.names) - 1)
    return table


def _check_length(where: str, cells: Sequence[str], columns: int) -> None:
    if len(cells) != columns:
        raise InputError(
            f"{where}: must have {columns} cells, one per column (got {len(cells)}); "
            "leave a cell empty while the partition does not exist"
        )


def _rates(where: str, head: Header, cells: Sequence[str]) -> Floats:
    """Rates of one row. Most rows only hold plain numbers, which is quick to check."""
    if head.is_total:
        return np.array([amount_of(where, cells[0], "rate")])
    if _PLAIN.fullmatch("".join(cells)):
        try:
            rates = np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            pass
        else:
            if not (np.isinf(rates).any() or (rates < 0).any()):
                return rates
    pairs = zip(head.names[1:], cells, strict=True)
    return np.array([rate_of(f"{where}: partition {named(n)}", cell) for n, cell in pairs])


def _times(
    path: Path, column: str, table: _Table, timestamps: str | None
) -> tuple[list[int], Times]:
    """Rank of each row's time, and the times, which are distinct."""
    texts, lines = table.texts, table.lines
    try:
        ranks, written = times.ranks(column, texts, timestamps)
    except times.TimeError as error:
        raise InputError(f"{path}:{lines[error.position]}: {column} {error}") from error
    if len(written.at) < len(texts):
        first: dict[int, int] = {}
        for position, rank in enumerate(ranks):
            if rank in first:
                raise InputError(
                    f"{path}:{lines[position]}: duplicate {column} "
                    f"{shown(texts[position].strip())}, the first is in line "
                    f"{lines[first[rank]]}; remove one{times.repeated_hint(texts[position])}"
                )
            first[rank] = position
    return ranks, written
