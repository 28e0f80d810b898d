"""A table of two runs whose files can be damaged in all the ways that disks fail."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from deltalake import Field, Schema, convert_to_deltalake
from pyarrow import parquet

from pipeline.base.paths import Paths

RUNS = ("old", "mine")


def two_runs(folder: Path) -> Paths:
    """Table `pareto` of two runs, its pages with checksums as Spark writes them."""
    paths = Paths(folder)
    for run_id in RUNS:
        rows = pa.table({"cbs": [float(number) for number in range(100)]})
        file = Path(paths.table("pareto")) / f"run_id={run_id}" / "part-0.parquet"
        file.parent.mkdir(parents=True)
        parquet.write_table(
            rows, file, compression="none", use_dictionary=False, write_page_checksum=True
        )
    by_run = Schema([Field("run_id", "string")])
    convert_to_deltalake(paths.table("pareto"), partition_by=by_run, partition_strategy="hive")
    return paths


def flipped(file: Path) -> None:
    """One bit of a number is another, which still is a number."""
    column = parquet.read_metadata(file).row_group(0).column(0)
    content = bytearray(file.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 4] ^= 0x01
    file.write_bytes(content)
    assert parquet.read_table(file).num_rows == 100


def truncated(file: Path) -> None:
    """The end is missing."""
    file.write_bytes(file.read_bytes()[:-20])


def overwritten(file: Path) -> None:
    """There are as many bytes, all of them zero."""
    file.write_bytes(bytes(file.stat().st_size))


def deleted(file: Path) -> None:
    """There is no file."""
    file.unlink()


WAYS = (flipped, truncated, overwritten, deleted)
