"""Traces go to Spark in parts of bounded size, and are the same rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from pipeline.warehouse.spark import arrow, row_slices

pytestmark = pytest.mark.unit


def measurements(iterations: int, partitions: int) -> pa.Table:
    rates = np.arange(iterations * partitions, dtype=np.float64).reshape(iterations, partitions)
    return pa.table(
        {
            "iteration": pa.array(np.arange(1, iterations + 1), pa.int32()),
            "rates": arrow.lists(rates, rates % 7 == 0),
        }
    )


@pytest.mark.parametrize(("iterations", "slices"), [(1, 1), (7, 1), (8, 1), (9, 2), (80, 10)])
def test_rows_are_handed_over_in_slices(
    monkeypatch: pytest.MonkeyPatch, iterations: int, slices: int
) -> None:
    rows = measurements(iterations, 1_000)
    monkeypatch.setattr(row_slices, "BYTES_PER_TASK", 8 * rows["rates"].nbytes // iterations)
    table = row_slices.sliced(rows)
    assert table["rates"].num_chunks == slices
    assert max(chunk.nbytes for chunk in table["rates"].chunks) <= row_slices.BYTES_PER_TASK
    assert table.equals(rows)


def test_a_row_that_is_larger_than_a_slice_is_not_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_slices, "BYTES_PER_TASK", 100)
    table = row_slices.sliced(measurements(3, 1_000))
    assert [len(chunk) for chunk in table["rates"].chunks] == [1, 1, 1]
