"""Questions to the tables in SQL, without Spark: what the command ``groupscale sql`` answers."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import schemas
from pipeline.errors import InputError
from pipeline.paths import Paths

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TABLE, CSV, JSON = FORMATS = ("table", "csv", "json")
MAX_SHOWN = 1_000
"""Rows that a table in the terminal has at most; CSV and JSON have all."""


def check_format(style: str) -> None:
    """Raise `InputError` unless it is one of `FORMATS`."""
    if style not in FORMATS:
        raise InputError(f"--format is {style!r}: must be one of {', '.join(FORMATS)}")


def answer(query: str, paths: Paths) -> pa.Table:
    """Result of a query on the rows of published runs.

    Parameters
    ----------
    query
        SQL of DuckDB, which sees a view for each table of the warehouse, and no files.

    Raises
    ------
    InputError
        If there are no tables, or DuckDB does not take the query.
    """
    import duckdb

    with duckdb.connect() as connection:
        _open(connection, paths)
        try:
            found: duckdb.DuckDBPyRelation | None = connection.sql(query)
            rows = None if found is None else found.to_arrow_table()
        except duckdb.Error as error:
            raise InputError(f"sql: {_told(error)}") from error
    if rows is None:
        raise InputError("sql: the query gives no rows; ask with SELECT")
    return rows


def _open(connection: duckdb.DuckDBPyConnection, paths: Paths) -> None:
    """Make the views, then take the connection's way to files."""
    from deltalake import DeltaTable

    if not DeltaTable.is_deltatable(paths.table("runs")):
        raise InputError(
            f"warehouse {str(paths.warehouse)!r} has no table runs: run something first, or name "
            "another folder with --warehouse or GROUPSCALE_WAREHOUSE"
        )
    for table in schemas.TABLES:
        place = paths.table(table)
        if DeltaTable.is_deltatable(place):
            connection.register(f"every_{table}", DeltaTable(place).to_pyarrow_dataset())
            # Names of tables are those of the contracts, nothing that a user has typed.
            connection.execute(
                f"CREATE VIEW {table} AS SELECT * FROM every_{table} WHERE run_id IN "
                "(SELECT run_id FROM every_runs WHERE status = 'published')"
            )
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _told(error: Exception) -> str:
    """What DuckDB complains of, without its candidates and pointers at columns."""
    return " ".join(str(error).split("\n\n")[0].split())


def text(found: pa.Table, style: str) -> str:
    """Rows as CSV with a header, or as a JSON array of objects."""
    if style == JSON:
        return json.dumps(found.to_pylist(), default=str, indent=1, ensure_ascii=False)
    import pyarrow as pa
    import pyarrow.csv as csv

    out = io.BytesIO()
    flat = [c.cast(pa.string()) if not pa.types.is_nested(c.type) else _joined(c) for c in found]
    csv.write_csv(pa.table(flat, names=found.column_names), out)
    return out.getvalue().decode().rstrip("\n")


def _joined(column: pa.ChunkedArray) -> pa.Array:
    """Arrays as JSON, since CSV has none."""
    import pyarrow as pa

    return pa.array([json.dumps(value, default=str) for value in column.to_pylist()])


def table(found: pa.Table) -> Any:
    """Rows for a terminal: numbers to the right, with six digits."""
    import pyarrow as pa
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for field in found.schema:
        number = pa.types.is_floating(field.type) or pa.types.is_integer(field.type)
        shown.add_column(field.name, justify="right" if number else "left")
    for row in found.slice(0, MAX_SHOWN).to_pylist():
        shown.add_row(*(_cell(value) for value in row.values()))
    more = found.num_rows > MAX_SHOWN
    return Group(shown, f"the first {MAX_SHOWN:,} of {found.num_rows:,} rows") if more else shown


def _cell(value: object) -> Any:
    from rich.text import Text

    if value is None:
        return Text("-")
    return Text(f"{value:.6g}" if isinstance(value, float) else str(value))
