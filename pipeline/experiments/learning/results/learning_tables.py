"""Reads the tables of a run of this family into memory, for report, MLflow and terminal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

import schemas
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import policy_content
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.run_results import ReadTables
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext

WHOLE = (
    *("trainings", "evaluations", "learning_scores", "learning_verdicts"),
    *("group_scores", "group_fronts", "differences"),
)
POLICY = tuple(c.name for c in schemas.TABLES["policies"].columns if c.name != "weights")
_COUNTED = tuple(table for table in tables.DATA if table not in (*WHOLE, "policies", "validations"))


def read(spark: SparkSession, ctx: RunContext) -> ReadTables:
    """Read all tables in parallel, of policies all but the weights."""
    here = reader.of(ctx.paths)
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = pool.map(lambda table: reader.pandas_frame(here, table, ctx.run_id), WHOLE)
        policies = pool.submit(here.rows, "policies", POLICY, run_id=[ctx.run_id])
        counts = pool.map(lambda table: here.count(table, ctx.run_id), _COUNTED)
        frames: dict[str, pd.DataFrame] = dict(zip(WHOLE, found, strict=True))
        frames["policies"] = policies.result().to_pandas()
        return ReadTables(frames, dict(zip(_COUNTED, counts, strict=True)))


def frame(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """No table of this family is audited.

    Raises
    ------
    KeyError
        Always.
    """
    raise KeyError(table)


def attach(ctx: RunContext, folder: Path) -> None:
    """Write policies of seed 1: per agent and reward that of each experiment's first variant.

    Of agents on groups all variants, whose actions and weights make different policies. Not the
    best seed, which would be chosen on the held-out episodes.
    """
    (folder / "policies").mkdir(exist_ok=True)
    attached = {
        one.name: one.variants if one.scales_group else one.variants[:1]
        for one in ctx.config.learning
    }
    for row in policy_files.stored(reader.of(ctx.paths), ctx.run_id, seeds=1):
        if row["variant"] in attached[row["experiment"]]:
            place = folder / "policies" / policy_files.file_name(row)
            place.write_text(policy_content.text_of(row), encoding="utf-8")


def check_packages(config: RunConfig, paths: Paths, run_id: str) -> None:
    """Refuse a run that cannot train, before anything is written.

    Raises
    ------
    InputError
        If JAX or optax is not installed.
    """
    missing = [name for name in ("jax", "optax") if find_spec(name) is None]
    if missing:
        raise InputError(
            f"learning requires the package{'s' * (len(missing) > 1)} {' and '.join(missing)}, "
            "not installed here; run make setup"
        )
