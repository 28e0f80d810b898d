"""Reads Parquet files that users name, after checking how much data they hold.

A few kilobytes can expand to gigabytes: pages are compressed, and a dictionary stores a name once
that is in every row. So texts are read as dictionaries, which hold each text once, and all sizes
are compared with limits first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from sys import maxsize

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.base.errors import InputError
from pipeline.base.limits import (
    MAX_PARQUET_FOOTER,
    MAX_PARQUET_PAGE,
    MAX_PARQUET_PARTS,
    MAX_RATES,
    MAX_TRACE_BYTES,
)
from pipeline.inputs.traces.formats import parquet_pages
from pipeline.inputs.traces.formats.long_columns import check_names
from pipeline.inputs.traces.formats.parquet_pages import Malformed

_END = 8
"""Bytes after the footer: its length, and the magic number."""


def schema(path: Path) -> pa.Schema:
    """Names and types of the columns. Raises InputError if it is not Parquet, or too large."""
    _check_footer(path)
    with _opened(path) as file:
        _check_rows(path, file.metadata)
        _check_bytes(path, file.metadata)
        _check_pages(path, file.metadata)
        return file.schema_arrow


def read(path: Path, columns: Sequence[str]) -> pa.Table:
    """Read flat columns, texts as dictionaries. Raises InputError if unreadable or too long."""
    groups, row = [], 0
    with _opened(path, columns) as file:
        for number in range(file.num_row_groups):
            group = file.read_row_group(number, list(columns))
            # Nothing else finds texts that are not UTF-8 before they are used.
            group.validate(full=True)
            for name in columns:
                check_names(group[name], name, partial(_where, path, row))
            groups.append(group)
            row += group.num_rows
        return pa.concat_tables(groups).combine_chunks()


def _where(path: Path, before: int, row: int) -> str:
    return f"{path}: row {before + row + 1}"


@contextmanager
def _opened(path: Path, dictionaries: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(
            path,
            read_dictionary=list(dictionaries),
            # The parser is recursive: deeper nesting would crash the process.
            thrift_container_size_limit=MAX_PARQUET_PARTS,
        ) as file:
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError, Malformed):
        # Arrow's message can quote the file.
        raise InputError(
            f"{path}: not readable as Parquet: the file is damaged, or has more than "
            f"{MAX_PARQUET_PARTS:,} row groups or columns"
        ) from None


def _check_footer(path: Path) -> None:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _END))
        length = int.from_bytes(file.read(4), "little")
    if length > MAX_PARQUET_FOOTER:
        raise InputError(
            f"{path}: the Parquet footer can have at most {MAX_PARQUET_FOOTER:,} bytes "
            f"(got {length:,}); write the file with fewer row groups"
        )


def _check_rows(path: Path, metadata: pq.FileMetaData) -> None:
    rows = metadata.num_rows
    if rows == 0:
        raise InputError(f"{path}: the file has no rows; add a row for each rate")
    if rows > MAX_RATES:
        raise InputError(
            f"{path}: can have at most {MAX_RATES:,} rows (got {rows:,}); split the file"
        )
    in_groups = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    if min(in_groups, default=0) < 0 or sum(in_groups) != rows:
        raise InputError(
            f"{path}: the file is damaged: its row groups do not have {rows:,} rows in total"
        )


def _check_bytes(path: Path, metadata: pq.FileMetaData) -> None:
    sizes = [chunk.total_uncompressed_size for chunk in _chunks(metadata)]
    size = sum(sizes)
    if min(sizes, default=0) < 0:
        raise Malformed
    if size > MAX_TRACE_BYTES:
        raise InputError(
            f"{path}: can have at most {MAX_TRACE_BYTES:,} bytes uncompressed (got {size:,}); "
            "split the file"
        )


def _check_pages(path: Path, metadata: pq.FileMetaData) -> None:
    """Compare page sizes with limits; page headers may contradict the column's metadata."""
    total = 0
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        for chunk in _chunks(metadata):
            # As in Arrow: a dictionary with a later offset is ignored.
            start = min(chunk.dictionary_page_offset or maxsize, chunk.data_page_offset)
            end = start + chunk.total_compressed_size
            if not 0 < start <= end <= len(data):
                raise Malformed
            for size in parquet_pages.sizes(data, start, end):
                total += size
                if size > MAX_PARQUET_PAGE or total > MAX_TRACE_BYTES:
                    raise InputError(
                        f"{path}: can have at most {MAX_PARQUET_PAGE:,} bytes uncompressed per "
                        f"page and {MAX_TRACE_BYTES:,} in total (got a page of {size:,}, "
                        f"{total:,} in total); write smaller pages, or split the file"
                    )


def _chunks(metadata: pq.FileMetaData) -> Iterator[pq.ColumnChunkMetaData]:
    """All columns of all row groups."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield from (group.column(place) for place in range(group.num_columns))
