"""Commits to Delta tables that several processes write at the same time.

Runs that write at the same moment touch different rows, which Delta allows. In two cases the write
is retried:

- Delta refuses a commit, because the table's schema has changed, or because a commit of a killed
  process to the same rows was still in progress.
- A commit is lost. On a plain file system Delta checks whether the file of a commit exists, then
  renames its own to that name: if two processes do so at the same instant, the second replaces
  the first's. So a write of rows carries a mark and only ends when the mark is found in the log; a
  removal only ends when the log has none of the removed files. Tables are created by one
  process at a time. One case remains: a process that checked before this
  process's commit and renames after this one has checked the log, milliseconds later.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.base.paths import in_object_store
from pipeline.warehouse.spark import internals
from pipeline.warehouse.storage import delta_sql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TRIES = 6
"""Attempts for a commit that conflicts with others."""

PAUSE_SECONDS = 0.5
"""Wait before the second attempt, doubled for each further one, plus up to half of it."""

NEWEST = 50
"""Commits among which a mark is looked for."""


class CommitLost(Exception):
    """Another process has replaced a commit of this one."""


def replace(frame: DataFrame, place: str, condition: str) -> None:
    """Replace the rows of a table that meet a condition by a frame; retry if the commit is lost."""
    writer = frame.write.format("delta").mode("overwrite").option("replaceWhere", condition)

    def once() -> None:
        mark = secrets.token_hex(16)
        writer.option("userMetadata", mark).save(place)
        # Delta may not commit a frame without rows.
        if not _stands(place, mark) and not frame.isEmpty():
            internals.forget_log(frame.sparkSession, place)
            raise CommitLost(f"{place}: another process has replaced a commit")

    insist(once)


def insist(commit: Callable[[], None]) -> None:
    """Make a commit; retry if another process's commit conflicts with it.

    The rows depend only on tables that no other process writes for this run, so a retry gives the
    same rows.
    """
    for tried in range(1, TRIES + 1):
        try:
            commit()
            return
        except Exception as error:
            if tried == TRIES or not is_conflict(error):
                raise
            time.sleep(PAUSE_SECONDS * 2 ** (tried - 1) * random.uniform(1, 1.5))


def is_conflict(error: Exception) -> bool:
    """Whether an error is a conflict with another process's commit."""
    from delta import exceptions
    from deltalake.exceptions import CommitFailedError

    kinds = tuple(getattr(exceptions, name) for name in exceptions.__all__)
    return isinstance(error, (CommitLost, CommitFailedError, *kinds))


def _stands(place: str, mark: str) -> bool:
    """Whether a commit with this mark is in the log.

    True for any object store: HDFS, Azure and Google refuse to overwrite a commit. S3 does not,
    unless Delta has a log store for it; see docs/cluster.md.
    """
    if in_object_store(place):
        return True
    newest = sorted((Path(place) / "_delta_log").glob("[0-9]*.json"))[-NEWEST:]
    return any(mark in file.read_text() for file in reversed(newest))


def remove(spark: SparkSession, place: str, condition: str, run_ids: Sequence[str]) -> None:
    """Remove the rows of runs from a table; retry if the commit is lost.

    Spark is not asked for tables whose log has no such rows: most tables belong to other families.

    condition: SQL condition that selects exactly the rows of these runs.
    """

    def once() -> None:
        delta_sql.delete(spark, place, condition)
        if has_files(place, run_ids):
            internals.forget_log(spark, place)
            raise CommitLost(f"{place}: another process has replaced a removal")

    if in_object_store(place) or has_files(place, run_ids):
        insist(once)


def has_files(place: str, run_ids: Sequence[str]) -> bool:
    """Whether a table's current log has files of the given runs; False for an object store."""
    from deltalake import DeltaTable

    if in_object_store(place):
        return False
    predicate = [("run_id", "in", list(run_ids))]
    return bool(DeltaTable(place).file_uris(file_pruning_predicate=predicate))
