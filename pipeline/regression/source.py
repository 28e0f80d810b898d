"""Rows of the tables for comparisons: few, in memory, through Spark or without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

import schemas
from pipeline import causes
from pipeline.errors import Damaged
from pipeline.paths import Paths

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset
    from pyspark.sql import SparkSession


class Source(Protocol):
    """Reads tables."""

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        run_ids: Sequence[str] | None = None,
        verdict: str | None = None,
    ) -> pa.Table:
        """Some columns of a table: of all runs, or of some, or with one verdict.

        A table that has not been made yet has no rows.
        """
        ...


class SparkSource:
    """Through Spark: whatever place the tables are in."""

    def __init__(self, spark: SparkSession, paths: Paths) -> None:
        self._spark, self._paths = spark, paths

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        run_ids: Sequence[str] | None = None,
        verdict: str | None = None,
    ) -> pa.Table:
        """As `Source.rows`."""
        from pyspark.sql import functions as F

        from pipeline import tables

        found = tables.whole(self._spark, table, self._paths)
        if run_ids is not None:
            found = found.where(F.col("run_id").isin(list(run_ids)))
        if verdict is not None:
            found = found.where(F.col("verdict") == verdict)
        return found.select(*columns).toArrow()


class FileSource:
    """Without Spark, in the tenth part of a second instead of ten seconds."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        run_ids: Sequence[str] | None = None,
        verdict: str | None = None,
    ) -> pa.Table:
        """As `Source.rows`.

        Raises
        ------
        Damaged
            If a file cannot be read, or holds other bytes than were written.
        """
        from deltalake import DeltaTable
        from pyarrow import dataset

        place = self._paths.table(table)
        if not DeltaTable.is_deltatable(place):
            known = {column.name for column in schemas.TABLES[table].columns}
            return pa.table({name: pa.array([]) for name in columns if name in known})
        wanted = dataset.scalar(True)
        if run_ids is not None:
            wanted &= dataset.field("run_id").isin(pa.array(run_ids, pa.string()))
        if verdict is not None:
            wanted &= dataset.field("verdict") == verdict
        found = DeltaTable(place).to_pyarrow_dataset()
        # Pages are written with checksums; by default nobody looks at them.
        checked = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
        asked = {"columns": list(columns), "filter": wanted, "fragment_scan_options": checked}
        scanner = found.scanner(**asked)
        try:
            return scanner.to_table()
        except (OSError, pa.ArrowException) as error:
            damaged = _damaged(found, asked, table)
            if damaged is None:
                raise
            raise damaged from error


def _damaged(found: Dataset, asked: dict[str, Any], table: str) -> Damaged | None:
    """The first file that cannot be read alone: what pyarrow says does not always name one."""
    for part in found.get_fragments(filter=asked["filter"]):
        scanner = part.scanner(schema=found.schema, **asked)
        try:
            scanner.to_table()
        except (OSError, pa.ArrowException):
            return causes.damaged(table, part.path)
    return None


def of(paths: Paths) -> Source:
    """Read without Spark where the tables are folders of this machine, else with it."""
    if "://" not in paths.table("runs"):
        return FileSource(paths)
    from pipeline import session

    return SparkSource(session.get(), paths)
