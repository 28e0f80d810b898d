"""Query results as a table, CSV or JSON.

DuckDB converts values to text itself, because Arrow and Python lack some, such as far dates: each
format selects its own expressions in SQL.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from pipeline.base.errors import InputError
from pipeline.base.process import output
from pipeline.base.text.plain_table import plain_table
from pipeline.base.text.printable import printable

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from pipeline.warehouse.storage.sql import Answer, Column, SqlType

    Row = Sequence[str]

TABLE, CSV, JSON = FORMATS = ("table", "csv", "json")
MAX_SHOWN, MAX_CELLS = 1_000, 100_000
"""Rows in a table, fewer if there are many columns; CSV and JSON have all rows."""

MAX_CELL, MAX_FIELD = 60, 500
"""Characters of a value that are shown in a table, and where each has a line of its own."""

# As DuckDB calls them.
_FLOATING = frozenset(("float", "double"))
_SIGNED = frozenset(("tinyint", "smallint", "integer", "bigint"))
_PLAIN_NUMBERS = _FLOATING | _SIGNED | {f"u{kind}" for kind in _SIGNED}
_LONG_NUMBERS = frozenset(("decimal", "hugeint", "uhugeint", "bignum"))
_NESTED = frozenset(("list", "array", "struct", "tuple", "map", "union", "variant"))
_IN_UTC = frozenset(("timestamp with time zone", "timestamptz_ns"))


def check(style: str) -> None:
    """Raise `InputError` unless it is one of `FORMATS`."""
    if style not in FORMATS:
        raise InputError(f"`--format` must be one of {', '.join(FORMATS)} (got {style!r})")


def write(answer: Answer, style: str, out: TextIO) -> None:
    """Write a result while it is fetched: as a table, or all of it as CSV or JSON.

    Terminals get no control characters. CSV in a pipe or file has values unchanged; JSON and
    tables never contain control characters.
    """
    if style == TABLE:
        _write_table(answer, out)
        return
    for part in csv(answer) if style == CSV else json_array(answer):
        out.write(_for_terminal(part) if out.isatty() else part)
        if output.is_lost():
            return


def _for_terminal(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def csv(answer: Answer) -> Iterator[str]:
    """CSV with a header, every digit, and JSON where values are nested."""
    import pyarrow as pa

    names = [column.name for column in answer.columns]
    nested = [place for place, column in enumerate(answer.columns) if column.kind.id in _NESTED]
    yield _csv(pa.table([[] for _ in names], names), header=True)
    for batch in answer.batches(_each(answer, _in_csv)):
        columns = batch.columns
        for place in nested:
            texts = (None if t is None else _finite(t) for t in columns[place].to_pylist())
            columns[place] = pa.array(texts, pa.large_string())
        yield _csv(pa.table(columns, names))


def _csv(rows: pa.Table, header: bool = False) -> str:
    from pyarrow.csv import WriteOptions, write_csv

    out = io.BytesIO()
    write_csv(rows, out, WriteOptions(include_header=header))
    return out.getvalue().decode()


def _in_csv(column: str, kind: SqlType) -> str:
    if kind.id in _PLAIN_NUMBERS or kind.id == "boolean":
        return column
    return f"to_json({column})" if kind.id in _NESTED else _text(column, kind)


def json_array(answer: Answer) -> Iterator[str]:
    """A JSON array with an object per line, and every digit; infinity is ``Infinity``."""
    heads = [f"{json.dumps(column.name)}: " for column in answer.columns]
    before = "[\n"
    for batch in answer.batches(_each(answer, _in_json)):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            values = ("null" if value is None else _finite(value) for value in row)
            fields = ", ".join(map("".join, zip(heads, values, strict=True)))
            yield f"{before}{{{_escaped(fields)}}}"
            before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _in_json(column: str, kind: SqlType) -> str:
    return f"to_json({_text(column, kind) if kind.id in _IN_UTC else column})"


def _finite(text: str) -> str:
    """JSON in which numbers that JSON lacks are texts; DuckDB writes their names.

    >>> _finite('[1.5,-Infinity,"NaN"]')
    '[1.5,"-Infinity","NaN"]'
    """
    if "Infinity" not in text and "NaN" not in text:
        return text
    return _NOT_FINITE.sub(lambda match: match[1] or f'"{match[2]}"', text)


_NOT_FINITE = re.compile(r'("(?:[^"\\]|\\.)*")|(-?Infinity|-?NaN)')


def _escaped(text: str) -> str:
    """JSON with control characters escaped; they only occur in texts."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _each(answer: Answer, shown: Callable[[str, SqlType], str]) -> list[str]:
    """An SQL expression for each column."""
    return [shown(f"#{n}", column.kind) for n, column in enumerate(answer.columns, start=1)]


