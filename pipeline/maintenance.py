"""Upkeep of the tables: small files become large ones, old runs and unused files go."""

from __future__ import annotations

import shutil
from datetime import UTC
from typing import TYPE_CHECKING

import schemas
from pipeline import lock, retention, session, tables
from pipeline.context import now
from pipeline.errors import InputError
from pipeline.retention import BULKY, Removal, Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.paths import Paths

LARGE_FILE_BYTES = 128 * 1024**2
UNUSED_HOURS = 168.0
"""How long files stay that no version of a table needs any more: readers may be at work on them."""


def compact(paths: Paths, run_id: str) -> dict[str, int]:
    """Merge the small files of a run, in each slice of each table.

    Returns
    -------
    dict of str to int
        Files that were merged, by table; a table that had nothing to merge is not in it.
    """
    from delta.tables import DeltaTable

    spark = session.get()
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(LARGE_FILE_BYTES))
    merged = {}
    for table in _existing(spark, paths):
        found = DeltaTable.forPath(spark, paths.table(table)).optimize()
        metrics = found.where(tables.predicate(run_id)).executeCompaction().select("metrics.*")
        merged[table] = int(metrics.collect()[0]["numFilesRemoved"])
    return {table: count for table, count in merged.items() if count}


def plan(paths: Paths) -> Removal:
    """What `retain` would remove now; nothing is written.

    Raises
    ------
    InputError
        If the environment's policy is wrong.
    """
    chosen = retention.policy()
    rows = tables.whole(session.get(), "runs", paths).select(*Run._fields).collect()
    runs = (Run(*row)._replace(created_at=row["created_at"].astimezone(UTC)) for row in rows)
    return retention.removal(runs, chosen, now())


def retain(paths: Paths) -> Removal:
    """Remove what the policy does not keep, and files that no table needs.

    A run that is at work is left alone. The row in `runs` stays with the tables of scores, and
    goes with the last of them, after everything else: what is left tells of what there was.
    """
    spark = session.get()
    planned = plan(paths)
    free = {run_id for run_id in (*planned.bulky, *planned.whole) if not _busy(paths, run_id)}
    rest = [table for table in schemas.TABLES if table not in (*BULKY, "runs")]
    for run_id in sorted(free):
        gone = run_id in planned.whole
        tables.delete_run(spark, paths, run_id, (*BULKY, *rest, "runs") if gone else BULKY)
        if gone:
            shutil.rmtree(paths.report(run_id).parent, ignore_errors=True)
            shutil.rmtree(paths.state(run_id), ignore_errors=True)
    for table in _existing(spark, paths):
        _vacuum(spark, paths, table)
    return Removal(*(tuple(i for i in ids if i in free) for ids in planned))


def _busy(paths: Paths, run_id: str) -> bool:
    """Whether a process works on the run."""
    folder = paths.state(run_id)
    if not folder.exists():
        return False
    try:
        lock.claim(folder, run_id)
    except InputError:
        return True
    lock.release(folder)
    return False


def _existing(spark: SparkSession, paths: Paths) -> list[str]:
    from delta.tables import DeltaTable

    return [t for t in schemas.TABLES if DeltaTable.isDeltaTable(spark, paths.table(t))]


def _vacuum(spark: SparkSession, paths: Paths, table: str) -> None:
    from delta.tables import DeltaTable

    DeltaTable.forPath(spark, paths.table(table)).vacuum(UNUSED_HOURS)
