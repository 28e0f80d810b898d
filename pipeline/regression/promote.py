"""Accepts a run as the baseline of its configuration: a row of `baselines`."""

from __future__ import annotations

import getpass
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.regression import baseline_candidates
from pipeline.regression.baseline_candidates import Promotion
from pipeline.runs.context import now
from pipeline.storage import reader
from schemas.tables.common.baselines import MAX_TEXT

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "baselines"


def promote(paths: Paths, run_id: str, reason: str, by: str | None = None) -> Promotion:
    """Record that a published run is what later ones are to be compared with.

    Parameters
    ----------
    by
        Who says so; the name of the user who runs this process, if None.

    Raises
    ------
    InputError
        If it is no published run, or name or reason are blank, too long or not printable.
    """
    why, who = line("--reason", reason), line("--by", _user() if by is None else by)
    baseline_candidates.read(reader.of(paths)).published(run_id)
    found = Promotion(run_id, now(), who, why)
    _append(paths, found)
    return found


def line(option: str, text: str) -> str:
    """A text as one line, or an error that says what is allowed."""
    found = " ".join(text.split())
    if not found or len(found) > MAX_TEXT or not found.isprintable():
        seen = f"{len(found)} characters long" if len(found) > MAX_TEXT else repr(text)
        raise InputError(
            f"{option} is {seen}: must be 1 to {MAX_TEXT} printable characters; say it for "
            "those who will ask later"
        )
    return found


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise InputError("--by is missing, and this user has no name: give one") from error


def _append(paths: Paths, promotion: Promotion) -> None:
    """Add a row without Spark where the table is there and within reach of that."""
    from deltalake import DeltaTable, write_deltalake

    place = paths.table(TABLE)
    if "://" in place or not DeltaTable.is_deltatable(place):
        _append_by_spark(paths, promotion)
        return
    write_deltalake(place, _row(promotion), mode="append")


def _row(promotion: Promotion) -> pa.Table:
    import pyarrow as pa

    kinds = {str: pa.string(), datetime: pa.timestamp("us", "UTC")}
    schema = pa.schema(
        [pa.field(k, kinds[type(v)], nullable=False) for k, v in promotion._asdict().items()]
    )
    return pa.Table.from_pylist([promotion._asdict()], schema=schema)


def _append_by_spark(paths: Paths, promotion: Promotion) -> None:
    from pipeline.spark import session
    from pipeline.storage import tables

    spark = session.get(brief=True)
    tables.ensure(spark, paths, TABLE)
    rows = tables.of_rows(spark, [promotion._asdict()], TABLE)
    rows.write.format("delta").mode("append").save(paths.table(TABLE))
