"""Damaged files that are read without Spark: the file is named, and whose it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.errors import Damaged
from pipeline.paths import Paths
from pipeline.source import FileSource
from tests.pipeline.damage import RUNS, WAYS, flipped, two_runs

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
    assert f"cannot read pareto/{name}, which is damaged or missing" in str(caught.value)
    assert f"--run-id {whose}" in str(caught.value)
    assert caught.value.__cause__ is not None


def test_files_that_are_not_asked_for_do_not_matter(places: Paths) -> None:
    flipped(Path(places.table("pareto")) / "run_id=old" / "part-0.parquet")
    assert FileSource(places).rows("pareto", COLUMNS, run_id=["mine"]).num_rows == 100


def test_an_error_of_another_kind_stays_what_it_is(places: Paths) -> None:
    with pytest.raises(pa.ArrowException, match="nonsense"):
        FileSource(places).rows("pareto", ["nonsense"])
