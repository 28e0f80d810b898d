"""Creates, writes and reads Delta tables; no other module does.

A table is made from its contract in `schemas`: schema, NOT NULL columns, CHECK constraints,
partitioning and comments. A write replaces exactly the rows of one run (or of some of its
units), in one Delta commit, so a reader sees the old rows or the new ones, never a mixture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyarrow as pa

import schemas
from pipeline.base.errors import StageError
from pipeline.base.paths import in_object_store
from pipeline.base.process import file_lock
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.storage import delta_sql, table_commits, table_creation
from schemas import render

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from pipeline.base.paths import Paths
    from pipeline.settings.run_config import Unit


def struct(table: str) -> StructType:
    """Spark schema of a table, column comments included."""
    from pyspark.sql.types import StructType

    return StructType.fromJson(render.struct_json(schemas.TABLES[table]))


def ensure(spark: SparkSession, paths: Paths, table: str) -> bool:
    """Create the table with its constraints unless it exists; return whether it was created."""
    location = paths.table(table)
    if delta_sql.exists(spark, location):
        return False
    table_creation.create(spark, location, schemas.TABLES[table])
    return True


def ensure_all(spark: SparkSession, paths: Paths) -> set[str]:
    """Create missing tables and return names; in parallel, as each waits for its own commit."""
    paths.tables_lock.parent.mkdir(parents=True, exist_ok=True)
    with file_lock.locked(paths.tables_lock), ThreadPoolExecutor(max_workers=4) as pool:
        made = pool.map(lambda table: ensure(spark, paths, table), schemas.TABLES)
        return {table for table, new in zip(schemas.TABLES, made, strict=True) if new}


def write(
    spark: SparkSession,
    frame: DataFrame,
    table: str,
    paths: Paths,
    run_id: str,
    units: Sequence[Unit] | None = None,
) -> None:
    """Replace the rows of ``run_id`` (only those of ``units``, where given) by ``frame``.

    frame: All columns of the contract; their order does not matter, their types do.
    Raises StageError if a column is missing, unknown or of another type than the contract's. If
        values violate a constraint, Delta refuses the whole write.
    """
    ensure(spark, paths, table)
    table_commits.replace(
        conform(frame, table), paths.table(table), predicate(run_id, units, table)
    )


def of_rows(spark: SparkSession, rows: Sequence[Mapping[str, object]], table: str) -> DataFrame:
    """A few rows as a frame, by Arrow: a list would start a task in a Python worker."""
    return arrow.frame(spark, pa.Table.from_pylist(list(rows), arrow.contract(table)))


def read(
    spark: SparkSession,
    table: str,
    paths: Paths,
    run_id: str,
    units: Sequence[Unit] | None = None,
) -> DataFrame:
    """Rows of one run, of the given units only if ``units`` is not None."""
    return whole(spark, table, paths).where(predicate(run_id, units, table))


def has_rows(spark: SparkSession, table: str, paths: Paths, run_id: str) -> bool:
    """Whether the table has rows of a run; only reads its log, no data files."""
    place = paths.table(table)
    if not in_object_store(place):
        return delta_sql.exists(spark, place) and table_commits.has_files(place, [run_id])
    return bool(read(spark, table, paths, run_id).inputFiles())


def whole(spark: SparkSession, table: str, paths: Paths) -> DataFrame:
    """Rows of all runs."""
    ensure(spark, paths, table)
    return spark.read.format("delta").load(paths.table(table))


def version(spark: SparkSession, table: str, paths: Paths) -> int:
    """Number of a table's latest commit; a Spark job if the table is in an object store."""
    place = paths.table(table)
    if not in_object_store(place):
        from deltalake import DeltaTable

        return DeltaTable(place).version()
    return delta_sql.version(spark, place)


def warehouse(spark: SparkSession, paths: Paths) -> str:
    """Identity of this warehouse, which stays when it is moved: the id of its table `runs`."""
    place = paths.table("runs")
    if not in_object_store(place):
        from deltalake import DeltaTable

        return str(DeltaTable(place).metadata().id)
    return str(delta_sql.detail(spark, place)["id"])


DATA = tuple(name for name, table in schemas.TABLES.items() if name != "runs" and not table.lasting)
"""Tables with results of runs."""


def delete_run(spark: SparkSession, paths: Paths, run_id: str) -> None:
    """Remove every row of a run from the tables that hold data (not from `runs`)."""
    delete_from(spark, paths, DATA, [run_id])


def delete_from(
    spark: SparkSession, paths: Paths, names: Sequence[str], run_ids: Sequence[str]
) -> None:
    """Remove every row of the given runs from several tables: most of the time is waiting."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(lambda table: delete_runs(spark, paths, table, run_ids), names))


def delete_runs(spark: SparkSession, paths: Paths, table: str, run_ids: Sequence[str]) -> None:
    """Remove every row of the given runs from a table, in one commit."""
    if run_ids and delta_sql.exists(spark, paths.table(table)):
        table_commits.remove(spark, paths.table(table), _any(run_ids), run_ids)


def update_runs(
    spark: SparkSession,
    paths: Paths,
    table: str,
    run_ids: Sequence[str],
    values: Mapping[str, str],
    where: str = "true",
) -> None:
    """Set columns in rows of the given runs that meet a condition, in one commit."""
    if run_ids:
        condition = f"({_any(run_ids)}) AND ({where})"
        table_commits.insist(lambda: delta_sql.update(spark, paths.table(table), values, condition))


def _any(run_ids: Sequence[str]) -> str:
    return " OR ".join(_equals("run_id", run_id) for run_id in run_ids)


def conform(frame: DataFrame, table: str) -> DataFrame:
    """Columns of ``frame`` in the contract's order, or an error that names the mismatches."""
    expected = {field.name: field.dataType for field in struct(table).fields}
    kinds = {field.name: field.dataType for field in frame.schema.fields}
    missing = sorted(expected.keys() - kinds.keys())
    unknown = sorted(kinds.keys() - expected.keys())
    other = [
        f"{name} is {kinds[name].simpleString()}, must be {kind.simpleString()}"
        for name, kind in expected.items()
        if name in kinds and kinds[name].simpleString() != kind.simpleString()
    ]
    if missing or unknown or other:
        raise StageError(
            f"table {table}: wrong columns: missing {missing}, unknown {unknown}, "
            f"wrong types {other}"
        )
    return frame.select(*expected)


def predicate(
    run_id: str,
    units: Sequence[Unit] | None = None,
    table: str = "streams",
) -> str:
    """SQL condition for the rows of a run and of units, by those columns that the table has."""
    terms = [_equals("run_id", run_id)]
    if units is not None:
        columns = {column.name for column in schemas.TABLES[table].columns}
        slices = [
            " AND ".join(_equals(*item) for item in unit.partition.items() if item[0] in columns)
            for unit in units
        ]
        terms.append("(" + " OR ".join(f"({part})" for part in slices) + ")")
    return " AND ".join(terms)


def _equals(column: str, value: str | float | None) -> str:
    if value is None:
        return f"{column} IS NULL"
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"{column} = '{quoted}'"
    return f"{column} = {float(value)!r}D"
