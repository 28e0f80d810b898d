"""Rows of the tables in memory, where they are few: through Spark or without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from pyarrow.dataset import Scanner

import schemas
from pipeline import causes
from pipeline.paths import Paths

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset, ParquetFileFragment, ParquetFragmentScanOptions
    from pyspark.sql import DataFrame, SparkSession


T = TypeVar("T")


class Source(Protocol):
    """Reads tables."""

    def rows(self, table: str, columns: Sequence[str], **wanted: Sequence[str]) -> pa.Table:
        """Some columns of a table: of all rows, or of those with wanted values, by column.

        A table that has not been made yet has no rows.
        """
        ...

    def count(self, table: str, run_id: str) -> int:
        """Number of a run's rows in a table, which need not be few."""
        ...

    def sums(self, table: str, run_id: str, keys: Sequence[str], bins: str, n: int) -> pa.Table:
        """Sums of ``n`` numbers in a column of arrays over a run's rows with the same keys.

        The arrays are added up where they are read: the rows need not be few, but what comes of
        them must be. Sums are doubles, exact up to 2⁵³.
        """
        ...


class SparkSource:
    """Through Spark: whatever place the tables are in."""

    def __init__(self, spark: SparkSession, paths: Paths) -> None:
        self._spark, self._paths = spark, paths

    def rows(self, table: str, columns: Sequence[str], **wanted: Sequence[str]) -> pa.Table:
        """As `Source.rows`."""
        from pyspark.sql import functions as F

        from pipeline import tables

        found = tables.whole(self._spark, table, self._paths)
        for name, values in wanted.items():
            found = found.where(F.col(name).isin(list(values)))
        return found.select(*columns).toArrow()

    def count(self, table: str, run_id: str) -> int:
        """As `Source.count`."""
        from pipeline import tables

        return tables.read(self._spark, table, self._paths, run_id).count()

    def sums(self, table: str, run_id: str, keys: Sequence[str], bins: str, n: int) -> pa.Table:
        """As `Source.sums`."""
        from pyspark.sql import functions as F

        from pipeline import tables

        places = (F.sum(F.col(bins)[place].cast("double")) for place in range(n))
        rows = tables.read(self._spark, table, self._paths, run_id)
        return rows.groupBy(*keys).agg(F.array(*places).alias(bins)).toArrow()


class FileSource:
    """Without Spark, in the tenth part of a second instead of ten seconds."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def rows(self, table: str, columns: Sequence[str], **wanted: Sequence[str]) -> pa.Table:
        """As `Source.rows`.

        Raises
        ------
        pipeline.errors.Damaged
            If a file cannot be read, or holds other bytes than were written.
        """
        from deltalake import DeltaTable
        from pyarrow import dataset

        place = self._paths.table(table)
        if not DeltaTable.is_deltatable(place):
            known = {column.name for column in schemas.TABLES[table].columns}
            return pa.table({name: pa.array([]) for name in columns if name in known})
        chosen = dataset.scalar(True)
        for name, values in wanted.items():
            chosen &= dataset.field(name).isin(pa.array(values, pa.string()))
        found = DeltaTable(place).to_pyarrow_dataset()
        asked = {"columns": list(columns), "filter": chosen, "fragment_scan_options": _checked()}
        return _scanned(found, asked, table, Scanner.to_table)

    def count(self, table: str, run_id: str) -> int:
        """As `Source.count`: from the ends of the files, none of which is read whole."""
        from deltalake import DeltaTable
        from pyarrow import dataset

        found = DeltaTable(self._paths.table(table)).to_pyarrow_dataset()
        asked = {"filter": dataset.field("run_id") == run_id}
        return int(_scanned(found, asked, table, Scanner.count_rows))

    def sums(self, table: str, run_id: str, keys: Sequence[str], bins: str, n: int) -> pa.Table:
        """As `Source.sums`: batch by batch, one of which is in memory at a time."""
        from deltalake import DeltaTable
        from pyarrow import dataset

        found = DeltaTable(self._paths.table(table)).to_pyarrow_dataset()
        chosen = dataset.field("run_id") == run_id
        names = [str(place) for place in range(n)]
        schema = pa.schema([found.schema.field(name) for name in (*keys, bins)])
        every = [_apart(pa.RecordBatch.from_pylist([], schema), names)]
        for part in found.get_fragments(filter=chosen):
            try:
                batches = _batches(part, schema)
                every += [_added(_apart(batch, names), keys) for batch in batches]
            except (OSError, pa.ArrowException) as error:
                raise causes.damaged(table, part.path) from error
        return _together(_added(pa.concat_tables(every), keys), keys, bins, names)


def _batches(part: ParquetFileFragment, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A file's rows, few at a time; a scanner would have all rows of a row group in memory."""
    from pyarrow import dataset, parquet

    *keys, bins = schema.names
    file = parquet.ParquetFile(part.open(), pre_buffer=False, page_checksum_verification=True)
    stored = [name for name in keys if name in file.schema_arrow.names]
    # Not in the file are keys that its folder is named by, null among them.
    known = dataset.get_partition_keys(part.partition_expression)
    for batch in file.iter_batches(BATCH_ROWS, columns=[*stored, bins]):
        columns = {
            name: batch[name]
            if name in stored
            else pa.repeat(pa.scalar(known.get(name), schema.field(name).type), len(batch))
            for name in keys
        }
        yield pa.record_batch(columns | {bins: batch[bins]}).cast(schema)


