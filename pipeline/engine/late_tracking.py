"""Logs a run to MLflow from its tables, and publishes a run that failed only after its stages.

A run is complete if all its stages that write tables have ended and only MLflow, the report or the
last commit failed: computing it again would give the same rows. It can be published after all its
tables have passed their checks, which run again on the current rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING, Any

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths, in_object_store
from pipeline.base.process import signals
from pipeline.base.progress import Progress
from pipeline.engine import stage_work, steps
from pipeline.experiments.family_list import Stage, stages_of
from pipeline.reporting.tracking import own_server, retry
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse import checks
from pipeline.warehouse.runs import context, lock
from pipeline.warehouse.runs.context import RunContext, unknown_run
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import reader, tables
from pipeline.warehouse.storage.faults import Causes
from schemas.tables.common.runs import PUBLISHED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def track(places: Paths, run_id: str, publish: bool, progress: Progress | None = None) -> str:
    """Write MLflow runs and the report from the tables of a run; return the run's new status.

    publish: Whether to publish the run if it is not.
    Raises InputError if there is no such run, it is running, or it is neither published nor
        complete; nothing has been written then.
    Raises StageError if a check fails or MLflow does not respond: the run is unchanged.
    """
    shown = progress or Progress(stream=None)
    paths.set_defaults()
    _track_as_before(places, run_id)
    retry.seconds()
    _require_known(places, run_id)
    with ExitStack() as late:
        claimed = _claim_known(places, run_id)
        late.callback(lock.release, places.state(run_id))
        with shown.step("begin"), Causes("begin", places, run_id):
            ctx, status = _known(session.get(), places, run_id)
        if not claimed:
            lock.claim(places.state(run_id), run_id)
        if status == PUBLISHED:
            _tell(ctx, shown)
            return status
        _require_complete(ctx)
        with _taken_over(ctx) if publish else nullcontext(ctx) as mine:
            _check(mine, shown)
            _tell(mine, shown)
            if publish:
                # From now on a signal takes effect after the run is published.
                late.enter_context(signals.held(f"run {run_id} is published"))
                with shown.step("publish"):
                    steps.conclude(mine)
                return PUBLISHED
        return status


@contextmanager
def _taken_over(ctx: RunContext) -> Iterator[RunContext]:
    """Own a run, permanently unless the body fails: a retried task could mark it failed."""
    mine = replace(ctx, owner=context.this_process())
    mine.save()
    try:
        yield mine
    except BaseException:
        ctx.save()
        raise


def _check(ctx: RunContext, shown: Progress) -> None:
    for table in _tables(ctx):
        with shown.step(f"check_{table}"), steps.work(ctx, f"check_{table}") as spark:
            checks.check(spark, ctx, table, steps.audit_frame)


def _tell(ctx: RunContext, shown: Progress) -> None:
    for item in _tellers(ctx):
        with shown.step(item.name), steps.work(ctx, item.name) as spark:
            checks.validations_record.write(spark, ctx)
            stage_work.run(spark, ctx, item)


def _track_as_before(places: Paths, run_id: str) -> None:
    """Log to the tracking URI recorded at the start of the run, unless the environment sets one.

    A run that was logged to the local database goes to the server of `make up` while it runs.
    """
    if (places.state(run_id) / "run.json").exists():
        before = context.load(places.warehouse, run_id).tracking_uri
        if before and paths.tracking_uri() == paths.default_tracking_uri():
            os.environ["MLFLOW_TRACKING_URI"] = before
    own_server.use()


def _require_known(places: Paths, run_id: str) -> None:
    """Raise `InputError` if there is no such run, before Spark starts."""
    place = places.table("runs")
    if in_object_store(place):
        return  # an object store, for which only Spark has the credentials
    if not reader.of(places).rows("runs", ["run_id"], run_id=[run_id]).num_rows:
        raise unknown_run(places, run_id)


def _claim_known(places: Paths, run_id: str) -> bool:
    """Lock the run before reading anything of it; an unknown id gets no folder."""
    exists = places.state(run_id).is_dir()
    if exists:
        lock.claim(places.state(run_id), run_id)
    return exists


def _known(spark: SparkSession, places: Paths, run_id: str) -> tuple[RunContext, str]:
    """The run as described by the tables or, if not published, by its state folder."""
    rows = tables.read(spark, "runs", places, run_id).take(1)
    if not rows:
        raise unknown_run(places, run_id)
    row = rows[0].asDict()
    if row["status"] == PUBLISHED or not (places.state(run_id) / "run.json").exists():
        return _recorded(places, row), str(row["status"])
    return context.load(places.warehouse, run_id), str(row["status"])


def _recorded(places: Paths, row: dict[str, Any]) -> RunContext:
    """The run as its row in `runs` describes it."""
    timings = places.state(row["run_id"]) / "timings.jsonl"
    if not timings.exists():
        timings.parent.mkdir(parents=True, exist_ok=True)
        ended = json.loads(row["stage_timings"])
        timings.write_text("".join(f"{json.dumps(entry)}\n" for entry in ended))
    return RunContext(
        run_id=row["run_id"],
        config=RunConfig.from_json(row["config"]),
        paths=places,
        owner="",
        created_at=row["created_at"].astimezone(UTC),
        versions=json.loads(row["versions"]),
    )


def _require_complete(ctx: RunContext) -> None:
    """Raise `InputError` unless every stage that writes tables has ended."""
    missing = list(_unfinished(ctx))
    if missing:
        raise InputError(
            f"run {ctx.run_id}: its tables are incomplete, because these stages did not finish: "
            f"{', '.join(missing)}; repeat the run with --run-id {ctx.run_id}"
        )


def _unfinished(ctx: RunContext) -> Iterator[str]:
    done = ctx.timings()
    every = {unit.label for unit in ctx.config.units()}
    for item in stages_of(ctx.config):
        units = [entry["units"] for entry in done if entry["stage"] == item.name]
        labels = {label for some in units if isinstance(some, list) for label in some}
        if item.writes and None not in units and not (units and labels >= every):
            yield item.name


def _tables(ctx: RunContext) -> list[str]:
    return list(dict.fromkeys(name for item in stages_of(ctx.config) for name in item.writes))


def _tellers(ctx: RunContext) -> list[Stage]:
    """Stages that write no table: they log or report the run."""
    return [item for item in stages_of(ctx.config) if not item.writes]
