"""Tables of a run as MLflow dataset inputs: location, version and number of rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import schemas
from pipeline.warehouse.runs.run_results import TableState

if TYPE_CHECKING:
    from mlflow.entities import Dataset, DatasetInput

CONTEXT = "mlflow.data.context"
"""Tag for the role of a dataset in a run, as shown in MLflow's UI."""

WORKLOAD = ("streams", "measurements")
"""Tables with the input of the algorithms; the others hold results."""


def dataset_inputs(run_id: str, tables: Sequence[TableState]) -> list[DatasetInput]:
    """Tables of a run as MLflow datasets, made without reading their rows.

    ``mlflow.data.get_source(found.dataset).load()`` gives the table, in that version, as a
    Spark frame.
    """
    from mlflow.entities import DatasetInput, InputTag

    return [
        DatasetInput(
            _dataset(run_id, table),
            [InputTag(CONTEXT, "workload" if table.name in WORKLOAD else "result")],
        )
        for table in tables
    ]


def _dataset(run_id: str, table: TableState) -> Dataset:
    from mlflow.entities import Dataset

    source = {"path": table.path, "delta_table_version": table.version}
    # MLflow keeps one dataset per name and digest, and the profile is that of one run's rows.
    identity = json.dumps([source, run_id, table.rows])
    return Dataset(
        name=table.name,
        digest=hashlib.sha256(identity.encode()).hexdigest()[:8],
        source_type="delta_table",
        source=json.dumps(source),
        schema=json.dumps({"mlflow_colspec": _columns(table.name)}),
        profile=json.dumps({"num_rows": table.rows, "condition": f"run_id = '{run_id}'"}),
    )


def _columns(table: str) -> list[dict[str, object]]:
    """Columns of a table's contract as an MLflow schema."""
    return [
        {"name": column.name, "required": not column.nullable, **_type(column.type)}
        for column in schemas.TABLES[table].columns
    ]


def _type(name: str) -> dict[str, object]:
    if name.startswith("array<"):
        return {"type": "array", "items": _type(name.removeprefix("array<").removesuffix(">"))}
    return {"type": {"int": "integer", "timestamp": "datetime"}.get(name, name)}
