"""Reads small numbers of rows of the tables into memory, with Spark or without it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pyarrow as pa
from pyarrow.dataset import FileSystemDataset, Scanner

import schemas
from pipeline.base.errors import Damaged
from pipeline.base.paths import Paths, in_object_store
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.storage import faults

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow.dataset import Dataset
    from pyspark.sql import DataFrame, SparkSession


T = TypeVar("T")

ROWS, WIDE_ROWS = 8_192, 512
"""Rows of a table that are read at a time, and of one with arrays."""


class Source(Protocol):
    """Reads tables."""

    def rows(self, table: str, columns: Sequence[str], **filters: Sequence[str]) -> pa.Table:
        """Some columns, all rows or those with given values; none of a missing table."""
        ...

    def count(self, table: str, run_id: str) -> int:
        """Number of a run's rows in a table, of any size."""
        ...

    def sums(self, table: str, run_id: str, keys: Sequence[str], bins: str, n: int) -> pa.Table:
        """Sums of ``n`` numbers in a column of arrays over a run's rows with the same keys.

        The arrays are added while they are read: the rows may be many, but the result must be
        small. Sums are doubles, exact up to 2⁵³.
        """
        ...


class SparkSource:
    """Reads with Spark, wherever the tables are."""

    def __init__(self, spark: SparkSession, paths: Paths) -> None:
        self._spark, self._paths = spark, paths

    def rows(self, table: str, columns: Sequence[str], **filters: Sequence[str]) -> pa.Table:
        """As `Source.rows`."""
        from pyspark.sql import functions as F

        from pipeline.warehouse.storage import tables

        selected = tables.whole(self._spark, table, self._paths)
        for name, values in filters.items():
            selected = selected.where(F.col(name).isin(list(values)))
        return selected.select(*columns).toArrow()

    def count(self, table: str, run_id: str) -> int:
        """As `Source.count`."""
        from pipeline.warehouse.storage import tables

        return tables.read(self._spark, table, self._paths, run_id).count()

    def sums(self, table: str, run_id: str, keys: Sequence[str], bins: str, n: int) -> pa.Table:
        """As `Source.sums`."""
        from pyspark.sql import functions as F

        from pipeline.warehouse.storage import tables

        places = (F.sum(F.col(bins)[place].cast("double")) for place in range(n))
        rows = tables.read(self._spark, table, self._paths, run_id)
        return rows.groupBy(*keys).agg(F.array(*places).alias(bins)).toArrow()


class FileSource:
    """Reads without Spark, in a tenth of a second instead of ten seconds."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def rows(self, table: str, columns: Sequence[str], **filters: Sequence[str]) -> pa.Table:
        """As `Source.rows`. Raises pipeline.base.errors.Damaged if a file cannot be read."""
        from deltalake import DeltaTable
        from pyarrow import dataset

        place = self._paths.table(table)
        if not DeltaTable.is_deltatable(place):
            names = {column.name for column in schemas.TABLES[table].columns}
            return pa.table({name: pa.array([]) for name in columns if name in names})
        chosen = dataset.scalar(True)
        for name, values in filters.items():
            chosen &= dataset.field(name).isin(pa.array(values, pa.string()))
        asked = {"columns": list(columns), "filter": chosen}
        return _scanned(stored(place), asked, table, Scanner.to_table)

    def count(self, table: str, run_id: str) -> int:
        """As `Source.count`: from the files' footers, without reading rows."""
        from pyarrow import dataset

        asked = {"filter": dataset.field("run_id") == run_id}
        return int(_scanned(stored(self._paths.table(table)), asked, table, Scanner.count_rows))

    def sums(self, table: str, run_id: str, keys: Sequence[str], bins: str, n: int) -> pa.Table:
        """As `Source.sums`: with one batch in memory at a time."""
        from pyarrow import dataset

        from pipeline.warehouse.storage import array_sums

        files = stored(self._paths.table(table))
        parts = list(files.get_fragments(filter=dataset.field("run_id") == run_id))
        return array_sums.of(parts, files.schema, table, (*keys, bins), n)


