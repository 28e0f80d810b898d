"""Upkeep of the tables: merges small files, deletes old runs and unused files."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC
from typing import TYPE_CHECKING

from pipeline.base.errors import InputError
from pipeline.engine import retention_policy
from pipeline.engine.retention_policy import BULKY, Going, Policy, Removal, Run
from pipeline.reporting.regression import baseline, baseline_candidates
from pipeline.warehouse.runs import lock, record
from pipeline.warehouse.runs.context import now
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import reader as sources
from pipeline.warehouse.storage import table_files, tables
from pipeline.warehouse.storage.reader import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.base.paths import Paths

REMOVED = "removed by retention"
"""Reason stored in a run that is no longer published, until its row is deleted."""

MOST_CLAIMED = 200
"""Runs that are locked at a time, each by an open file, while their rows are deleted."""

UNUSED_HOURS = 168.0
"""Hours for which files that no version of a table needs are kept: readers may use them."""


def compact(paths: Paths, run_id: str) -> dict[str, int]:
    """Merge the small files of a run, in each slice of each table.

    Returns: Files that were merged, by table; a table that had nothing to merge is not in it.
    """
    merged = table_files.compact(session.get(), paths, run_id)
    return {table: count for table, count in merged.items() if count}


def plan(source: Source) -> Removal:
    """Return what `retain` would remove. Raises InputError if the environment's policy is wrong."""
    chosen = retention_policy.policy()
    return _planned(source, listing(source), chosen)


def explained(removed: Removal, listed: Sequence[Run]) -> list[Going]:
    """What is removed, run by run, of those that `listing` returned before."""
    return retention_policy.explained(listed, removed, retention_policy.policy(), now())


def _planned(source: Source, listed: Sequence[Run], chosen: Policy) -> Removal:
    """Apply the policy; baselines lose nothing."""
    history, today = baseline_candidates.read(source), now()
    kept = baseline.present(history, today - chosen.idle).union(baseline.accepted(history))
    return retention_policy.removal(listed, chosen, today, kept)


def listing(source: Source) -> list[Run]:
    """All runs of the warehouse, with the fields that the policy needs."""
    rows = source.rows("runs", Run._fields).to_pylist()
    return [Run(**row | {"created_at": row["created_at"].astimezone(UTC)}) for row in rows]


def retain(paths: Paths) -> Removal:
    """Remove what the policy does not keep, and files that no table needs.

    Running runs and baselines are skipped. A run cannot be started again while its rows are being
    deleted. The row in `runs` stays as long as the tables of scores and is deleted last, so that
    remaining rows always have a run. A run that is removed completely is first withdrawn from the
    published set: a published run without its differences would be taken for a baseline.
    """
    spark, reader = session.get(), sources.of(paths)
    planned = plan(reader)
    ids = [*planned.bulky, *planned.whole]
    parts = [ids[at : at + MOST_CLAIMED] for at in range(0, len(ids), MOST_CLAIMED)]
    done = [_retire(spark, paths, reader, part) for part in parts]
    table_files.vacuum(spark, paths, UNUSED_HOURS)
    return Removal(
        tuple(sorted(run_id for part in done for run_id in part.bulky)),
        tuple(sorted(run_id for part in done for run_id in part.whole)),
    )


def _retire(spark: SparkSession, paths: Paths, reader: Source, run_ids: Sequence[str]) -> Removal:
    """Delete rows under the policy, of those of the given runs that are not in use."""
    with _claimed(paths, run_ids) as free:
        # Since the plan was made, a run may have been started again or promoted.
        planned = plan(reader)
        done = Removal(*(tuple(i for i in ids if i in free) for ids in planned))
        record.withdraw(spark, paths, done.whole, REMOVED)
        tables.delete_from(spark, paths, BULKY, [*done.bulky, *done.whole])
        tables.delete_from(spark, paths, _SMALL, done.whole)
        tables.delete_runs(spark, paths, "runs", done.whole)
        for run_id in done.whole:
            shutil.rmtree(paths.report(run_id).parent, ignore_errors=True)
            shutil.rmtree(paths.state(run_id), ignore_errors=True)
    return done


_SMALL = tuple(table for table in tables.DATA if table not in BULKY)


@contextmanager
def _claimed(paths: Paths, run_ids: Iterable[str]) -> Iterator[set[str]]:
    """Lock those of the given runs that no process works on, so that none of them can start."""
    with ExitStack() as held:
        free = set()
        for run_id in run_ids:
            with suppress(InputError):
                lock.claim(paths.state(run_id), run_id, alone=True)
                held.callback(lock.release, paths.state(run_id))
                free.add(run_id)
        yield free
