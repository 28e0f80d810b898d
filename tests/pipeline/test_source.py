"""Damaged files that are read without Spark: the file is named, and whose it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import Field, Schema, convert_to_deltalake
from pyarrow import parquet

from pipeline.errors import Damaged
from pipeline.paths import Paths
from pipeline.source import FileSource

pytestmark = pytest.mark.unit

RUNS = ("old", "mine")
COLUMNS = ("run_id", "cbs")


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    """A table of two runs, its pages with checksums as Spark writes them."""
    found = Paths(tmp_path)
    for run_id in RUNS:
        rows = pa.table({"cbs": [float(number) for number in range(100)]})
        file = Path(found.table("pareto")) / f"run_id={run_id}" / "part-0.parquet"
        file.parent.mkdir(parents=True)
        parquet.write_table(
            rows, file, compression="none", use_dictionary=False, write_page_checksum=True
        )
    by_run = Schema([Field("run_id", "string")])
    convert_to_deltalake(found.table("pareto"), partition_by=by_run, partition_strategy="hive")
    return found


def flipped(file: Path) -> None:
    """One bit of a number is another, which still is a number."""
    column = parquet.read_metadata(file).row_group(0).column(0)
    content = bytearray(file.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 4] ^= 0x01
    file.write_bytes(content)
    assert parquet.read_table(file).num_rows == 100


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def overwritten(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def deleted(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("how", [flipped, truncated, overwritten, deleted])
@pytest.mark.parametrize("whose", RUNS)
def test_the_file_and_its_run_are_named(
    places: Paths, how: Callable[[Path], None], whose: str
) -> None:
    name = f"run_id={whose}/part-0.parquet"
    how(Path(places.table("pareto")) / name)
    with pytest.raises(Damaged) as caught:
        FileSource(places).rows("pareto", COLUMNS)
    assert (caught.value.table, caught.value.file, caught.value.run_id) == ("pareto", name, whose)
    assert f"cannot read pareto/{name}, which is damaged or missing" in str(caught.value)
    assert f"--run-id {whose}" in str(caught.value)
    assert caught.value.__cause__ is not None


def test_files_that_are_not_asked_for_do_not_matter(places: Paths) -> None:
    flipped(Path(places.table("pareto")) / "run_id=old" / "part-0.parquet")
    assert FileSource(places).rows("pareto", COLUMNS, run_id=["mine"]).num_rows == 100


def test_an_error_of_another_kind_stays_what_it_is(places: Paths) -> None:
    with pytest.raises(pa.ArrowException, match="nonsense"):
        FileSource(places).rows("pareto", ["nonsense"])
