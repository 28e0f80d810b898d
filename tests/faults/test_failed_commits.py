"""Commits that others get in the way of."""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable

from pipeline.base.paths import Paths
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import table_commits, tables
from tests.e2e.run_tables import rows
from tests.spark.test_tables_on_spark import measured

if TYPE_CHECKING:
    from pyspark.sql import DataFrameWriter, SparkSession


@pytest.fixture
def spark() -> SparkSession:
    return session.get(brief=True)


@pytest.fixture
def paths(spark: SparkSession, tmp_path: Path) -> Paths:
    """A warehouse in which run `a` has written."""
    paths = Paths(tmp_path / "warehouse")
    tables.write(spark, measured(spark, "a", 5.0, 1.0, 2.0), "measurements", paths, "a")
    return paths


def speeds(paths: Paths, run_id: str) -> list[tuple[float, ...]]:
    return list(rows(paths.warehouse, "measurements", run_id)["rates"])


class Rival(threading.Thread):
    """Another process that renames its commit to the name of the next one, just after it."""

    def __init__(self, log: Path) -> None:
        super().__init__(daemon=True)
        self.file = log / f"{len(list(log.glob('[0-9]*.json'))):020}.json"
        self.won = False

    def run(self) -> None:
        deadline = time.monotonic() + 60
        # Hadoop renames a commit, then its checksum.
        checksum = self.file.with_name(f".{self.file.name}.crc")
        while not checksum.exists() and time.monotonic() < deadline:
            time.sleep(0.0005)
        mine = {"commitInfo": {"timestamp": 0, "operation": "WRITE", "operationParameters": {}}}
        draft = self.file.with_suffix(".rival")
        draft.write_text(json.dumps(mine) + "\n")
        checksum.unlink()
        draft.replace(self.file)
        self.won = True


def test_a_commit_that_another_process_replaces_is_made_again(
    spark: SparkSession, paths: Paths
) -> None:
    rival = Rival(Path(paths.table("measurements")) / "_delta_log")
    rival.start()
    tables.write(spark, measured(spark, "b", 5.0, 7.0), "measurements", paths, "b")
    rival.join()
    assert rival.won
    assert speeds(paths, "b") == [(7.0,)]
    assert speeds(paths, "a") == [(1.0,), (2.0,)]
    assert tables.read(spark, "measurements", paths, "b").count() == 1


def test_a_commit_that_delta_refuses_is_made_again(spark: SparkSession, paths: Paths) -> None:
    """What a killed process had under way changes the same rows while a run writes them."""
    frame = measured(spark, "a", 5.0, 8.0)
    place = paths.table("measurements")
    writer = frame.write.format("delta").mode("overwrite").option("replaceWhere", "run_id = 'a'")
    tried = []

    def commit() -> None:
        tried.append(1)
        if len(tried) == 1:
            overlap(writer, place)
        writer.save(place)

    table_commits.insist(commit)
    assert len(tried) == 2
    assert speeds(paths, "a") == [(8.0,)]


def overlap(writer: DataFrameWriter, place: str) -> None:
    """Two writes of the same rows that begin at the same version: the second is refused."""
    starts = threading.Barrier(2)
    failed: list[Exception] = []

    def write() -> None:
        starts.wait()
        time.sleep(random.random() / 1000)
        try:
            writer.save(place)
        except Exception as error:
            failed.append(error)

    for _ in range(20):
        both = [threading.Thread(target=write) for _ in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        if failed:
            raise failed[0]
    raise AssertionError("Delta takes both")


def test_writing_nothing_is_no_loss(spark: SparkSession, paths: Paths) -> None:
    before = DeltaTable(paths.table("measurements")).version()
    empty = measured(spark, "c", 5.0, 1.0).where("false")
    started = time.monotonic()
    tables.write(spark, empty, "measurements", paths, "c")
    assert time.monotonic() - started < 20
    assert DeltaTable(paths.table("measurements")).version() - before <= 1


def test_other_errors_are_not_tried_again() -> None:
    tried = []

    def commit() -> None:
        tried.append(1)
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        table_commits.insist(commit)
    assert len(tried) == 1
