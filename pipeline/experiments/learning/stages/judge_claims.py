"""Stage `judge_claims`: verdicts on a paper's claims, and whether variants agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.learning.claims import judged_claims
from pipeline.experiments.learning.claims.judged_claims import Tables
from pipeline.experiments.learning.claims.stored_trainings import StoredTrainings
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `learning_verdicts` of the run; it is not split into units."""
    here = reader.of(ctx.paths)
    trainings, evaluations = (
        reader.pandas_frame(here, table, ctx.run_id) for table in ("trainings", "evaluations")
    )
    policies = here.rows("policies", ("experiment", "variant", "settings"), run_id=[ctx.run_id])
    results = Tables(StoredTrainings(trainings), evaluations, policies.to_pandas(), ctx.config.seed)
    found = judged_claims.rows(ctx.config.learning, results)
    rows = [{"run_id": ctx.run_id, **row} for row in found]
    frame = tables.of_rows(spark, rows, "learning_verdicts").coalesce(1)
    tables.write(spark, frame, "learning_verdicts", ctx.paths, ctx.run_id)
