"""Stage `score_agents`: what agents reach over their seeds, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from algorithms.inference import claim_shares
from algorithms.learning import success_verdicts
from algorithms.learning.learning_names import AGENTS

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work

CELL = ["experiment", "policy", "reward", "variant"]


def run(work: Work, evaluations: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Rows of `learning_scores`."""
    agents = evaluations[evaluations["policy"].isin(AGENTS)]
    for key, own in agents.groupby(CELL, sort=True):
        yield scored(dict(zip(CELL, key, strict=True)), own, work.config.seed)


def scored(cell: dict[str, Any], own: pd.DataFrame, root: int) -> dict[str, Any]:
    """Row of one agent, reward and variant."""
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