def stored(place: str) -> Dataset:
    """A table's files, verified by the pages' checksums, which are not read by default."""
    from deltalake import DeltaTable
    from pyarrow.dataset import ParquetFileFormat, ParquetFragmentScanOptions
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    # Arrow's own file system on local disks: deltalake's is written in Python, and a thread that
    # still reads ahead through it when the interpreter ends aborts the process.
    local = None if in_object_store(place) else SubTreeFileSystem(place, LocalFileSystem())
    files = DeltaTable(place).to_pyarrow_dataset(filesystem=local)
    checked = ParquetFragmentScanOptions(pre_buffer=True, page_checksum_verification=True)
    kind = ParquetFileFormat(default_fragment_scan_options=checked)
    parts = [
        kind.make_fragment(part.path, part.filesystem, part.partition_expression)
        for part in files.get_fragments()
    ]
    return _Stored(parts, files.schema, kind, files.filesystem)


class _Stored(FileSystemDataset):  # type: ignore[misc]  # pyarrow has no types
    """Files with little read-ahead, for wide rows: by default 64 batches of 131,072 rows."""

    def scanner(self, **options: Any) -> Scanner:
        asked = options.get("columns")
        wide = any(
            pa.types.is_list(field.type)
            for field in self.schema
            if asked is None or field.name in asked
        )
        ahead = {"batch_size": ROWS}
        if wide:
            ahead = {"batch_size": WIDE_ROWS, "batch_readahead": 1, "fragment_readahead": 1}
        return super().scanner(**(ahead | options))


def damage(paths: Paths) -> Damaged | None:
    """The error for a file that cannot be read, None if all can; reads all files of all tables."""
    from deltalake import DeltaTable

    for table in schemas.TABLES:
        place = paths.table(table)
        if not DeltaTable.is_deltatable(place):
            continue
        try:
            _scanned(stored(place), {}, table, _read_through)
        except Damaged as error:
            return error
    return None


def _read_through(scanner: Scanner) -> None:
    for _ in scanner.to_batches():
        pass


def _scanned(
    files: Dataset, asked: Mapping[str, Any], table: str, take: Callable[[Scanner], T]
) -> T:
    """Result of a scan of a table's files, or an error that names the damaged file."""
    try:
        return take(files.scanner(**asked))
    except (OSError, pa.ArrowException) as error:
        # pyarrow's message does not always name a file.
        for part in files.get_fragments(filter=asked.get("filter")):
            scanner = part.scanner(schema=files.schema, **asked)
            try:
                take(scanner)
            except (OSError, pa.ArrowException):
                raise faults.damaged(table, part.path) from error
        raise


def of(paths: Paths) -> Source:
    """The source for the tables: without Spark if they are local folders, else with it."""
    if _in_folders(paths):
        return FileSource(paths)
    from pipeline.warehouse.spark import session

    return SparkSource(session.get(), paths)


def frame(spark: SparkSession, table: str, paths: Paths, run_id: str) -> DataFrame:
    """Rows of one run of a small table, for a Spark query.

    Local tables are read without Spark, which needs two or three jobs before the query itself even
    for a table of ten rows.
    """
    from pipeline.warehouse.storage import tables

    if not _in_folders(paths):
        return tables.read(spark, table, paths, run_id)
    schema = arrow.contract(table)
    rows = FileSource(paths).rows(table, schema.names, run_id=[run_id])
    # Spark cannot convert lists without a single chunk, which a table without rows may have.
    return arrow.frame(spark, rows.cast(schema) if rows.num_rows else schema.empty_table())


def pandas_frame(
    source: Source,
    table: str,
    run_id: str,
    without: Collection[str] = (),
    columns: Sequence[str] = (),
) -> pd.DataFrame:
    """A run's rows of a table in memory: some columns, or all without the run id and others."""
    names = columns or arrow.contract(table, ("run_id", *without)).names
    # Columns are freed one by one as they are copied, to avoid twice the memory.
    rows = source.rows(table, names, run_id=[run_id])
    return rows.to_pandas(split_blocks=True, self_destruct=True)


def _in_folders(paths: Paths) -> bool:
    return not in_object_store(paths.table("runs"))