BATCH_ROWS = 4096


def _apart(batch: pa.RecordBatch, names: Sequence[str]) -> pa.Table:
    """Rows with a column for each place of the arrays in their last one."""
    *keys, bins = batch.schema.names
    numbers = batch[bins].flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    places = numbers.reshape(len(batch), len(names)).T
    columns = {name: batch[name] for name in keys} | dict(zip(names, places, strict=True))
    return pa.table(columns)


def _added(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sums of all columns over the rows with the same keys, under the same names."""
    names = [name for name in rows.column_names if name not in keys]
    sums = rows.group_by(list(keys)).aggregate([(name, "sum") for name in names])
    return sums.select([*keys, *(f"{name}_sum" for name in names)]).rename_columns([*keys, *names])


def _together(sums: pa.Table, keys: Sequence[str], bins: str, names: Sequence[str]) -> pa.Table:
    """The columns of all places as arrays again."""
    places = np.array([sums[name].to_numpy() for name in names]).reshape(len(names), sums.num_rows)
    arrays = pa.array(list(places.T), pa.list_(pa.float64()))
    return sums.select(list(keys)).append_column(bins, arrays)


def _checked() -> ParquetFragmentScanOptions:
    """Pages are written with checksums; by default nobody looks at them."""
    from pyarrow import dataset

    return dataset.ParquetFragmentScanOptions(page_checksum_verification=True)


def _scanned(
    found: Dataset, asked: Mapping[str, Any], table: str, take: Callable[[Scanner], T]
) -> T:
    """What is taken from a table's files, or an error that names the one that is damaged."""
    try:
        return take(found.scanner(**asked))
    except (OSError, pa.ArrowException) as error:
        # What pyarrow says does not always name a file.
        for part in found.get_fragments(filter=asked["filter"]):
            scanner = part.scanner(schema=found.schema, **asked)
            try:
                take(scanner)
            except (OSError, pa.ArrowException):
                raise causes.damaged(table, part.path) from error
        raise


def of(paths: Paths) -> Source:
    """Read without Spark where the tables are folders of this machine, else with it."""
    if _in_folders(paths):
        return FileSource(paths)
    from pipeline import session

    return SparkSource(session.get(), paths)


def frame(spark: SparkSession, table: str, paths: Paths, run_id: str) -> DataFrame:
    """Rows of one run of a small table, for a query of Spark.

    From folders they are fetched without Spark, for which even a table of ten rows is two or three
    jobs before the query itself.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    from pipeline import tables

    if not _in_folders(paths):
        return tables.read(spark, table, paths, run_id)
    schema = to_arrow_schema(tables.struct(table))
    rows = FileSource(paths).rows(table, schema.names, run_id=[run_id])
    return spark.createDataFrame(rows.cast(schema))


def _in_folders(paths: Paths) -> bool:
    return "://" not in paths.table("runs")
