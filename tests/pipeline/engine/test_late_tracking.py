"""A run that is published later belongs to the process that publishes it; without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from pipeline.base import paths
from pipeline.base.errors import InputError, StageError, ValidationFailed
from pipeline.base.paths import Paths
from pipeline.engine import late_tracking, steps
from pipeline.experiments.family_list import stages_of
from pipeline.reporting.tracking import retry
from pipeline.settings import load
from pipeline.warehouse import checks
from pipeline.warehouse.runs import context, lock
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.spark import session

pytestmark = pytest.mark.unit

SERVER = "http://127.0.0.1:5000"
DAG = "airflow:nightly:scheduled__1"


@pytest.fixture
def failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunContext:
    """A complete run of a DAG that failed because of MLflow; Spark is not used."""
    config = load.resolve("smoke", None, [], [])
    places = Paths(tmp_path / "warehouse")
    ctx = RunContext("late", config, places, DAG, context.now(), {}, SERVER)
    ctx.save()
    write_deltalake(ctx.paths.table("runs"), pa.table({"run_id": ["late", "other"]}))
    for item in stages_of(config):
        if item.writes:
            ctx.record(item.name, None, 1.0)
    monkeypatch.delenv(retry.PATIENCE, raising=False)
    monkeypatch.delenv("GROUPSCALE_TABLES", raising=False)
    # Set first, so that it is as it was after the test.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", paths.default_tracking_uri())
    monkeypatch.setattr(session, "get", lambda: None)
    monkeypatch.setattr(late_tracking, "_known", lambda spark, places, run_id: (ctx, "failed"))
    monkeypatch.setattr(steps, "work", lambda *_: nullcontext())
    monkeypatch.setattr(checks, "check", lambda *_: None)
    monkeypatch.setattr(late_tracking, "_tellers", lambda ctx: [])
    return ctx


@pytest.fixture
def concluded(monkeypatch: pytest.MonkeyPatch, failed: RunContext) -> Iterator[list[str]]:
    """Owners of the runs that were published."""
    owners: list[str] = []

    def conclude(ctx: RunContext) -> None:
        with pytest.raises(StageError, match="taken over by"):
            steps.attach(ctx.paths.warehouse, ctx.run_id, DAG)
        owners.append(ctx.owner)

    monkeypatch.setattr(steps, "conclude", conclude)
    yield owners
    assert failed.paths.state("late") not in lock._held


def test_who_publishes_a_run_takes_it_over(failed: RunContext, concluded: list[str]) -> None:
    assert late_tracking.track(failed.paths, "late", publish=True) == "published"
    assert concluded == [context.this_process()]
    # A retried task of the DAG must not mark it failed.
    with pytest.raises(StageError, match="taken over by"):
        steps.attach(failed.paths.warehouse, "late", DAG)


def test_who_only_tells_of_a_run_leaves_it_to_its_owner(
    failed: RunContext, concluded: list[str]
) -> None:
    assert late_tracking.track(failed.paths, "late", publish=False) == "failed"
    assert concluded == []
    assert steps.attach(failed.paths.warehouse, "late", DAG).owner == DAG


def test_who_fails_to_publish_a_run_leaves_it_as_it_was(
    failed: RunContext, concluded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(spark: Any, ctx: RunContext, table: str, audit: Any) -> None:
        raise ValidationFailed(table, ["rule"])

    monkeypatch.setattr(checks, "check", check)
    with pytest.raises(ValidationFailed):
        late_tracking.track(failed.paths, "late", publish=True)
    assert concluded == []
    assert steps.attach(failed.paths.warehouse, "late", DAG).owner == DAG


@pytest.mark.parametrize("elsewhere", [None, "http://other:5000"])
def test_mlflow_is_told_where_the_run_was_to_tell_it(
    failed: RunContext, monkeypatch: pytest.MonkeyPatch, elsewhere: str | None
) -> None:
    if elsewhere:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", elsewhere)
    late_tracking.track(failed.paths, "late", publish=False)
    assert paths.tracking_uri() == (elsewhere or SERVER)


def test_an_unknown_run_is_refused_before_spark_starts(
    failed: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "get", lambda: pytest.fail("Spark has started"))
    with pytest.raises(InputError, match=r"'none' is not in .*`groupscale runs --failed` lists"):
        late_tracking.track(failed.paths, "none", publish=False)


def test_tables_may_be_in_another_folder_than_the_warehouse(
    failed: RunContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(failed.paths.table("runs")).rename(tmp_path / "runs")
    with pytest.raises(InputError, match="'late' is not in"):
        late_tracking.track(failed.paths, "late", publish=False)
    monkeypatch.setenv("GROUPSCALE_TABLES", str(tmp_path))
    assert late_tracking.track(failed.paths, "late", publish=False) == "failed"
