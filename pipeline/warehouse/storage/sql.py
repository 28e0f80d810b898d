"""Runs SQL queries over the tables without Spark, for the command ``groupscale sql``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import schemas
from pipeline.base.errors import GroupscaleError, InputError, Stopped
from pipeline.base.paths import Paths
from pipeline.base.process import machine
from pipeline.base.process.abandonable_call import Aside, OutOfTime
from pipeline.warehouse.storage import reader as source
from pipeline.warehouse.storage import sql_catalog, sql_question
from schemas.tables.common.runs import IS_PUBLISHED
from schemas.view_functions import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    import pyarrow as pa
    from duckdb.sqltypes import DuckDBPyType

    SqlType = DuckDBPyType

SHARE, KEPT = 1 / 2, 1 / 2
"""Share of this machine's memory that a query may take; and of that, the share that DuckDB may
keep, such as the table of a join. DuckDB does not count values in transit, lists and texts: the
system does.
"""

BATCH = 256
"""Rows that are fetched at a time; rows may be wide."""

MAX_MESSAGE = 600

_UNREADABLE = "reading the Arrow source failed"
_HINT = "run SHOW TABLES for the tables and views, DESCRIBE for the columns of one"
_NO_MEMORY = ("Out of Memory Error", "std::bad_alloc", "malloc of size", "realloc of size")

T = TypeVar("T")


class Column(NamedTuple):
    """A column of a result: its unique name and its type in DuckDB."""

    name: str
    kind: DuckDBPyType


class Answer:
    """The result of a query, computed as rows are read."""

    def __init__(self, relation: duckdb.DuckDBPyRelation, call: _Calls) -> None:
        self._relation, self._call = relation, call
        names = _distinct(relation.columns)
        self.columns = [Column(*pair) for pair in zip(names, relation.types, strict=True)]
        self.rows_read = 0

    def schema(self) -> pa.Schema:
        """Names and Arrow types of the columns."""
        import pyarrow as pa

        empty = self._call(lambda: self._relation.limit(0).to_arrow_table())
        names = [column.name for column in self.columns]
        return pa.schema(list(zip(names, empty.schema.types, strict=True)))

    def batches(self, shown: Sequence[str], most: int | None = None) -> Iterator[pa.RecordBatch]:
        """The rows, few at a time.

        shown: An SQL expression for each column, in which ``#`` and its number stand for the
            column.
        most: Maximum number of rows; all if None.
        """

        def begin() -> pa.RecordBatchReader:
            rows = self._relation if most is None else self._relation.limit(most)
            reader = rows.project(", ".join(shown)).to_arrow_reader(BATCH)
            assert reader is not None
            return reader

        reader = self._call(begin)
        while (batch := self._call(lambda: next(reader, None))) is not None:
            self.rows_read += batch.num_rows
            yield batch


@contextmanager
def answering(query: str, paths: Paths, timeout: float | None = None) -> Iterator[Answer]:
    """Run a query over the rows of published runs.

    query: SQL of DuckDB. It can read the tables of the warehouse and the views of `schemas.VIEWS`,
        but no files. Columns of the same name get a number.
    timeout: Seconds within which all rows must be read; None for no limit.
    Raises InputError if there are no tables, the statement is not a query, or DuckDB refuses it.
    Raises pipeline.base.errors.Stopped if it exceeds the memory or time limit.
    Raises pipeline.base.errors.Damaged if a file cannot be read, or its checksums do not match.
    """
    try:
        with machine.memory_at_most(SHARE), _open(paths, timeout) as (connection, call):
            call(lambda: sql_question.check(connection, query))
            relation = call(
                lambda: sql_catalog.described(connection, query) or connection.sql(query)
            )
            yield Answer(relation, call)
    except MemoryError as error:
        raise _too_large() from error
    except OutOfTime as error:
        raise Stopped(
            f"sql: the query took longer than --timeout ({timeout:g} s); select less, or raise it"
        ) from error


@contextmanager
def _open(
    paths: Paths, timeout: float | None
) -> Iterator[tuple[duckdb.DuckDBPyConnection, _Calls]]:
    connection = connect(paths, large=True)
    aside = Aside(connection.interrupt, timeout)
    try:
        yield connection, _Calls(aside, paths)
    finally:
        if not aside.is_stuck:
            connection.close()


class _Calls:
    """Calls DuckDB and turns its errors into those of this package."""

    def __init__(self, aside: Aside, paths: Paths) -> None:
        self._aside, self._paths = aside, paths

    def __call__(self, work: Callable[[], T]) -> T:
        import duckdb
        import pyarrow as pa

        try:
            return self._aside(work)
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise self._meaning(error) from error

    def _meaning(self, error: Exception) -> GroupscaleError:
        # Errors that come through Arrow have lost their class.
        said = str(error)
        if any(phrase in said for phrase in _NO_MEMORY):
            return _too_large()
        damage = source.damage(self._paths) if _UNREADABLE in said else None
        return damage or InputError(f"sql: {_line(said)}")


def _too_large() -> Stopped:
    return Stopped(
        f"sql: the query needs more than {machine.memory_gib() * SHARE:.1f} GiB, half of this "
        "machine's memory; select fewer rows (WHERE, LIMIT) or columns, or aggregate them"
    )


def connect(paths: Paths, large: bool = False) -> duckdb.DuckDBPyConnection:
    """An in-memory database with the tables and views, for several queries.

    Times are in UTC. The connection has no access to files or Python variables, and is limited to
    `KEPT` of `SHARE` of this machine's memory.

    large: Whether texts use Arrow's large type, for batches with 2 GiB of text or more.
    Raises InputError if the warehouse has no tables.
    """
    import duckdb
    from deltalake import DeltaTable

    if not DeltaTable.is_deltatable(paths.table("runs")):
        raise InputError(
            f"warehouse {str(paths.warehouse)!r} has no table runs; run `groupscale run` first, or "
            "choose another folder with --warehouse or GROUPSCALE_WAREHOUSE"
        )
    connection = duckdb.connect(config=_config())
    made: dict[str, list[str]] = {}
    for table in schemas.TABLES:
        place = paths.table(table)
        if DeltaTable.is_deltatable(place):
            files = source.stored(place)
            rows = connection.from_arrow(files)
            rows.filter(_PUBLISHED if made else IS_PUBLISHED).create_view(table)
            made[table] = files.schema.names
    _make_views(connection, {table for table, names in made.items() if _is_whole(table, names)})
    for setting in (f"arrow_large_buffer_size = {large}", *_SETTINGS):
        connection.execute(f"SET {setting}")
    return connection


def _is_whole(table: str, names: list[str]) -> bool:
    """Whether a table has all columns that views may read, unlike one of another version."""
    return all(column.name in names for column in schemas.TABLES[table].columns)


def _make_views(connection: duckdb.DuckDBPyConnection, made: set[str]) -> None:
    """Make the views of the tables and views that are there; add their names."""
    for function in FUNCTIONS:
        if function.duckdb:
            connection.execute(function.in_duckdb)
    for view in schemas.VIEWS.values():
        if made.issuperset(view.reads):
            # Names and queries come from the contracts, not from users.
            connection.execute(f"CREATE VIEW {view.name} AS {view.sql}")
            made.add(view.name)


def _config() -> dict[str, str | bool | int | float | list[str]]:
    return {
        "memory_limit": f"{int(machine.memory_gib() * SHARE * KEPT * 1024)}MiB",
        # No temporary files are left, even by a process that is killed.
        "temp_directory": "",
        "threads": machine.all_cores(),
        # DuckDB shows its settings; this one would hold the environment's, password included.
        "http_proxy": "none",
    }


_SETTINGS = (
    "TimeZone = 'UTC'",
    "enable_progress_bar = false",
    "python_enable_replacements = false",
    "enable_external_access = false",
    "lock_configuration = true",
)

# Table `runs` comes first, limited to published runs; the others depend on it.
_PUBLISHED = "run_id IN (SELECT run_id FROM runs)"


def _line(said: str) -> str:
    """DuckDB's message and suggestion, without the marker of the position."""
    line = " ".join(said.split("\n\n")[0].split())
    shown = line if len(line) <= MAX_MESSAGE else f"{line[: MAX_MESSAGE - 1]}…"
    unknown = ("Table with name" in line, "not found in FROM" in line, "have a column" in line)
    return f"{shown}; {_HINT}" if any(unknown) else shown


def _distinct(names: list[str]) -> list[str]:
    """Names, with a number appended to repeated ones.

    >>> _distinct(["a", "b", "a"])
    ['a', 'b', 'a_2']
    """
    original = set(names)
    # In the order of the columns.
    distinct: dict[str, None] = {}
    for name in names:
        chosen, number = name, 1
        while chosen in distinct:
            number += 1
            if f"{name}_{number}" not in original:
                chosen = f"{name}_{number}"
        distinct[chosen] = None
    return list(distinct)
