"""Validation outcomes: kept in the run's state folder, then written to `validations` at once.

Each of Airflow's checks is its own process, and a Delta commit for each would take longer than
the checks themselves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.base.process import replaced_file
from pipeline.warehouse.checks.run_expectations import ExpectationResult
from pipeline.warehouse.runs.context import RunContext, now
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PENDING = "pending"


def keep(ctx: RunContext, table: str, outcomes: Sequence[ExpectationResult]) -> None:
    """Keep the outcomes of one table, replacing those of an earlier check of it."""
    folder = _folder(ctx)
    folder.mkdir(parents=True, exist_ok=True)
    seen = {"checked_at": now().isoformat(), "outcomes": [item._asdict() for item in outcomes]}
    replaced_file.write_json(folder / f"{table}.json", seen)
    (folder / _PENDING).touch()


def forget(ctx: RunContext) -> None:
    """Drop the outcomes of an earlier run of this id."""
    for file in _folder(ctx).glob("*"):
        file.unlink()


def write(spark: SparkSession, ctx: RunContext) -> None:
    """Write all outcomes of the run to `validations`, if any is not there yet."""
    pending = _folder(ctx) / _PENDING
    if not pending.exists():
        return
    rows = [row for file in sorted(_folder(ctx).glob("*.json")) for row in _rows(ctx, file)]
    frame = tables.of_rows(spark, rows, "validations").coalesce(1)
    tables.write(spark, frame, "validations", ctx.paths, ctx.run_id)
    pending.unlink()


def _rows(ctx: RunContext, file: Path) -> list[dict[str, object]]:
    seen = json.loads(file.read_text())
    shared = {
        "run_id": ctx.run_id,
        "table_name": file.stem,
        "checked_at": datetime.fromisoformat(seen["checked_at"]),
    }
    return [shared | outcome for outcome in seen["outcomes"]]


def _folder(ctx: RunContext) -> Path:
    return ctx.paths.state(ctx.run_id) / "validations"
