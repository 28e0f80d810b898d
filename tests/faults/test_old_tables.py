"""Tables that another version of the contracts made are refused by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import rmtree as remove
from typing import TYPE_CHECKING

import pytest

import schemas
from pipeline.base.paths import Paths
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import tables
from schemas.table import Table
from tests.faults.breaking import RUN, copied
from tests.faults.conftest import Start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Set = Callable[[Table], None]


@pytest.fixture
def spark() -> SparkSession:
    return session.get(brief=True)


@pytest.fixture
def contract(monkeypatch: pytest.MonkeyPatch) -> Set:
    """Put a contract in the place of the one of its name."""

    def chosen(table: Table) -> None:
        all_tables: Mapping[str, Table] = dict(schemas.TABLES) | {table.name: table}
        monkeypatch.setattr(schemas, "TABLES", all_tables)

    return chosen


def state(place: Path) -> dict[str, bytes]:
    """All files of a warehouse."""
    files = (file for file in place.rglob("*") if file.is_file())
    return {str(file.relative_to(place)): file.read_bytes() for file in files}


SCORES = schemas.TABLES["scores"]


@pytest.mark.parametrize("kind", ["type", "missing", "partitioning"])
def test_a_table_of_another_version_is_refused_before_anything_is_written(
    kind: str, start: Start, spark: SparkSession, whole: Path, tmp_path: Path, contract: Set
) -> None:
    place = copied(whole, tmp_path / "warehouse")
    older = {
        "type": replace(
            SCORES,
            columns=tuple(
                replace(c, type="int", unit="consumers", minimum=None, maximum=None)
                if c.name == "mean_consumers"
                else c
                for c in SCORES.columns
            ),
        ),
        "missing": replace(
            SCORES, columns=tuple(c for c in SCORES.columns if c.name != "mean_rscore")
        ),
        "partitioning": replace(SCORES, partition_by=()),
    }[kind]
    said = {
        "type": "column mean_consumers must be double NOT NULL (got integer NOT NULL)",
        "missing": "column mean_rscore is missing",
        "partitioning": "must be partitioned by run_id",
    }[kind]
    remove(place / "scores")
    contract(older)
    tables.ensure(spark, Paths(place), "scores")
    before = state(place)
    process = start(*RUN, "--run-id", "new", "--warehouse", str(place))
    assert process.end() == 2, process.said
    assert f"Error: table scores: {said}" in process.said
    assert "(--warehouse or GROUPSCALE_WAREHOUSE)" in process.said
    assert state(place) == before
