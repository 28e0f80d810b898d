"""Tables that an older version of the contracts made: changed by the rule, or refused by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import rmtree as remove
from typing import TYPE_CHECKING

import pytest

import schemas
from pipeline.assignment.statistics import NAMES
from pipeline.config.run_config import RunConfig
from pipeline.engine import local
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.spark import session
from pipeline.storage import migrate, tables
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from tests.e2e.run_tables import rows, statuses
from tests.faults.breaking import RUN, WHOLE, assert_same_rows, copied
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
        known: Mapping[str, Table] = dict(schemas.TABLES) | {table.name: table}
        monkeypatch.setattr(schemas, "TABLES", known)

    return chosen


def state(place: Path) -> dict[str, bytes]:
    """All files of a warehouse."""
    files = (file for file in place.rglob("*") if file.is_file())
    return {str(file.relative_to(place)): file.read_bytes() for file in files}


SCORES, RUNS = schemas.TABLES["scores"], schemas.TABLES["runs"]


def older_runs() -> Table:
    """Table `runs` without its last column, with one constraint less, one more, one otherwise."""
    columns = [column for column in RUNS.columns if column.name != "error"]
    changed = {
        "seed": replace(RUNS.column("seed"), minimum=None),
        "status": replace(RUNS.column("status"), allowed=("running", "published", "lost")),
    }
    checks = [check for check in RUNS.checks if check.name != "error_means_failed"]
    return replace(
        RUNS,
        columns=tuple(changed.get(column.name, column) for column in columns),
        checks=(*checks, Check("seeded", "The seed is small.", "seed < 1000000")),
    )


def test_a_run_brings_an_older_table_up_to_date(
    spark: SparkSession,
    whole: Path,
    tmp_path: Path,
    tiny: RunConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = copied(whole, tmp_path / "warehouse")
    remove(place / "runs")
    with monkeypatch.context() as patch:
        patch.setattr(schemas, "TABLES", {**schemas.TABLES, "runs": older_runs()})
        old = spark.read.format("delta").load(str(whole / "runs")).drop("error")
        tables.write(spark, old, "runs", Paths(place), WHOLE)
    planned = [change.statement for change in migrate.plan(Paths(place))]
    assert len(planned) == 6, planned

    local.run_all(tiny, place, "new")
    assert migrate.plan(Paths(place)) == []
    assert statuses(place) == {WHOLE: "published", "new": "published"}
    for run_id in (WHOLE, "new"):
        assert_same_rows(place, run_id, whole)
        assert rows(place, "runs", run_id)["error"].isna().all()
    for wrong in ("status = 'asleep'", "seed = -1", "error = 'none'"):
        with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT"):
            spark.sql(f"UPDATE delta.`{place}/runs` SET {wrong}")


@pytest.mark.parametrize("kind", ["type", "missing", "partitioning"])
def test_a_table_that_cannot_be_changed_is_refused_before_anything_is_written(
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
        "type": "column mean_consumers must be double (got integer)",
        "missing": "required column mean_rscore is missing",
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


def test_rows_that_do_not_keep_a_new_constraint_are_named(
    spark: SparkSession, whole: Path, tmp_path: Path, contract: Set, tiny: RunConfig
) -> None:
    place = copied(whole, tmp_path / "warehouse")
    columns = (replace(c, minimum=2) if c.name == "mean_consumers" else c for c in SCORES.columns)
    contract(replace(SCORES, columns=tuple(columns)))
    spark.sql(f"ALTER TABLE delta.`{place}/scores` DROP CONSTRAINT mean_consumers_bounds")
    spark.sql(f"UPDATE delta.`{place}/scores` SET mean_consumers = 1 WHERE algorithm = 'NF'")
    with pytest.raises(
        InputError, match=f"scores: rows of run {WHOLE} break the constraint mean_consumers"
    ):
        local.run_all(tiny, place, "new")
    assert statuses(place) == {WHOLE: "published"}


def test_a_column_that_is_new_in_the_contract(
    spark: SparkSession, whole: Path, tmp_path: Path, contract: Set
) -> None:
    place = copied(whole, tmp_path / "warehouse")
    more = Column("p75", "double", "A time.", "s", nullable=True, null_means="None.", minimum=0)
    latency = schemas.TABLES["latency"]
    contract(replace(latency, columns=(*latency.columns, more)))
    migrate.up_to_date(spark, Paths(place))
    assert migrate.plan(Paths(place)) == []
    assert rows(place, "latency", WHOLE)["p75"].isna().all()
    comments = {
        field.name: field.metadata.get("comment")
        for field in spark.read.format("delta").load(f"{place}/latency").schema
    }
    assert comments["p75"] is not None
    assert comments["p75"].startswith("A time.")


def test_tables_and_columns_of_the_statistics_are_made_in_an_older_warehouse(
    spark: SparkSession,
    whole: Path,
    tmp_path: Path,
    tiny: RunConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = copied(whole, tmp_path / "warehouse")
    for name in NAMES:
        remove(place / name)
    with monkeypatch.context() as patch:
        for name in ("scores", "pareto"):
            table = schemas.TABLES[name]
            columns = tuple(c for c in table.columns if not c.name.startswith("cbs_common"))
            checks = tuple(c for c in table.checks if "common" not in c.name)
            patch.setattr(
                schemas,
                "TABLES",
                {**schemas.TABLES, name: replace(table, columns=columns, checks=checks)},
            )
            remove(place / name)
            old = spark.read.format("delta").load(str(whole / name))
            tables.write(spark, old.select(*(c.name for c in columns)), name, Paths(place), WHOLE)
    local.run_all(tiny, place, "new")
    assert migrate.plan(Paths(place)) == []
    assert statuses(place) == {WHOLE: "published", "new": "published"}
    for name in ("scores", "pareto"):
        assert rows(place, name, WHOLE)["cbs_common"].isna().all()
        assert rows(place, name, "new")["cbs_common"].notna().all()
    for name in NAMES:
        assert rows(place, name, WHOLE).empty
        assert not rows(place, name, "new").empty


def test_a_log_that_cannot_be_read(whole: Path, tmp_path: Path) -> None:
    place = copied(whole, tmp_path / "warehouse")
    log = sorted((place / "pareto" / "_delta_log").glob("*.json"))
    log[0].write_text("{")
    with pytest.raises(InputError, match=r"table pareto: cannot read its log "):
        migrate.plan(Paths(place))
