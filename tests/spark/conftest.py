"""One Spark session per test process and one small run that tests may look at."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.config.load import resolve
from pipeline.config.run_config import RunConfig
from pipeline.engine import local
from pipeline.paths import Paths
from pipeline.runs import context
from pipeline.runs.context import RunContext
from pipeline.spark import session

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
    spark: SparkSession, small_config: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> RunContext:
    """A published run; tests only read it.

    One process of tests makes it, and each has a copy.
    """
    place = tmp_path_factory.getbasetemp()
    shared = place.parent if "PYTEST_XDIST_WORKER" in os.environ else place
    made, draft = shared / "small", shared / "small-draft"
    with (shared / "small.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(draft, ignore_errors=True)
            local.run_all(small_config, draft, "small")
            draft.rename(made)
    mine = tmp_path_factory.mktemp("published") / "warehouse"
    shutil.copytree(made, mine)
    return context.load(mine, "small")


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
