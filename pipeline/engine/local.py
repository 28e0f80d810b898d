"""The whole pipeline in one process: what the command line runs.

Data quality checks run in parallel with the next stages, because either leaves a core idle most of
the time. The run is tracked, reported and published only after all checks have passed.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.base import paths
from pipeline.base.process import signals
from pipeline.base.progress import Progress
from pipeline.engine import steps
from pipeline.experiments.family_list import family_of, stages_of
from pipeline.warehouse.runs import context
from pipeline.warehouse.spark import session, spark_progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import RunConfig
    from pipeline.warehouse.runs.context import RunContext

PAUSE_SECONDS = 0.5


def run_all(
    config: RunConfig, warehouse: Path, run_id: str, progress: Progress | None = None
) -> RunContext:
    """Run the whole pipeline in this process.

    Raises InputError as `steps.claim`.
    Raises StageError if a stage or a validation failed: the run is marked failed, nothing is
        published.
    """
    shown = progress or Progress(stream=None)
    shown.total = 2 + sum(1 + len(item.writes) for item in stages_of(config))
    paths.set_defaults()
    steps.import_ahead("great_expectations", family_of(config).kernels)
    ctx = steps.claim(config, warehouse, run_id, owner=context.this_process())
    with ExitStack() as late, steps.giving_up(ctx):
        with shown.step("begin"):
            steps.start(ctx)
        steps.import_ahead(*steps.TRACKING)
        _stages(ctx, shown)
        # From now on a signal takes effect after the run is published.
        late.enter_context(signals.held(f"run {run_id} is published"))
        with shown.step("publish"):
            steps.conclude(ctx)
    return ctx


def _stages(ctx: RunContext, shown: Progress) -> None:
    with _Checks(ctx, shown) as checks:
        for item in stages_of(ctx.config):
            if not item.writes:  # it reports the run, validation included
                checks.finish()
            with shown.step(item.name, spark_progress.of_step(item.name)):
                steps.run_stage(item.name, ctx)
            for table in item.writes:
                checks.start(table)


class _Checks:
    """Checks of tables, one after the other, in parallel with the caller.

    If a check fails, the block raises its error even if something else failed as well: a stage may
    have failed because of the rows that the check reports.
    """

    def __init__(self, ctx: RunContext, shown: Progress) -> None:
        self._ctx, self._told = ctx, shown
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="checks")
        self._pending: list[Future[None]] = []
        self._session: SparkSession | None = None

    def __enter__(self) -> _Checks:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None or isinstance(error, Exception):
                self.finish()
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)
            # No result is needed any more. Repeat, since a check may be between two queries.
            while any(check.running() for check in self._pending):
                session.cancel_jobs()
                time.sleep(PAUSE_SECONDS)

    def start(self, table: str) -> None:
        """Start a check of a table; raise the error of an earlier check that has failed."""
        for done in [check for check in self._pending if check.done()]:
            done.result()
        self._pending.append(self._thread.submit(self._check, table))

    def finish(self) -> None:
        """Wait for all checks; raise the error of the first one that failed."""
        while self._pending:
            self._pending[0].result()
            self._pending.pop(0)

    def _check(self, table: str) -> None:
        if self._session is None:
            # A session of its own, so that settings and views are not shared with the stages.
            self._session = session.beside()
        with self._told.step(f"check_{table}", beside=True):
            steps.check(table, self._ctx, self._session)
