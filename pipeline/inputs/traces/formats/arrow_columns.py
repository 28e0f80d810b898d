"""Columns of Arrow tables as NumPy arrays.

Arrow's own ``to_numpy``, and every scalar that it makes of a Python value, import pandas, which
would delay the error for a file that is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.inputs.traces.rates.long_table import Codes


def numbers(column: pa.Array) -> NDArray[Any]:
    """Numbers of a column without missing values."""
    return np.from_dlpack(column)


def floats(column: pa.DoubleArray) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers of a column, NaN where missing, and a mask of those that are present."""
    validity, data = column.buffers()
    rows = slice(column.offset, column.offset + len(column))
    values = np.frombuffer(data, dtype=np.float64)[rows]
    if validity is None:
        return values, np.ones(len(values), dtype=np.bool_)
    bits = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")
    present = bits[rows].astype(np.bool_)
    return np.where(present, values, np.nan), present


def codes(column: pa.DictionaryArray) -> Codes:
    """Index of each row's value in the dictionary."""
    return numbers(column.indices).astype(np.int64)


def first(mask: pa.BooleanArray) -> int | None:
    """The first row for which a condition holds, None if there is none."""
    rows = pc.indices_nonzero(mask)
    return int(rows[0].as_py()) if len(rows) else None


def row_of(column: pa.DictionaryArray, code: int) -> int:
    """The first row that holds a value of the dictionary."""
    return int(np.flatnonzero(codes(column) == code)[0])


def merged(names: list[str]) -> tuple[Codes, list[str]]:
    """Indexes of names among the distinct ones, and the distinct names by first appearance."""
    distinct = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([distinct[name] for name in names], dtype=np.int64), list(distinct)
