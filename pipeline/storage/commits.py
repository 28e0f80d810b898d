"""Commits to Delta tables that several processes write at the same time.

Runs that write at the same moment touch rows of their own, which Delta lets pass. Two things are
left, and in both the write is done again:

- Delta refuses a commit, since a table's schema has changed meanwhile, or since a process that
  was killed has left one under way to the same rows.
- A commit is lost. On a plain file system Delta looks whether the file of a commit exists, then
  renames its own to that name: of two processes that do so within the same instant the second
  replaces the first's. So a write of rows carries a mark, and is not done before the mark is found
  in the log; a removal is not done while the log still has files of what was to go. Tables are
  made and changed by one process at a time (`migration`). What is left is a process that looked
  before this one's commit and renames after this one has looked again, milliseconds later.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.spark import internals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TRIES = 6
"""How often a commit is tried that others get in the way of."""

PAUSE_SECONDS = 0.5
"""Wait before the second try, twice as long before each that follows, up to half as much more."""

NEWEST = 50
"""Commits among which a mark is looked for."""


class CommitLost(Exception):
    """Another process has replaced a commit of this one."""


def replace(frame: DataFrame, place: str, condition: str) -> None:
    """Put a frame in the place of the rows of a table that meet a condition, so that it stays.

    Parameters
    ----------
    place
        Location of the table.
    """
    writer = frame.write.format("delta").mode("overwrite").option("replaceWhere", condition)

    def once() -> None:
        mark = secrets.token_hex(16)
        writer.option("userMetadata", mark).save(place)
        # Of a frame without rows Delta may make no commit.
        if not _stands(place, mark) and not frame.isEmpty():
            internals.forget_log(frame.sparkSession, place)
            raise CommitLost(f"{place}: another process has replaced a commit")

    insist(once)


def insist(commit: Callable[[], None]) -> None:
    """Make a commit, again if another process got in its way.

    What is committed is a function of tables that the run alone writes: the second try gives
    the same rows.
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
    """Whether another process's commit got in the way of this one's."""
    from delta import exceptions

    kinds = tuple(getattr(exceptions, name) for name in exceptions.__all__)
    return isinstance(error, (CommitLost, *kinds))


def _stands(place: str, mark: str) -> bool:
    """Whether a commit with this mark is in the log.

    In a store it is taken to be: HDFS, Azure and Google refuse to overwrite a commit. S3 does not,
    unless Delta has a log store for it; docs/cluster.md says so.
    """
    if "://" in place:
        return True
    newest = sorted((Path(place) / "_delta_log").glob("[0-9]*.json"))[-NEWEST:]
    return any(mark in file.read_text() for file in reversed(newest))


def remove(spark: SparkSession, place: str, condition: str, run_ids: Sequence[str]) -> None:
    """Remove the rows of runs from a table so that they stay away.

    Parameters
    ----------
    condition
        What selects the rows of these runs, and no others.
    """
    from delta.tables import DeltaTable

    def once() -> None:
        DeltaTable.forPath(spark, place).delete(condition)
        if has_files(place, run_ids):
            internals.forget_log(spark, place)
            raise CommitLost(f"{place}: another process has replaced a removal")

    insist(once)


def has_files(place: str, run_ids: Sequence[str]) -> bool:
    """Whether a table's log, read again, has files of some runs; False for an object store."""
    from deltalake import DeltaTable

    if "://" in place:
        return False
    wanted = [("run_id", "in", list(run_ids))]
    return bool(DeltaTable(place).file_uris(file_pruning_predicate=wanted))
