"""Runs the pipeline's steps; the command line and Airflow's tasks both call this.

A run is `begin`, then for every stage `run_stage` and a `check` of each table it wrote,
then `conclude`, which publishes the run or marks it failed. All of this runs within `giving_up`,
which marks the run failed if anything else ends it.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from pipeline.base import paths
from pipeline.base.errors import StageError
from pipeline.base.paths import Paths
from pipeline.base.process import signals
from pipeline.base.text import addresses
from pipeline.engine import memory, stage_work
from pipeline.experiments.family_list import family_of, stage
from pipeline.reporting.tracking import retry
from pipeline.settings import own_algorithms
from pipeline.warehouse import checks
from pipeline.warehouse.runs import context, kept_runs, lock, parsed_traces, record
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.spark import session, spark_progress
from pipeline.warehouse.storage import foreign_tables, tables
from pipeline.warehouse.storage.faults import Causes
from schemas.tables.common.runs import FAILED, PUBLISHED, RUNNING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from rich.console import Console

    from pipeline.reporting.regression.outcome import Outcome
    from pipeline.settings.run_config import RunConfig, Unit
    from pipeline.warehouse.runs.run_results import Results

TRACKING = ("mlflow", "mlflow.store.tracking.sqlalchemy_store")
"""Modules that tracking imports, which takes seconds, half of them for MLflow's store of runs."""

FEW_IDS = 10_000_000
"""Consumer ids up to which a run's queries are shorter than their compilation would be."""


def begin(config: RunConfig, warehouse: Path, run_id: str, owner: str) -> RunContext:
    """Claim the run id and record the run as running: `claim`, then `start`."""
    ctx = claim(config, warehouse, run_id, owner)
    with giving_up(ctx):
        start(ctx)
    return ctx


def claim(config: RunConfig, warehouse: Path, run_id: str, owner: str) -> RunContext:
    """Lock the run id for this process; the lock is released when the process ends.

    Raises InputError if this machine lacks the memory, the warehouse is not writable, its tables do
        not match their contracts, or the run id belongs to a running run; nothing has been written
        then.
    """
    places = Paths(warehouse)
    places.probe()
    session.check()
    memory.check(config)
    own = family_of(config)
    if own.admitted:
        load(own.admitted)(config, places, run_id)
    retry.seconds()
    foreign_tables.refuse(places)
    versions = {**record.versions(), **own_algorithms.digests(config)}
    lock.claim(places.state(run_id), run_id)
    tracking_uri = addresses.shown(paths.tracking_uri())
    return RunContext(run_id, config, places, owner, context.now(), versions, tracking_uri)


def start(ctx: RunContext) -> None:
    """Record a run as running; rows of its id leave the published set, then the tables."""
    ctx.forget_marks()
    with Causes("begin", ctx.paths, ctx.run_id), ctx.at_work("begin"):
        spark = session.get(_is_brief(ctx.config), family_of(ctx.config).kernels)
        session.warm_up(spark)
        with session.for_few_rows(spark):
            _start(spark, ctx)


def _start(spark: SparkSession, ctx: RunContext) -> None:
    created = tables.ensure_all(spark, ctx.paths)
    again = "runs" not in created and tables.has_rows(spark, "runs", ctx.paths, ctx.run_id)
    ctx.forget_timings()
    checks.validations_record.forget(ctx)
    parsed_traces.store(ctx)
    ctx.save()
    # Java completes a call even if this process stops waiting for it: let the call end first.
    with signals.held():
        record.record(spark, ctx, RUNNING)
    if again:
        tables.delete_run(spark, ctx.paths, ctx.run_id)


@contextmanager
def giving_up(ctx: RunContext) -> Iterator[None]:
    """Mark the run failed and release its lock if the body raises anything."""
    try:
        yield
    except BaseException as error:
        begun, cause = ctx.has_begun(), str(error) or type(error).__name__
        if not isinstance(error, Exception):
            what = "not published" if begun else "not started"
            error.add_note(f"run {ctx.run_id}: {what}")
        session.aside(lambda: _give_up(ctx, cause, begun))
        raise


def _give_up(ctx: RunContext, error: str, begun: bool) -> None:
    """Mark the run failed if it has begun; if that fails too, the first error is the one raised."""
    try:
        session.cancel_jobs()
        if begun:
            conclude(ctx, error)
    finally:
        lock.release(ctx.paths.state(ctx.run_id))


