"""Stage `score_agents`: what agents reach over their seeds, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from algorithms.inference import claim_shares
from algorithms.learning import success_verdicts
from algorithms.learning.learning_names import AGENTS
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

CELL = ["experiment", "policy", "reward", "variant"]


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `learning_scores` of the run; it is not split into units."""
    found = reader.pandas_frame(reader.of(ctx.paths), "evaluations", ctx.run_id)
    agents = found[found["policy"].isin(AGENTS)]
    rows = [
        {"run_id": ctx.run_id, **scored(dict(zip(CELL, key, strict=True)), own, ctx.config.seed)}
        for key, own in agents.groupby(CELL, sort=True)
    ]
    frame = tables.of_rows(spark, rows, "learning_scores").coalesce(1)
    tables.write(spark, frame, "learning_scores", ctx.paths, ctx.run_id)


def scored(cell: dict[str, Any], own: pd.DataFrame, root: int) -> dict[str, Any]:
    """Row of one agent, reward and variant, without ``run_id``."""
    scores = own.sort_values("seed")["score"].to_numpy(dtype=float)
    successes = int((scores >= success_verdicts.SUCCESS).sum())
    share = claim_shares.exact_share(successes, len(scores))
    middle = success_verdicts.iqm_interval(scores[:, None], root)
    cell["agent"] = cell.pop("policy")
    return cell | {
        "seeds": len(scores),
        "successes": successes,
        "share": share.share,
        "share_low": share.low,
        "share_high": share.high,
        "score": middle.mean,
        "score_low": _known(middle.low),
        "score_high": _known(middle.high),
        "worst": float(scores.min()),
        "best": float(scores.max()),
        **{name: float(own[name].mean()) for name in ("brokers", "over_slo_percent", "moves")},
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
