"""How Spark's Python workers are reached."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_workers_have_no_tcp_connection(spark: SparkSession) -> None:
    """A kernel that received megabytes while it sent megabytes once deadlocked."""

    def families(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        list(batches)
        yield pa.RecordBatch.from_pydict({"family": pa.array(_families(), pa.int32())})

    frame = spark.range(1).mapInArrow(families, "family int").toPandas()
    assert set(frame["family"]) == {int(socket.AF_UNIX)}


def _families() -> list[int]:
    """Families of the sockets that this process has open."""
    socket_families = []
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  (runs in a worker, where it is short)
        try:
            with socket.socket(fileno=os.dup(int(name))) as opened:
                socket_families.append(int(opened.family))
        except OSError:
            continue
    return socket_families
