"""Answers to questions in SQL, as people and as programs read them."""

from __future__ import annotations

import io
import json
import math
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pipeline.errors import InputError
from pipeline.printable import printable

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console, RenderableType
    from rich.table import Table

TABLE, CSV, JSON = FORMATS = ("table", "csv", "json")
MAX_SHOWN = 1_000
"""Rows that people are shown; CSV and JSON have all."""

MAX_CELL, MAX_FIELD = 60, 500
"""Characters of a value that are shown in a table, and where each has a line of its own."""


def check(style: str) -> None:
    """Raise `InputError` unless it is one of `FORMATS`."""
    if style not in FORMATS:
        raise InputError(f"--format is {style!r}: must be one of {', '.join(FORMATS)}")


def text(found: pa.Table, style: str) -> str:
    """Rows as CSV with a header, or as a JSON array of objects, with every digit.

    Infinity, which JSON has no number for, is the text ``Infinity`` there.
    """
    if style == JSON:
        rows = [{name: _json(value) for name, value in row.items()} for row in found.to_pylist()]
        return json.dumps(rows, default=str, indent=1, ensure_ascii=False, allow_nan=False)
    import pyarrow as pa
    import pyarrow.csv as csv

    out = io.BytesIO()
    csv.write_csv(pa.table([_flat(column) for column in found], names=found.column_names), out)
    return out.getvalue().decode().rstrip("\n")


def _json(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    if isinstance(value, list):
        return [_json(element) for element in value]
    return {name: _json(e) for name, e in value.items()} if isinstance(value, dict) else value


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers as they are, so that they are not quoted; all else as text."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_nested(kind):
        return _joined(column)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    return column if number else column.cast(pa.string())


def _joined(column: pa.ChunkedArray) -> pa.Array:
    """Arrays as JSON, since CSV has none; nothing where there is no array."""
    import pyarrow as pa

    values = (None if v is None else json.dumps(_json(v), default=str) for v in column.to_pylist())
    return pa.array(list(values), pa.string())


def table(found: pa.Table, console: Console) -> RenderableType:
    """Rows for people: a table, or each row as a list where a terminal is too narrow for it.

    What is not printed on a terminal is as wide as it needs to be.
    """
    from rich.console import Group
    from rich.measure import Measurement

    shown = _grid(found)
    need = Measurement.get(console, console.options.update(max_width=100_000), shown).maximum
    parts: list[RenderableType] = [shown]
    if not console.is_terminal:
        console.width = max(console.width, need)
    elif need > console.width and found.num_rows:
        parts = _records(found)
    if found.num_rows > MAX_SHOWN:
        parts.append(f"the first {MAX_SHOWN:,} of {found.num_rows:,} rows")
    return Group(*parts)


def _grid(found: pa.Table) -> Table:
    """Numbers to the right, with six digits."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for field in found.schema:
        name = printable(field.name)
        if _is_number(field.type):
            shown.add_column(name, justify="right", no_wrap=True)
        else:
            shown.add_column(name, no_wrap=True)
    for row in found.slice(0, MAX_SHOWN).to_pylist():
        shown.add_row(*(_cell(value, MAX_CELL) for value in row.values()))
    return shown


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind))


def _records(found: pa.Table) -> list[RenderableType]:
    """A block per row, with a line per column."""
    from rich.table import Table
    from rich.text import Text

    blocks: list[RenderableType] = []
    for number, row in enumerate(found.slice(0, MAX_SHOWN).to_pylist(), start=1):
        block = Table.grid(padding=(0, 2, 0, 0))
        block.add_column(no_wrap=True)
        block.add_column(overflow="fold")
        for name, value in row.items():
            block.add_row(Text(printable(name)), _cell(value, MAX_FIELD))
        blocks += [Text(f"row {number:,}", "bold"), block]
    return blocks


def _cell(value: object, most: int) -> Any:
    from rich.text import Text

    said = printable(_words(value))
    return Text(said if len(said) <= most else f"{said[: most - 1]}…")


def _words(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, list):
        return f"[{', '.join(_words(element) for element in value)}]"
    return str(value)
