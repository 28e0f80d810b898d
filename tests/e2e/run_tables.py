"""A warehouse as an analyst without Spark reads it."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
from deltalake import DeltaTable
from pandas import DataFrame

import schemas

DATA_TABLES = tuple(name for name in schemas.TABLES if name not in ("runs", "validations"))


def statuses(warehouse: Path) -> dict[str, str]:
    """Status of each run, by id."""
    rows = DeltaTable(str(warehouse / "runs")).to_pyarrow_table().to_pylist()
    assert len(rows) == len({row["run_id"] for row in rows})
    return {row["run_id"]: row["status"] for row in rows}


def rows(warehouse: Path, table: str, run_id: str) -> DataFrame:
    """Rows of a run, by key; arrays as tuples, so that frames compare.

    Left out are columns that measure the machine.
    """
    contract = schemas.TABLES[table]
    data = DeltaTable(str(warehouse / table)).to_pyarrow_table()
    frame = data.filter(pc.equal(data["run_id"], run_id)).to_pandas().drop(columns="run_id")
    for column in contract.columns:
        if column.is_array:
            frame[column.name] = [tuple(values) for values in frame[column.name]]
    frame = frame.drop(columns=[column.name for column in contract.columns if column.measured])
    keys = [name for name in contract.key if name != "run_id"]
    return frame.sort_values(keys, ignore_index=True)[sorted(frame.columns)]
