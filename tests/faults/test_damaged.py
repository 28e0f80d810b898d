"""Damaged files of a table: the stage that reads one names it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable
from pyarrow import parquet

from pipeline.base.errors import StageError
from pipeline.engine import local, steps
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import context
from pipeline.warehouse.spark import internals, session
from tests.e2e.run_tables import statuses
from tests.faults.breaking import WHOLE, assert_same_rows, copied
from tests.spark.test_compare_on_spark import again

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def overwritten(file: Path) -> None:
    """Some bytes of the largest column are others."""
    group = parquet.read_metadata(file).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    largest = max(columns, key=lambda column: column.total_compressed_size)
    begin = largest.dictionary_page_offset or largest.data_page_offset
    end = begin + largest.total_compressed_size
    content = bytearray(file.read_bytes())
    content[end - 9] ^= 0x5A
    file.write_bytes(content)


def overwritten_unnoticed(file: Path) -> None:
    """The same, without the file's checksum file, as after a copy to other storage."""
    overwritten(file)
    file.with_name(f".{file.name}.crc").unlink()


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def deleted(file: Path) -> None:
    file.unlink()


Damage = Callable[[Path], None]
CASES: list[tuple[Damage, str, str]] = [
    (overwritten, "measurements", "run_algorithms"),
    (truncated, "streams", "run_algorithms"),
    (deleted, "assignments", "score"),
    (overwritten_unnoticed, "measurements", "run_algorithms"),
    (overwritten, "scores", "extract_pareto"),
    (truncated, "latency", "track"),
    (deleted, "pareto", "report"),
    # A byte changed in a column that the stage does not read would not be met.
    (overwritten, "assignments", "simulate_latency"),
    (truncated, "measurements", "simulate_latency"),
]


def damage(warehouse: Path, table: str, how: Damage, run_id: str = WHOLE) -> str:
    """Damage a file of a run's rows; its name within the warehouse."""
    # Files that a later commit has replaced are there too, and are not read.
    of_run = [("run_id", "=", run_id)]
    held = DeltaTable(str(warehouse / table)).file_uris(file_pruning_predicate=of_run)
    file = Path(max(held))
    how(file)
    return str(file.relative_to(warehouse))


@pytest.mark.parametrize(
    ("how", "table", "stage"), CASES, ids=[f"{how.__name__}-{t}-{s}" for how, t, s in CASES]
)
def test_a_stage_names_the_file_that_it_cannot_read(
    how: Damage, table: str, stage: str, whole: Path, tmp_path: Path
) -> None:
    place = copied(whole, tmp_path / "warehouse")
    name = damage(place, table, how)
    ctx = context.load(place, WHOLE)
    with pytest.raises(StageError) as caught:
        steps.run_stage(stage, ctx)
    error = str(caught.value)
    assert error.startswith(f"{stage}: table {table}: cannot read {name}: ")
    assert error.endswith(f"--run-id {WHOLE}")
    steps.conclude(ctx, error)
    assert statuses(place) == {WHOLE: "failed"}


COMPARED: list[tuple[Damage, str]] = [
    (overwritten, "pareto"),
    (truncated, "latency"),
    (deleted, "runs"),
]


@pytest.mark.parametrize("whose", ["old", WHOLE])
@pytest.mark.parametrize(("how", "table"), COMPARED, ids=[table for _, table in COMPARED])
def test_the_comparison_names_the_file_and_its_run(
    how: Damage, table: str, whose: str, whole: Path, tmp_path: Path
) -> None:
    place = copied(whole, tmp_path / "warehouse")
    ctx = context.load(place, WHOLE)
    # Some earlier night, which is the baseline.
    earlier = {"old": ctx.created_at - timedelta(days=1)}
    again(session.get(brief=True), ctx, earlier, scores=dict, pareto=dict, latency=dict)
    name = damage(place, table, how, whose)
    with pytest.raises(StageError) as caught:
        steps.run_stage("compare", ctx)
    error = str(caught.value)
    assert error.startswith(f"compare: table {table}: cannot read {name}: ")
    assert error.endswith(f"--run-id {whose}")
    assert ("it belongs to run old" in error) == (whose == "old")


def test_run_again_all_is_well(whole: Path, tmp_path: Path, tiny: RunConfig) -> None:
    place = copied(whole, tmp_path / "warehouse")
    for table in ("runs", "streams", "measurements", "assignments", "scores"):
        damage(place, table, truncated)
    local.run_all(tiny, place, WHOLE)
    assert statuses(place) == {WHOLE: "published"}
    assert_same_rows(place, WHOLE, whole)


def test_a_hint_of_a_checkpoint_that_was_written_in_half(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The only file of a log that is written in place: without it, readers list the log."""
    place = tmp_path / "table"
    spark.range(1).write.format("delta").save(str(place))
    spark.sql(f"ALTER TABLE delta.`{place}` SET TBLPROPERTIES ('delta.checkpointInterval' = '2')")
    for _ in range(3):
        spark.range(1).write.format("delta").mode("append").save(str(place))
    log = place / "_delta_log"
    assert (log / f"{4:020}.crc").is_file()
    hint = log / "_last_checkpoint"
    truncated(hint)
    (log / "._last_checkpoint.crc").unlink()
    assert DeltaTable(place).to_pyarrow_table().num_rows == 4
    internals.forget_log(spark, str(place))
    assert spark.read.format("delta").load(str(place)).count() == 4
