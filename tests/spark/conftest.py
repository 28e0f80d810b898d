"""What tests on Spark share: tables without rows and one small run that tests may look at."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.base.paths import Paths
from pipeline.engine import local
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import context
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = [
    "partitions=6",
    "iterations=8",
    "deltas=0,25",
    "replicates=2",
    "algorithms=MWF,BFD,NF,kd_2",
]


@pytest.fixture(scope="session")
def small_config() -> RunConfig:
    """Two experiments of a few partitions, so that a run takes seconds."""
    return resolve("smoke", None, SMALL, [])


@pytest.fixture(scope="session")
def small_run(
    spark: SparkSession,
    small_config: RunConfig,
    empty_tables: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> RunContext:
    """A published run; tests only read it."""

    def make(place: Path) -> None:
        shutil.copytree(empty_tables, place)
        local.run_all(small_config, place, "small")

    return context.load(shared(tmp_path_factory, "small", make), "small")


@pytest.fixture(scope="session")
def empty_tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse whose tables have no rows; tests copy it, since Spark takes seconds for it."""
    return shared(tmp_path_factory, "empty", lambda place: tables.ensure_all(spark, Paths(place)))


@pytest.fixture(scope="module")
def warehouse(empty_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse for the runs of a file."""
    return shutil.copytree(empty_tables, tmp_path_factory.mktemp("runs") / "warehouse")


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A copy of a folder that the first process of tests makes for all of them."""
    place = factory.getbasetemp()
    place = place.parent if "PYTEST_XDIST_WORKER" in os.environ else place
    made, draft = place / name, place / f"{name}-draft"
    with (place / f"{name}.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(draft, ignore_errors=True)
            make(draft)
            draft.rename(made)
    return shutil.copytree(made, factory.mktemp(f"own-{name}") / "warehouse")


@pytest.fixture
def few_rows(spark: SparkSession) -> Iterator[None]:
    """Settings with which the pipeline reads small tables, for the queries of a test."""
    with session.for_few_rows(spark):
        yield


@pytest.fixture
def copied(small_run: RunContext, tmp_path: Path) -> RunContext:
    """The small run in a warehouse that a test may change."""
    shutil.copytree(small_run.paths.warehouse, tmp_path / "warehouse")
    return RunContext(
        small_run.run_id,
        small_run.config,
        Paths(tmp_path / "warehouse"),
        "test",
        small_run.created_at,
    )


@pytest.fixture(autouse=True)
def tracking_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own MLflow store."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
