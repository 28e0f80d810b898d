"""Between Arrow columns and NumPy matrices, without a Python loop over rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def in_order(table: pa.Table) -> pa.Table:
    """Rows of one stream (and algorithm), by iteration."""
    return table.take(pc.sort_indices(table["iteration"]))


def rates(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Lists of rates as ``float64[N, P]``, NaN where a partition is absent.

    Raises
    ------
    ValueError
        If the lists differ in length.
    """
    return _matrix(column, np.nan).astype(np.float64, copy=False)


def consumers(column: pa.ChunkedArray) -> NDArray[np.int32]:
    """Lists of consumer ids as ``int32[N, P]``, -1 where a partition is absent.

    Raises
    ------
    ValueError
        If the lists differ in length.
    """
    return _matrix(column, -1).astype(np.int32, copy=False)


def _matrix(column: pa.ChunkedArray, absent: float) -> NDArray[Any]:
    lists = column.combine_chunks()
    widths = pc.unique(pc.list_value_length(lists))
    if len(widths) != 1:
        raise ValueError(f"lists of one stream differ in length: {widths.to_pylist()[:5]}")
    flat = lists.flatten()
    if flat.null_count:
        flat = flat.fill_null(pa.scalar(absent, flat.type))
    return np.ascontiguousarray(flat.to_numpy(zero_copy_only=False).reshape(len(lists), -1))


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