def attach(warehouse: Path, run_id: str, owner: str) -> RunContext:
    """Return the context of a run that ``owner`` has begun in this or another process.

    Raises StageError if the run has not begun, or another owner has taken its id over since.
    """
    ctx = context.load(warehouse, run_id)
    if ctx.owner != owner:
        raise StageError(f"run {run_id}: taken over by {ctx.owner} (this process is {owner})")
    return ctx


def run_stage(name: str, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Run one stage, for the given units only where it is mapped over them."""
    started = time.monotonic()
    chosen = stage(name)
    with work(ctx, name, summary=chosen.summary) as spark:
        if not chosen.writes:  # it reports the run, validation included
            checks.validations_record.write(spark, ctx)
        stage_work.run(spark, ctx, chosen, units)
        ctx.record(name, units, time.monotonic() - started)


def audit_frame(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """The counts that are checked in place of the rows of a large table."""
    frame: DataFrame = load(family_of(ctx.config).audit)(spark, ctx, table)
    return frame


def check(table: str, ctx: RunContext, spark: SparkSession | None = None) -> None:
    """Validate the run's rows of one table; the outcomes are written to `validations` later.

    spark: Session to use in place of the process's own.
    Raises ValidationFailed: Names the table and the broken rules.
    """
    started = time.monotonic()
    with work(ctx, f"check_{table}", spark) as chosen:
        checks.check(chosen, ctx, table, audit_frame)
        ctx.record(f"check_{table}", None, time.monotonic() - started)


def conclude(ctx: RunContext, error: str | None = None) -> None:
    """Publish the run, or mark it failed if ``error`` says why; then release its id."""
    status = PUBLISHED if error is None else FAILED
    with work(ctx, "conclude", summary=True) as spark:
        with suppress(*(() if error is None else (Exception,))):  # the status matters more
            checks.validations_record.write(spark, ctx)
        record.record(spark, ctx, status, error)
    if status == PUBLISHED:
        kept_runs.publish(ctx.paths.live(ctx.run_id))
    lock.release(ctx.paths.state(ctx.run_id))


def import_ahead(*modules: str) -> None:
    """Import in the background what later steps need, which takes half a minute in total."""

    def load() -> None:
        # Objects that imports make stay: garbage collection among them would take seconds, twice.
        gc.disable()
        try:
            for name in modules:
                import_module(name)
        finally:
            gc.freeze()
            gc.enable()

    # Other threads import parts of it, and two threads that import it from both ends can fail.
    import_module("pyspark.sql")
    Thread(target=load, name="imports", daemon=True).start()


def show(ctx: RunContext, console: Console) -> None:
    """Print the result of a run in two sentences."""
    from rich.text import Text

    from pipeline.reporting.sections import section_terminal

    written = load(family_of(ctx.config).sections)(_results(ctx))
    console.print("", *map(Text, section_terminal.ending(written)), sep="\n")


def compared(ctx: RunContext) -> Outcome:
    """Comparison of a run with its baseline."""
    from pipeline.reporting.regression import outcome

    return outcome.of_frame(ctx.run_id, _results(ctx)["differences"])


def _results(ctx: RunContext) -> Results:
    from pipeline.experiments.shared.read_results import gather

    return gather(session.get(), ctx)


@contextmanager
def work(
    ctx: RunContext, step: str, spark: SparkSession | None = None, summary: bool = False
) -> Iterator[SparkSession]:
    """The session for a step of a run; the run's lock is held until the step ends.

    summary: Whether the step only uses tables with a row per stream and algorithm.
    """
    with (
        lock.Share(ctx.paths.state(ctx.run_id), ctx.run_id),
        Causes(step, ctx.paths, ctx.run_id),
        ctx.at_work(step),
    ):
        brief = _is_brief(ctx.config)
        chosen = spark or session.get(brief, family_of(ctx.config).kernels)
        spark_progress.mark(chosen, step)
        few = brief or (summary and ctx.config.n_scores <= checks.FEW_ROWS)
        with session.for_few_rows(chosen, few):
            yield chosen


def _is_brief(config: RunConfig) -> bool:
    return config.n_ids() <= FEW_IDS
