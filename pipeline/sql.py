"""Questions to the tables in SQL, without Spark: what the command ``groupscale sql`` answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import schemas
from pipeline import source
from pipeline.errors import InputError
from pipeline.paths import Paths
from schemas.tables.runs import IS_PUBLISHED

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# What DuckDB calls statements that only ask: SHOW and DESCRIBE are SELECT, PIVOT is MULTI.
_QUESTIONS = ("SELECT", "EXPLAIN", "MULTI")
_UNREADABLE = "reading the Arrow source failed"
_HINT = "SHOW TABLES lists the tables and views, DESCRIBE the columns of one"


def answer(query: str, paths: Paths) -> pa.Table:
    """Result of a query on the rows of published runs.

    Parameters
    ----------
    query
        SQL of DuckDB. It sees each table of the warehouse and the views of `schemas.VIEWS`,
        and no files. Columns of one name get a number.

    Raises
    ------
    InputError
        If there are no tables, it is no question, or DuckDB does not take it.
    pipeline.errors.Damaged
        If a file cannot be read, or holds other bytes than were written.
    """
    import duckdb

    with connect(paths) as connection:
        try:
            _check(connection, query)
            rows = connection.sql(query).to_arrow_table()
        except duckdb.Error as error:
            found = source.damage(paths) if _UNREADABLE in str(error) else None
            if found is not None:
                raise found from error
            raise InputError(f"sql: {_told(error)}") from error
    return rows.rename_columns(_distinct(rows.column_names))


def connect(paths: Paths) -> duckdb.DuckDBPyConnection:
    """A database in memory with the tables and views, for several questions.

    Times are in UTC. The connection has no way to files, nor to variables of Python.

    Raises
    ------
    InputError
        If the warehouse has no tables.
    """
    import duckdb
    from deltalake import DeltaTable

    if not DeltaTable.is_deltatable(paths.table("runs")):
        raise InputError(
            f"warehouse {str(paths.warehouse)!r} has no table runs: run something first, or name "
            "another folder with --warehouse or GROUPSCALE_WAREHOUSE"
        )
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    made: set[str] = set()
    for table in schemas.TABLES:
        place = paths.table(table)
        if DeltaTable.is_deltatable(place):
            found = source.stored(place)
            rows = connection.from_arrow(found).project(_columns(table, found.schema.names))
            rows.filter(_PUBLISHED if made else IS_PUBLISHED).create_view(table)
            made.add(table)
    for view in schemas.VIEWS.values():
        if made.issuperset(view.reads):
            # Names and queries are those of the contracts, nothing that a user has typed.
            connection.execute(f"CREATE VIEW {view.name} AS {view.sql}")
            made.add(view.name)
    for setting in ("python_enable_replacements", "enable_external_access"):
        connection.execute(f"SET {setting} = false")
    connection.execute("SET lock_configuration = true")
    return connection


_TYPES = {
    "string": "VARCHAR",
    "int": "INTEGER",
    "long": "BIGINT",
    "double": "DOUBLE",
    "boolean": "BOOLEAN",
    "timestamp": "TIMESTAMPTZ",
}


def _columns(table: str, names: Sequence[str]) -> str:
    """All columns of a table, null in place of those that came after it was made."""
    later = [c for c in schemas.TABLES[table].columns if c.name not in names and c.nullable]
    added = [
        f"CAST(NULL AS {_TYPES[c.element_type]}{'[]' if c.is_array else ''}) AS {c.name}"
        for c in later
    ]
    return ", ".join(["*", *added])


# Table `runs` comes first, with the runs that are published; the others follow it.
_PUBLISHED = "run_id IN (SELECT run_id FROM runs)"


def _check(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Refuse what is no single question."""
    statements = connection.extract_statements(query)
    if not statements:
        raise InputError("sql: there is no question; ask with SELECT")
    if len(statements) > 1:
        raise InputError(f"sql: these are {len(statements)} statements; ask one at a time")
    kind = statements[0].type.name
    if kind not in _QUESTIONS:
        raise InputError(f"sql: {kind} is no question, and tables are read only; ask with SELECT")


def _told(error: Exception) -> str:
    """What DuckDB complains of and offers instead, without its pointer at the place."""
    said = " ".join(str(error).split("\n\n")[0].split())
    unknown = ("Table with name" in said, "not found in FROM" in said, "have a column" in said)
    return f"{said}; {_HINT}" if any(unknown) else said


def _distinct(names: list[str]) -> list[str]:
    """Names with a number after those that occur again.

    Examples
    --------
    >>> _distinct(["a", "b", "a"])
    ['a', 'b', 'a_2']
    """
    taken = set(names)
    found: list[str] = []
    for name in names:
        chosen, number = name, 1
        while chosen in found:
            number += 1
            if f"{name}_{number}" not in taken:
                chosen = f"{name}_{number}"
        found.append(chosen)
    return found
