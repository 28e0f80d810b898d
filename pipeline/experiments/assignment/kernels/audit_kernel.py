"""Audits: counts over the stored arrays of `measurements` and `assignments`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from algorithms.assignment import registry
from algorithms.scores import assignment_scores
from pipeline.experiments.assignment.kernels import Workload, Workloads
from pipeline.experiments.assignment.kernels.row_blocks import Series, per_algorithm
from pipeline.warehouse.spark.stream_tasks import BatchKernel

COUNTS = (
    *assignment_scores.Audit._fields,
    "consumers_mismatch",
    "migrations_mismatch",
    "rscore_mismatch",
    "rscore_above_total",
    "below_minimum",
)
"""Columns of the audit of `assignments`, besides its keys and the sequence of iterations."""

NUMBERS = ("n_consumers", "n_migrations", "min_consumers", "rscore")
"""Columns of `assignments` that are audited besides its arrays."""

SEQUENCE = ("n_rows", "n_distinct_iterations", "first_iteration", "last_iteration")
AUDITS = pa.schema(
    [("stream_id", pa.string()), ("algorithm", pa.string())]
    + [(name, pa.int64()) for name in (*SEQUENCE, *COUNTS)]
)


def audit_assignments(workloads: Workloads) -> BatchKernel:
    """Blocks of rates and assignments to one audit row per stream and algorithm.

    Everything is recomputed from the stored arrays; see `schemas` for the meaning of the
    columns.
    """
    return per_algorithm(workloads, _row, AUDITS)


def _row(rates: NDArray[np.float64], series: Series, load: Workload) -> dict[str, object]:
    keys: dict[str, object] = {"stream_id": series.stream_id, "algorithm": series.algorithm}
    figures = _sequence(series.numbers["iteration"]) | _counts(series, rates, load.capacity)
    return keys | figures


def _sequence(iterations: NDArray[Any]) -> dict[str, int]:
    """Counts that show whether iterations are complete."""
    return {
        "n_rows": len(iterations),
        "n_distinct_iterations": len(np.unique(iterations)),
        "first_iteration": int(iterations.min()),
        "last_iteration": int(iterations.max()),
    }


def _counts(series: Series, rates: NDArray[np.float64], capacity: float) -> dict[str, int]:
    consumers, stored = series.cells, series.numbers
    if consumers is None or consumers.shape != rates.shape:
        # Rows are missing or duplicated, or an array has another length: nothing can be matched.
        return dict.fromkeys(COUNTS, len(stored["iteration"]))
    valid = assignment_scores.audit(rates, consumers, capacity)._asdict()
    score = assignment_scores.rscore(rates, consumers, capacity)
    total = np.nansum(rates, axis=1) / capacity * (1 + 1e-9)
    return {name: int(value) for name, value in valid.items()} | {
        "consumers_mismatch": _differ(
            stored["n_consumers"], assignment_scores.n_consumers(consumers)
        ),
        "migrations_mismatch": _differ(
            stored["n_migrations"], assignment_scores.n_migrations(consumers)
        ),
        "rscore_mismatch": _differ(stored["rscore"], score),
        "rscore_above_total": int(np.sum(stored["rscore"] > total)),
        "below_minimum": _below_minimum(series),
    }


def _below_minimum(series: Series) -> int:
    if series.algorithm not in registry.reference_set():
        return 0
    return int(np.sum(series.numbers["n_consumers"] < series.numbers["min_consumers"]))


def _differ(stored: NDArray[Any], computed: NDArray[Any]) -> int:
    return int(np.sum(stored != computed))
