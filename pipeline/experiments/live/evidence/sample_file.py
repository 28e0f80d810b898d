"""Samples of a live run: when each record was first read, as Parquet beside the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from pipeline.base.process import replaced_file
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords, first_reads
from pipeline.experiments.live.evidence.run_folder import RunFolder

SCHEMA = pa.schema(
    {
        "partition": pa.int32(),
        "epoch": pa.int32(),
        "sequence": pa.int64(),
        "due_ns": pa.int64(),
        "read_ns": pa.int64(),
        "done_ns": pa.int64(),
        "consumer": pa.int32(),
    }
)
"""Columns; times are nanoseconds since the first iteration began."""

ROWS = 131_072
"""Rows of a row group at most."""

_TIMES = ("due_ns", "read_ns", "done_ns")


def write(folder: RunFolder, file: Path) -> None:
    """Write a row per record, by partition and sequence number, in one step.

    Records of one partition are sorted at a time, and written a row group at a time.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    options = {
        "compression": "zstd",
        "use_dictionary": False,
        "column_encoding": dict.fromkeys(SCHEMA.names, "DELTA_BINARY_PACKED"),
    }
    with (
        replaced_file.replaced(file) as draft,
        parquet.ParquetWriter(draft, SCHEMA, **options) as writer,
    ):
        for rows in _row_groups(folder):
            writer.write_table(rows)


def _row_groups(folder: RunFolder) -> Iterator[pa.Table]:
    for partition in range(folder.settings.partitions):
        own = first_reads(folder.records.at(folder.records.partition == partition))
        for start in range(0, own.size, ROWS):
            yield _table(own, slice(start, start + ROWS), folder.settings.began_ns)


def _table(records: ProcessedRecords, rows: slice, began_ns: int) -> pa.Table:
    columns = {name: getattr(records, name)[rows] for name in SCHEMA.names}
    since = {name: columns[name] - began_ns for name in _TIMES}
    return pa.table(columns | since, schema=SCHEMA)
