"""Wide CSV: a row per time, a column per partition, or a single one with the total rate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces import files, times
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import cell_texts, csv_header
from pipeline.inputs.traces.formats.csv_header import Header
from pipeline.inputs.traces.formats.rate_cells import rate_of, total_of
from pipeline.inputs.traces.model import Floats, Times, Trace, check_size, make
from pipeline.inputs.traces.rates import time_order, total_column, value_kinds

_PLAIN = re.compile(r"[-+0-9.eE]*", re.ASCII)


def read(path: Path, values: str | None = None, timestamps: str | None = None) -> Trace:
    """Read a wide CSV file, or one of one total rate.

    Parameters
    ----------
    values, timestamps
        As in `pipeline.inputs.traces.load`.

    Raises
    ------
    InputError
        If a row or cell is not valid (names its line), or the numbers may be offsets.
    """
    head = csv_header.read(path)
    table = _table(path, head)
    if not table.rows:
        raise InputError(f"{path}: the file has a header but no rows; add a row for each time")
    check_size(path, len(table.rows), len(head.names) - 1)
    order, moments = _order(path, head.names[0], table, timestamps)
    moments = _with_notes(path, moments, order, table.lines)
    rates = np.stack(table.rows)[order]
    names = ("total",) if head.is_total else head.names[1:]
    form = "CSV of one total rate" if head.is_total else "wide CSV"
    if not head.is_total:
        total_column.refuse(path, names, rates)
    if values == "offsets" or (values is None and head.value == "offset"):
        from pipeline.inputs.traces.formats import long_offsets  # imports Arrow

        return long_offsets.of_matrix(path, form, (moments, names, rates), head.is_total)
    has_rates = head.is_total and head.line > 0
    can_be_offsets = values is None and moments.in_seconds and not has_rates
    if can_be_offsets and value_kinds.may_be_offsets(rates):
        raise InputError(
            f"{path}: columns hold integers that rise as offsets do, and no column says what they "
            f"are; set --values offsets or --values rates; {SEE}"
        )
    return make(path, names, rates, form, moments, head.is_total)


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


def _with_notes(path: Path, moments: Times, order: Sequence[int], lines: Sequence[int]) -> Times:
    """Times with notes on the order of rows and the end of the file."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[list(order)] = np.arange(len(order))
    said = time_order.notes(
        ranks, np.zeros_like(ranks), moments, lambda row: f"{path}:{lines[row]}"
    )
    cut = (files.CUT,) if files.is_cut(path) else ()
    return replace(moments, notes=(*moments.notes, *said, *cut))


def _check_length(where: str, cells: Sequence[str], columns: int) -> None:
    if len(cells) != columns:
        raise InputError(
            f"{where}: must have {columns} cells, one per column (got {len(cells)}); "
            "leave a cell empty while the partition does not exist"
        )


def _rates(where: str, head: Header, cells: Sequence[str]) -> Floats:
    """Rates of one row. Most rows only hold plain numbers, which is quick to check."""
    if head.is_total:
        return np.array([total_of(where, cells[0])])
    if _PLAIN.fullmatch("".join(cells)):
        try:
            found = np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            pass
        else:
            if not (np.isinf(found).any() or (found < 0).any()):
                return found
    pairs = zip(head.names[1:], cells, strict=True)
    return np.array([rate_of(f"{where}: partition {named(n)}", cell) for n, cell in pairs])


def _order(
    path: Path, column: str, table: _Table, timestamps: str | None
) -> tuple[list[int], Times]:
    """Positions of the rows in ascending order of time, and the times."""
    texts, lines = table.texts, table.lines
    try:
        found, moments = times.ranks(column, texts, timestamps)
    except times.TimeError as error:
        raise InputError(f"{path}:{lines[error.position]}: {column} {error}") from error
    if len(moments.at) < len(texts):
        first: dict[int, int] = {}
        for position, rank in enumerate(found):
            if rank in first:
                raise InputError(
                    f"{path}:{lines[position]}: duplicate {column} "
                    f"{shown(texts[position].strip())}, the first is in line "
                    f"{lines[first[rank]]}; remove one{times.repeated_hint(texts[position])}"
                )
            first[rank] = position
    return sorted(range(len(found)), key=found.__getitem__), moments
