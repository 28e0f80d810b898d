"""A run's rows as sorted pandas frames, to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import schemas
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage.reader import FileSource

if TYPE_CHECKING:
    from numpy.typing import NDArray


def rows(ctx: RunContext, table: str, *, measured: bool = False) -> pd.DataFrame:
    """Rows of a run by key, without the run's id; arrays as tuples, so that frames compare.

    They are read without Spark, which takes many times longer for so few. Columns that measure the
    machine are left out unless ``measured``.
    """
    contract = schemas.TABLES[table]
    kept = [c for c in contract.columns if c.name != "run_id" and (measured or not c.measured)]
    names = [column.name for column in kept]
    data = FileSource(ctx.paths).rows(table, names, run_id=[ctx.run_id])
    frame = data.to_pandas()
    for name in (column.name for column in kept if column.is_array):
        lists = data[name].to_pylist()
        frame[name] = [None if values is None else tuple(values) for values in lists]
    keys = [name for name in contract.key if name != "run_id"]
    return frame.sort_values(keys, ignore_index=True)


def matrix(lists: pd.Series) -> NDArray[np.float64]:
    """Rates of one stream, iterations × partitions."""
    return np.array(lists.to_list(), dtype=np.float64)
