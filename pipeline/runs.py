"""Life of a run in the `runs` table: running, then published or failed."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import tables
from pipeline.addresses import shown
from pipeline.context import RunContext, now
from schemas.render import sql
from schemas.tables.runs import FAILED, IS_PUBLISHED, RUNNING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.paths import Paths

PACKAGES = (
    "groupscale",
    "apache-airflow",
    "pyspark",
    "delta-spark",
    "mlflow",
    "great-expectations",
    "numpy",
    "numba",
    "scipy",
    "pandas",
    "pyarrow",
)
MAX_ERROR = 2000


def record(spark: SparkSession, ctx: RunContext, status: str, error: str | None = None) -> None:
    """Write the run's row; ``status`` is ``running``, ``published`` or ``failed``."""
    finished = None if status == RUNNING else now()
    row = _row(ctx, status, finished, error)
    frame = tables.of_rows(spark, [row], "runs")
    tables.write(spark, frame, "runs", ctx.paths, ctx.run_id)


def _row(
    ctx: RunContext, status: str, finished: datetime | None, error: str | None
) -> dict[str, object]:
    return {
        "run_id": ctx.run_id,
        "status": status,
        "preset": ctx.config.preset,
        "created_at": ctx.created_at,
        "finished_at": finished,
        "config": ctx.config.to_json(private=False),
        "seed": ctx.config.seed,
        "versions": json.dumps(dict(ctx.versions or versions())),
        "stage_timings": json.dumps(ctx.timings()),
        "error": None if error is None else shown(error)[:MAX_ERROR],
    }


def withdraw(spark: SparkSession, paths: Paths, run_ids: Sequence[str], why: str) -> None:
    """Take runs out of the published set, in one commit, before their rows go.

    Whoever reads meanwhile, and whatever is left if this process dies, has none of them in part.
    """
    values = {"status": sql.literal(FAILED), "error": sql.literal(why)}
    tables.update_runs(spark, paths, "runs", run_ids, values, IS_PUBLISHED)


def published(spark: SparkSession, paths: Paths, table: str) -> DataFrame:
    """Rows of ``table`` that belong to published runs: what analysts read."""
    load = spark.read.format("delta").load
    ids = load(paths.table("runs")).where(IS_PUBLISHED).select("run_id")
    return load(paths.table(table)).join(ids, "run_id", "left_semi")


def versions() -> Mapping[str, str]:
    """Versions of the code and of the packages that can change a result."""
    found = {"python": platform.python_version(), "code": _revision()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _revision() -> str:
    """Git commit of the code, with ``+changes`` where files differ from it."""
    here = Path(__file__).parent
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+changes"]
    try:
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 else "unknown"
