"""Runs the pipeline's steps; the command line and Airflow's tasks both call this.

A run is `begin`, then for every stage `run_stage` and a `check` of each table it wrote,
then `conclude`, which publishes the run or marks it failed.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from pipeline import context, lock, runs, session, spark_progress, tables, validation
from pipeline.context import RunContext
from pipeline.errors import GroupscaleError, StageError
from pipeline.paths import Paths
from pipeline.stages import stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.config import RunConfig, Unit
    from pipeline.regression.outcome import Outcome
    from pipeline.summary import Summary

MAX_CAUSE = 600

TRACKING = ("mlflow", "mlflow.store.tracking.sqlalchemy_store")
"""What tracking imports: seconds, of which the store of runs, loaded at its first use, is half."""

FEW_IDS = 10_000_000
"""Consumer ids up to which a run's queries are shorter than their compilation would be."""


def begin(config: RunConfig, warehouse: Path, run_id: str, owner: str) -> RunContext:
    """Claim the run id and record the run as running.

    Rows of an earlier run of the same id leave the published set at once, and the tables.

    Raises
    ------
    InputError
        If the warehouse cannot be written or the run id is in use by a running run; nothing
        has been written then.
    """
    places = Paths(warehouse)
    places.probe()
    session.settings()  # complains of missing JARs and of settings that are no JSON
    lock.claim(places.state(run_id), run_id)
    ctx = RunContext(run_id, config, places, owner, context.now())
    with _causes("begin"):
        spark = session.get(brief=_is_brief(config))
        session.warm_up(spark)
        with session.for_few_rows(spark):
            _start(spark, ctx)
    return ctx


def _start(spark: SparkSession, ctx: RunContext) -> None:
    created = tables.ensure_all(spark, ctx.paths)
    again = "runs" not in created and runs.status(spark, ctx.paths, ctx.run_id) is not None
    ctx.forget_timings()
    validation.record.forget(ctx)
    ctx.save()
    runs.record(spark, ctx, "running")
    if again:
        tables.delete_run(spark, ctx.paths, ctx.run_id)


def attach(warehouse: Path, run_id: str, owner: str) -> RunContext:
    """Return the context of a run that ``owner`` has begun, in whatever process.

    Raises
    ------
    StageError
        If the run has not begun, or another owner has taken its id over since.
    """
    ctx = context.load(warehouse, run_id)
    if ctx.owner != owner:
        raise StageError(f"run {run_id}: taken over by {ctx.owner}; this is {owner}")
    return ctx


def run_stage(name: str, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Run one stage, for the given units only where it is mapped over them."""
    started = time.monotonic()
    chosen = stage(name)
    with _work(ctx, name, summary=chosen.summary) as spark:
        if not chosen.writes:  # it tells of the run, validation included
            validation.record.write(spark, ctx)
        chosen.run(spark, ctx, units)
    ctx.record(name, units, time.monotonic() - started)


def check(table: str, ctx: RunContext, spark: SparkSession | None = None) -> None:
    """Validate the run's rows of one table; what was seen gets into `validations` later.

    Parameters
    ----------
    spark
        Session to use in place of the process's own.

    Raises
    ------
    ValidationFailed
        Names the table and the rules that do not hold.
    """
    started = time.monotonic()
    with _work(ctx, f"check_{table}", spark) as chosen:
        validation.check(chosen, ctx, table)
    ctx.record(f"check_{table}", None, time.monotonic() - started)


def conclude(ctx: RunContext, error: str | None = None) -> None:
    """Publish the run, or mark it failed where ``error`` says why; then give its id free."""
    status = "published" if error is None else "failed"
    with _work(ctx, "conclude", summary=True) as spark:
        validation.record.write(spark, ctx)
        runs.record(spark, ctx, status, error)
    lock.release(ctx.paths.state(ctx.run_id))


def import_ahead(*modules: str) -> None:
    """Import what a later step needs in the background: together that is half a minute."""

    def load() -> None:
        # What imports make stays: looking for garbage among it would take seconds, twice.
        gc.disable()
        try:
            for name in modules:
                import_module(name)
        finally:
            gc.freeze()
            gc.enable()

    # Others import parts of it, and two threads that import it from both ends can fail.
    import_module("pyspark.sql")
    Thread(target=load, name="imports", daemon=True).start()


def summary(ctx: RunContext) -> Summary:
    """What a run found, small enough for a terminal."""
    from pipeline.stages.gather import gather
    from pipeline.summary import summarise

    return summarise(gather(session.get(), ctx))


def compared(ctx: RunContext) -> Outcome:
    """How a run compares with its baseline."""
    from pipeline.regression import outcome
    from pipeline.stages.gather import gather

    return outcome.of_frame(ctx.run_id, gather(session.get(), ctx).differences)


@contextmanager
def _work(
    ctx: RunContext, step: str, spark: SparkSession | None = None, summary: bool = False
) -> Iterator[SparkSession]:
    """The session for a step of a run that nobody else may take over meanwhile.

    Parameters
    ----------
    summary
        Whether the step works on a row per stream and algorithm, and none with more.
    """
    with lock.Share(ctx.paths.state(ctx.run_id), ctx.run_id), _causes(step):
        brief = _is_brief(ctx.config)
        chosen = spark or session.get(brief)
        spark_progress.mark(chosen, step)
        few = brief or (summary and ctx.config.n_scores <= validation.FEW_ROWS)
        with session.for_few_rows(chosen, few):
            yield chosen


def _is_brief(config: RunConfig) -> bool:
    return config.n_ids() <= FEW_IDS


class _causes:
    """Turns whatever a step raises into a StageError that names the step and the cause."""

    def __init__(self, step: str) -> None:
        self._step = step

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, GroupscaleError) or not isinstance(error, Exception):
            return
        raise StageError(f"{self._step}: {_cause(error)}") from error


def _cause(error: Exception) -> str:
    """The line that says most, of a Java or Python exception."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("at ", "An error occurred"))]
    # A traceback of a Python worker ends with its exception; Java begins with it.
    place = -1 if type(error).__name__ == "PythonException" else 0
    return (f"{type(error).__name__}: " + (telling or [""])[place])[:MAX_CAUSE]