def _text(column: str, kind: SqlType) -> str:
    """DuckDB's text of each value; times of the session's zone end in Z, since it is UTC."""
    text = f"CAST({column} AS VARCHAR)"
    return f"replace({text}, '+00', 'Z')" if kind.id in _IN_UTC else text


def _write_table(answer: Answer, out: TextIO) -> None:
    """Write the first rows as a table, and a line if there are more or none."""
    from rich.console import Console

    most = max(1, min(MAX_SHOWN, MAX_CELLS // len(answer.columns)))
    batches = answer.batches(_each(answer, _in_table), most + 1)
    rows = [row for batch in batches for row in zip(*map(_values, batch.columns), strict=True)]
    console = Console(file=out)
    # A Rich console that meets a closed pipe ends the process.
    with console.capture() as drawn:
        console.print(table(answer.columns, rows[:most], console))
    out.write(drawn.get())
    if len(rows) > most:
        out.write(f"first {most:,} rows only; use --format csv or json for all rows\n")
    elif not rows:
        out.write("no rows\n")


def _in_table(column: str, kind: SqlType) -> str:
    if kind.id in _FLOATING:
        return column
    text = _text(column, kind)
    if kind.id.startswith("timestamp"):
        text = rf"regexp_replace({text}, '\.\d+', '')"
    # Fetch only as many rows as are shown.
    return f"left({text}, {MAX_FIELD + 1})"


def _values(column: pa.Array) -> list[str]:
    """Words for values, numbers with six digits."""
    return [
        "-" if v is None else v if isinstance(v, str) else f"{v:.6g}" for v in column.to_pylist()
    ]


def table(columns: Sequence[Column], rows: Sequence[Row], console: Console) -> RenderableType:
    """A table, as wide as it needs to be; in a terminal that is too narrow, a list per row."""
    from rich.console import Group
    from rich.measure import Measurement

    grid = _grid(columns, rows)
    need = Measurement.get(console, console.options.update(max_width=100_000), grid).maximum
    if not console.is_terminal:
        console.width = max(console.width, need)
    elif need > console.width and rows:
        return Group(*_records(columns, rows))
    return grid


def _grid(columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    """A table with numbers aligned to the right."""
    grid = plain_table()
    for name, kind in columns:
        right = kind.id in _PLAIN_NUMBERS or kind.id in _LONG_NUMBERS
        grid.add_column(_cell(name), justify="right" if right else "left", no_wrap=True)
    for row in rows:
        grid.add_row(*map(_cell, row))
    return grid


def _records(columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[RenderableType]:
    """A block per row, with a line per column."""
    from rich.table import Table
    from rich.text import Text

    for number, row in enumerate(rows, start=1):
        block = Table.grid(padding=(0, 2, 0, 0))
        block.add_column(no_wrap=True)
        block.add_column(overflow="fold")
        for column, value in zip(columns, row, strict=True):
            block.add_row(_cell(column.name), _cell(value, MAX_FIELD))
        yield Text(f"row {number:,}", "bold")
        yield block


def _cell(said: str, most: int = MAX_CELL) -> Text:
    """Text that is shown unchanged, never as markup."""
    from rich.text import Text

    shown = printable(said)
    return Text(shown if len(shown) <= most else f"{shown[: most - 1]}…")
