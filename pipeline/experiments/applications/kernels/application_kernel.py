"""Simulations of applications: rows of experiment, policy and replicate to figures and series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from algorithms.simulation import simulate_application
from pipeline.experiments.applications.kernels import ApplicationPlan, Plans
from pipeline.experiments.applications.results import application_rows
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

KEYS = ("experiment", "policy", "replicate")


def _series(table: str, *further: str) -> dict[str, pa.DataType]:
    """Columns of a table with several rows per simulation, as lists."""
    fields = arrow.contract(table, without=("run_id", *KEYS, *further))
    return {field.name: pa.list_(field.type) for field in fields}


SERIES = {
    "application_steps": _series("application_steps", "step"),
    "function_steps": _series("function_steps"),
}
"""Columns of the tables that have several rows per simulation; steps of an application are numbered
in their order."""

SIMULATED = pa.schema(
    [
        *arrow.contract("application_runs", without=("run_id",)),
        *(
            pa.field(f"{table}_{name}", kind)
            for table, columns in SERIES.items()
            for name, kind in columns.items()
        ),
    ]
)
"""Columns of `application_runs`, and lists: those of `SERIES`, by table and column."""


def simulate(plans: Plans) -> BatchKernel:
    """Rows with `KEYS` to rows of `SIMULATED`."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [_row(plans[row["experiment"]], row) for row in batch.to_pylist()]
            yield pa.RecordBatch.from_pylist(rows, schema=SIMULATED)

    return run


def _row(plan: ApplicationPlan, keys: Mapping[str, Any]) -> Mapping[str, Any]:
    policy, seed = plan.policies[keys["policy"]], plan.seed(keys["replicate"])
    functions, edges, sources, checked = plan.application
    result = simulate_application(
        functions, edges, sources, policy.name, policy.arguments, {**plan.settings, "seed": seed}
    )
    rows = {
        "application_steps": list(application_rows.step_rows(result, checked)),
        "function_steps": list(application_rows.function_rows(result)),
    }
    lists = {
        f"{table}_{name}": [row[name] for row in rows[table]]
        for table, columns in SERIES.items()
        for name in columns
    }
    figures = application_rows.run_row(result, checked)
    return {**{key: keys[key] for key in KEYS}, "seed": seed, **figures, **lists}
