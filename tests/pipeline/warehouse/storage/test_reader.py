"""Damaged files that are read without Spark: the error names the file and its run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from pipeline.base.errors import Damaged
from pipeline.base.paths import Paths
from pipeline.warehouse.storage import reader
from pipeline.warehouse.storage.reader import FileSource
from tests.pipeline.warehouse.storage.damage import RUNS, WAYS, flipped, two_runs

pytestmark = pytest.mark.unit

COLUMNS = ("run_id", "cbs")


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    """A table of two runs."""
    return two_runs(tmp_path)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("whose", RUNS)
def test_the_file_and_its_run_are_named(
    places: Paths, how: Callable[[Path], None], whose: str
) -> None:
    name = f"run_id={whose}/part-0.parquet"
    how(Path(places.table("pareto")) / name)
    with pytest.raises(Damaged) as caught:
        FileSource(places).rows("pareto", COLUMNS)
    assert (caught.value.table, caught.value.file, caught.value.run_id) == ("pareto", name, whose)
    assert f"cannot read pareto/{name}:" in str(caught.value)
    assert f"--run-id {whose}" in str(caught.value)
    assert caught.value.__cause__ is not None


def test_files_that_are_not_asked_for_do_not_matter(places: Paths) -> None:
    flipped(Path(places.table("pareto")) / "run_id=old" / "part-0.parquet")
    assert FileSource(places).rows("pareto", COLUMNS, run_id=["mine"]).num_rows == 100


def test_wide_rows_are_read_few_at_a_time(tmp_path: Path) -> None:
    place = str(tmp_path / "wide")
    write_deltalake(place, pa.table({"n": range(9_000), "ids": [[1, 2]] * 9_000}))
    for columns, most in ((["n"], reader.ROWS), (["n", "ids"], reader.WIDE_ROWS), (None, 512)):
        batches = reader.stored(place).scanner(columns=columns).to_batches()
        sizes = [batch.num_rows for batch in batches]
        assert (max(sizes), sum(sizes)) == (most, 9_000)


def test_an_error_of_another_kind_stays_what_it_is(places: Paths) -> None:
    with pytest.raises(pa.ArrowException, match="nonsense"):
        FileSource(places).rows("pareto", ["nonsense"])


def test_histograms_of_streams_without_volatility_are_added_up(tmp_path: Path) -> None:
    """Folders of a table name their rows' keys, and of recorded traces one is missing."""
    rows = pa.table(
        {
            "run_id": ["mine"] * 5 + ["other"],
            "experiment": ["trace"] * 6,
            "delta": pa.array([None, None, None, 5.0, 5.0, None], pa.float64()),
            "algorithm": ["MWF", "BFD", "MWF", "MWF", "MWF", "MWF"],
            "histogram": [[1, 2], [3, 4], [10, 20], [0, 7], [0, 0], [100, 100]],
        }
    )
    places = Paths(tmp_path)
    write_deltalake(places.table("latency"), rows, partition_by=["run_id", "experiment", "delta"])
    keys = ("experiment", "delta", "algorithm")
    histograms = FileSource(places).sums("latency", "mine", keys, "histogram", 2)
    assert sorted(map(str, histograms.to_pylist())) == sorted(
        str({"experiment": "trace", "delta": delta, "algorithm": name, "histogram": sums})
        for delta, name, sums in (
            (None, "MWF", [11.0, 22.0]),
            (None, "BFD", [3.0, 4.0]),
            (5.0, "MWF", [0.0, 7.0]),
        )
    )


def test_a_damaged_file_is_named_where_histograms_are_added_up(tmp_path: Path) -> None:
    rows = pa.table({"run_id": ["mine"], "algorithm": ["MWF"], "histogram": [[1, 2]]})
    places = Paths(tmp_path)
    write_deltalake(places.table("latency"), rows, partition_by=["run_id"])
    (file,) = Path(places.table("latency"), "run_id=mine").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(Damaged, match=file.name):
        FileSource(places).sums("latency", "mine", ["algorithm"], "histogram", 2)
