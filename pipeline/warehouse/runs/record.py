"""Life of a run in the `runs` table: running, then published or failed."""

from __future__ import annotations

import json
import logging
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.base.errors import InputError
from pipeline.base.text.addresses import shown
from pipeline.warehouse.runs.context import RunContext, now
from pipeline.warehouse.storage import tables
from schemas.render import conditions
from schemas.tables.common.runs import FAILED, IS_PUBLISHED, RUNNING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.base.paths import Paths

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

CODE, UNKNOWN = "GROUPSCALE_CODE", "unknown"
"""Variable that names the code's version where git cannot, as in a container."""

_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
log = logging.getLogger(__name__)


def record(spark: SparkSession, ctx: RunContext, status: str, error: str | None = None) -> None:
    """Write the run's row; ``status`` is ``running``, ``published`` or ``failed``."""
    # The clock may have been set back, and no run may end before it begins.
    finished = None if status == RUNNING else max(now(), ctx.created_at)
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

    So no reader sees a run in part, even if this process dies before all rows are deleted.
    """
    values = {"status": conditions.literal(FAILED), "error": conditions.literal(why)}
    tables.update_runs(spark, paths, "runs", run_ids, values, IS_PUBLISHED)


def versions() -> Mapping[str, str]:
    """Versions of code and packages. Raises InputError if ``GROUPSCALE_CODE`` is set to none."""
    by_name = {"python": platform.python_version(), "code": _revision()}
    for package in PACKAGES:
        try:
            by_name[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            by_name[package] = "not installed"
    return by_name


def _revision() -> str:
    """Version of the code: ``GROUPSCALE_CODE``, else from git."""
    version = os.environ.get(CODE) or _described()
    if not _VERSION.fullmatch(version):
        raise InputError(
            f"`{CODE}` must be 1 to 64 letters, digits or ._+-, such as a commit "
            f"(got {version[:80]!r}); in a git checkout you can unset it"
        )
    if version == UNKNOWN:
        log.warning(
            "unknown version of the code: the gate cannot require equal values; set %s",
            CODE,
        )
    return version


def _described() -> str:
    """Git commit of the code, with ``+changes`` if files differ from it."""
    here = Path(__file__).parent
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+changes"]
    try:
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return UNKNOWN
    return done.stdout.strip() if done.returncode == 0 else UNKNOWN
