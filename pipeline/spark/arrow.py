"""Between Arrow columns and NumPy matrices, without a Python loop over rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def lists(
    values: NDArray[np.float64] | NDArray[np.int32], absent: NDArray[np.bool_]
) -> pa.ListArray:
    """A matrix as one list per row, with null where ``absent``."""
    rows, width = values.shape
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * width)
    mask = absent.ravel() if absent.any() else None
    return pa.ListArray.from_arrays(offsets, pa.array(values.ravel(), mask=mask))


def nullable(values: list[float]) -> pa.Array:
    """Doubles with NaN as null."""
    numbers = np.asarray(values, dtype=np.float64)
    return pa.array(numbers, mask=np.isnan(numbers))


def repeat(text: str, times: int) -> pa.Array:
    """A column that has the same text in every row."""
    return pa.DictionaryArray.from_arrays(np.zeros(times, dtype=np.int32), pa.array([text])).cast(
        pa.string()
    )


def in_batches(
    rows: Iterable[Mapping[str, object]], size: int, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Rows that come one by one as batches of up to ``size``."""
    remaining = iter(rows)
    while some := list(islice(remaining, size)):
        yield pa.RecordBatch.from_pylist(some, schema=schema)
