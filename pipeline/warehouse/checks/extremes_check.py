"""The suite of a table too large to be checked row by row, on its extreme values only.

Whether all values of a column are present and within bounds follows from its least and its
greatest value and from whether one is missing: three rows that Spark finds in one pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from pipeline.warehouse.checks.rows_check import in_memory
from pipeline.warehouse.checks.run_expectations import ExpectationResult, judge
from schemas import render

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from schemas import Table


def expect(rows: DataFrame, contract: Table) -> list[ExpectationResult]:
    """Run the suite of a contract with an audit frame, which covers arrays, on extremes of rows."""
    return judge(frame(rows, contract), render.expectations(contract))


def frame(rows: DataFrame, contract: Table) -> pd.DataFrame:
    """Least and greatest value of each column, null where one is missing; empty without rows."""
    from pyspark.sql import functions as F

    arrays = {column.name for column in contract.columns if column.is_array}
    names = [name for name in rows.columns if name not in arrays]
    aggregates = rows.agg(
        F.count("*").alias("rows"),
        *(F.min(name).alias(f"min {name}") for name in names),
        # Spark orders NaN above all numbers, so NaN shows as the greatest value.
        *(F.max(name).alias(f"max {name}") for name in names),
        *(F.count_if(F.col(name).isNull()).alias(f"nulls {name}") for name in names),
    ).toArrow()
    columns = {name: _three(aggregates, name) for name in names}
    length = 3 if aggregates["rows"][0].as_py() else 0
    # Arrays only count as columns here.
    extremes = in_memory(pa.table(columns).slice(0, length))
    return extremes.assign(**{name: None for name in rows.columns if name in arrays})


def _three(aggregates: pa.Table, name: str) -> pa.Array:
    low, high = aggregates[f"min {name}"][0], aggregates[f"max {name}"][0]
    any_missing = aggregates[f"nulls {name}"][0].as_py() > 0
    last = None if any_missing else high.as_py()
    return pa.array([low.as_py(), high.as_py(), last], low.type)
