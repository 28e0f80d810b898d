"""Sums of arrays over many rows, read from the files of a table, few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pipeline.warehouse.storage import faults

if TYPE_CHECKING:
    from pyarrow.dataset import ParquetFileFragment

BATCH_ROWS = 4096


def of(
    parts: Sequence[ParquetFileFragment],
    schema: pa.Schema,
    table: str,
    columns: Sequence[str],
    n: int,
) -> pa.Table:
    """Sums of the arrays of ``n`` numbers in the last column, grouped by the other columns.

    table: The table's name, for an error that names a damaged file.
    Raises pipeline.base.errors.Damaged if a file cannot be read, or its checksums do not match.
    """
    *keys, bins = columns
    names = [str(place) for place in range(n)]
    read = pa.schema([schema.field(name) for name in columns])
    every = [_apart(pa.RecordBatch.from_pylist([], read), names)]
    for part in parts:
        try:
            every += [_added(_apart(batch, names), keys) for batch in _batches(part, read)]
        except (OSError, pa.ArrowException) as error:
            raise faults.damaged(table, part.path) from error
    return _together(_added(pa.concat_tables(every), keys), keys, bins, names)


def _batches(part: ParquetFileFragment, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A file's rows, few at a time; a scanner would load all rows of a row group into memory."""
    from pyarrow import dataset, parquet

    *keys, bins = schema.names
    file = parquet.ParquetFile(part.open(), pre_buffer=False, page_checksum_verification=True)
    stored = [name for name in keys if name in file.schema_arrow.names]
    # Partition keys, which may be null, are in the folder's name and not in the file.
    in_folder = dataset.get_partition_keys(part.partition_expression)
    for batch in file.iter_batches(BATCH_ROWS, columns=[*stored, bins]):
        columns = {
            name: batch[name]
            if name in stored
            else pa.repeat(pa.scalar(in_folder.get(name), schema.field(name).type), len(batch))
            for name in keys
        }
        yield pa.record_batch(columns | {bins: batch[bins]}).cast(schema)


def _apart(batch: pa.RecordBatch, names: Sequence[str]) -> pa.Table:
    """Rows with the arrays of their last column split into a column per element."""
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
    """The columns of all elements as arrays again."""
    places = np.array([sums[name].to_numpy() for name in names]).reshape(len(names), sums.num_rows)
    arrays = pa.array(list(places.T), pa.list_(pa.float64()))
    return sums.select(list(keys)).append_column(bins, arrays)
