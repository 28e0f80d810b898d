"""Arrow schemas from contracts; Arrow columns from NumPy matrices, without a loop over rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import schemas

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_TYPES = {
    "string": pa.string(),
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"),
}


def contract(table: str, without: Collection[str] = ()) -> pa.Schema:
    """Columns of a table in the order of its contract, except some."""
    columns = [column for column in schemas.TABLES[table].columns if column.name not in without]
    elements = {column.name: _TYPES[column.element_type] for column in columns}
    return pa.schema(
        {c.name: pa.list_(elements[c.name]) if c.is_array else elements[c.name] for c in columns}
    )


def struct(schema: pa.Schema) -> StructType:
    """The same columns as a Spark schema."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def frame(spark: SparkSession, rows: pa.Table) -> DataFrame:
    """Rows as a frame, with its schema: a server cannot infer that of a table without rows."""
    return spark.createDataFrame(rows, struct(rows.schema))


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
    """Batches of up to ``size`` rows from an iterator of single rows."""
    remaining = iter(rows)
    while some := list(islice(remaining, size)):
        yield pa.RecordBatch.from_pylist(some, schema=schema)
