"""Rows of recorded rates in chunks that Spark's tasks can carry."""

from __future__ import annotations

import pyarrow as pa

BYTES_PER_TASK = 32 * 2**20
"""Maximum number of rates in a serialized task: Spark refuses tasks of 128 MiB
(`spark.rpc.message.maxSize`)."""


def sliced(rows: pa.Table) -> pa.Table:
    """The same rows of `measurements` in chunks of bounded size, which become Spark partitions.

    A row is never split, and the largest one has a million rates: 8 MB.
    """
    size = max(1, int(BYTES_PER_TASK * rows.num_rows / max(1, rows["rates"].nbytes)))
    starts = range(0, max(1, rows.num_rows), size)
    return pa.concat_tables([rows.slice(start, size) for start in starts])
