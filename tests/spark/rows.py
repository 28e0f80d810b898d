"""A run's rows as sorted pandas frames, to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import schemas
from pipeline.runs.context import RunContext
from pipeline.spark import session
from pipeline.storage import tables

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import SparkSession

DATA_TABLES = tuple(name for name in schemas.TABLES if name not in ("runs", "validations"))


def rows(spark: SparkSession, ctx: RunContext, table: str) -> pd.DataFrame:
    """Rows of a run by key, without the run's id; arrays as tuples, so that frames compare.

    Left out are columns that measure the machine.
    """
    contract = schemas.TABLES[table]
    with session.for_few_rows(spark):
        frame = tables.read(spark, table, ctx.paths, ctx.run_id).drop("run_id").toPandas()
    for column in contract.columns:
        if column.is_array:
            frame[column.name] = [
                None if values is None else tuple(values) for values in frame[column.name]
            ]
    frame = frame.drop(columns=[column.name for column in contract.columns if column.measured])
    keys = [name for name in contract.key if name != "run_id"]
    return frame.sort_values(keys, ignore_index=True)


def matrix(lists: pd.Series) -> NDArray[np.float64]:
    """Rates of one stream, iterations × partitions."""
    return np.array(lists.to_list(), dtype=np.float64)
