"""Delta tables: replaced by run and unit, guarded by schema and constraints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable

import schemas
from pipeline.base.errors import StageError
from pipeline.base.paths import Paths
from pipeline.settings.run_config import Unit
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import table_creation, tables
from schemas import render

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

MEASURED = (
    "run_id string, experiment string, delta double, stream_id string, iteration int,"
    " rates array<double>"
)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "warehouse")


def measured(spark: SparkSession, run_id: str, delta: float | None, *speeds: float) -> DataFrame:
    rows = [
        (run_id, "e", delta, f"s{delta}", iteration, [speed])
        for iteration, speed in enumerate(speeds, start=1)
    ]
    return spark.createDataFrame(rows, MEASURED)


def addressed(paths: Paths, name: str) -> str:
    """Location of a table as if it were in an object store."""
    return f"file://{paths.warehouse}/{name}"


def speeds(spark: SparkSession, paths: Paths, run_id: str) -> list[float]:
    rows = tables.read(spark, "measurements", paths, run_id).collect()
    return sorted(row["rates"][0] for row in rows)


def test_a_write_replaces_the_rows_of_its_run_and_no_others(
    spark: SparkSession, paths: Paths
) -> None:
    tables.write(spark, measured(spark, "a", 5.0, 1.0, 2.0), "measurements", paths, "a")
    tables.write(spark, measured(spark, "b", 5.0, 3.0), "measurements", paths, "b")
    tables.write(spark, measured(spark, "a", 5.0, 4.0), "measurements", paths, "a")
    assert speeds(spark, paths, "a") == [4.0]
    assert speeds(spark, paths, "b") == [3.0]


def test_a_unit_is_replaced_alone(spark: SparkSession, paths: Paths) -> None:
    both = measured(spark, "a", 5.0, 1.0).union(measured(spark, "a", None, 2.0))
    tables.write(spark, both, "measurements", paths, "a")
    for delta, speed in ((5.0, 7.0), (None, 8.0)):
        unit = Unit("e", delta)
        frame = measured(spark, "a", delta, speed)
        tables.write(spark, frame, "measurements", paths, "a", [unit])
        assert [
            r["rates"] for r in tables.read(spark, "measurements", paths, "a", [unit]).collect()
        ] == [[speed]]
    assert speeds(spark, paths, "a") == [7.0, 8.0]


def test_rows_outside_of_the_replaced_unit_are_refused(spark: SparkSession, paths: Paths) -> None:
    with pytest.raises(Exception, match="DELTA_REPLACE_WHERE_MISMATCH"):
        tables.write(
            spark, measured(spark, "a", 10.0, 1.0), "measurements", paths, "a", [Unit("e", 5.0)]
        )
    assert speeds(spark, paths, "a") == []


@pytest.mark.parametrize("iteration", [0, None])
def test_a_row_against_a_constraint_refuses_the_whole_write(
    spark: SparkSession, paths: Paths, iteration: int | None
) -> None:
    rows = [("a", "e", 5.0, "s", 1, [1.0]), ("a", "e", 5.0, "s", iteration, [1.0])]
    with pytest.raises(Exception, match=r"DELTA_VIOLATE_CONSTRAINT|DELTA_NOT_NULL_CONSTRAINT"):
        tables.write(spark, spark.createDataFrame(rows, MEASURED), "measurements", paths, "a")
    assert speeds(spark, paths, "a") == []


def commented(paths: Paths, table: str) -> tuple[str | None, dict[str, str]]:
    """Comments of a table and its columns, as readers without Spark find them."""
    delta_table = DeltaTable(paths.table(table))
    said = {field.name: field.metadata.get("comment", "") for field in delta_table.schema().fields}
    return delta_table.metadata().description, said


@pytest.mark.parametrize("name", schemas.TABLES)
def test_delta_has_the_schema_and_constraints_of_the_contract(
    spark: SparkSession, small_run: RunContext, name: str
) -> None:
    stored = spark.read.format("delta").load(small_run.paths.table(name))
    assert stored.schema.jsonValue() == tables.struct(name).jsonValue()
    settings = DeltaTable(small_run.paths.table(name)).metadata().configuration
    prefix = "delta.constraints."
    held = {key.removeprefix(prefix): settings[key] for key in settings if key.startswith(prefix)}
    assert held == render.constraints(schemas.TABLES[name])


@pytest.mark.parametrize("name", ["measurements", "runs"])
def test_tables_on_a_disk_are_those_that_spark_makes_in_an_object_store(
    spark: SparkSession, paths: Paths, name: str
) -> None:
    contract, elsewhere = schemas.TABLES[name], f"{paths.warehouse}/by_spark"
    table_creation.create(spark, f"file://{elsewhere}", contract)
    tables.ensure(spark, paths, name)
    assert not tables.ensure(spark, paths, name)
    ours, theirs = (DeltaTable(place) for place in (paths.table(name), elsewhere))
    assert ours.protocol() == theirs.protocol()
    assert ours.schema() == theirs.schema()
    said, expected = ours.metadata(), theirs.metadata()
    assert said.description == expected.description
    assert said.partition_columns == expected.partition_columns
    # The version of the protocol stays among the settings.
    assert said.configuration == expected.configuration | {"delta.minWriterVersion": "3"}


def test_in_an_object_store_spark_does_what_needs_none_on_a_disk(
    spark: SparkSession, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer is compared with that for the same table as a folder."""

    def answers() -> tuple[object, ...]:
        return (
            tables.has_rows(spark, "measurements", paths, "a"),
            tables.has_rows(spark, "measurements", paths, "b"),
            tables.version(spark, "measurements", paths),
            tables.warehouse(spark, paths),
        )

    def of_both() -> tuple[object, ...]:
        on_disk = answers()
        with monkeypatch.context() as patch:
            patch.setattr(Paths, "table", addressed)
            assert answers() == on_disk
        return on_disk

    tables.ensure(spark, paths, "runs")
    for run_id in ("a", "b"):
        tables.write(spark, measured(spark, run_id, 5.0, 1.0), "measurements", paths, run_id)
    has_a, has_b, *_ = of_both()
    assert has_a
    assert has_b
    with monkeypatch.context() as patch:
        patch.setattr(Paths, "table", addressed)
        tables.delete_runs(spark, paths, "measurements", ["a"])
        tables.delete_runs(spark, paths, "scores", ["a"])  # a table that does not exist
    has_a, has_b, *_ = of_both()
    assert not has_a
    assert has_b


def test_delta_tables_carry_the_data_dictionary(small_run: RunContext) -> None:
    for name, contract in schemas.TABLES.items():
        whole, columns = commented(small_run.paths, name)
        assert whole == render.table_comment(contract)
        assert columns == {column.name: render.comment(column) for column in contract.columns}
    said = commented(small_run.paths, "measurements")[1]["rates"]
    assert "Unit: bytes/s, or events/s in autoscaling. Values: >= 0, finite. Null element:" in said


def test_misfits_are_named(spark: SparkSession, paths: Paths) -> None:
    frame = measured(spark, "a", 5.0, 1.0)
    wrong = frame.withColumnRenamed("iteration", "step").withColumn(
        "delta", frame["delta"].cast("string")
    )
    with pytest.raises(StageError, match=r"\['iteration'\].*\['step'\].*delta is string.*double"):
        tables.write(spark, wrong, "measurements", paths, "a")


def test_a_predicate_quotes_text() -> None:
    assert tables.predicate("a", [Unit("o'neill\\", None)]) == (
        r"run_id = 'a' AND ((experiment = 'o\'neill\\' AND delta IS NULL))"
    )
