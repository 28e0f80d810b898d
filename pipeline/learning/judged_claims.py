"""Verdicts on a paper's claims from trainings, and how many variants agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from algorithms.learning.broker_training import Training
from algorithms.learning.claim_verdicts import Claim, claims
from algorithms.learning.success_verdicts import (
    FEWEST,
    OPEN,
    REPRODUCED,
    SUCCESS,
    share_verdict,
    verdict_of,
)
from pipeline.config.learning_experiment import BASE, LearningExperiment
from pipeline.config.learning_presets import RAW
from pipeline.learning.published_claims import CLAIMS

Row = dict[str, Any]

LEAST_SEEDS = 10
"""Seeds that a variant needs to count in the sensitivity table."""

STATIC = "static_11"

NEAR_ZERO = 0.5
"""Share of its weight before training that an input keeps at most if the weight nears zero."""


def rows(
    experiments: Iterable[LearningExperiment],
    trainings: pd.DataFrame,
    evaluations: pd.DataFrame,
    root: int,
) -> Iterator[Row]:
    """Rows of `learning_verdicts`, without ``run_id``, of experiments with variant ``base``."""
    every = [one for one in experiments if not one.scales_group]
    for one in every:
        if BASE not in one.variants:
            continue
        found = {_key(claim): claim for claim in _claims(one, BASE, trainings, root)}
        # Variants of other budgets answer another question.
        others = [
            {_key(claim): claim for claim in _claims(other, variant, trainings, root)}
            for variant, other in _variants(one, every).items()
        ]
        for key, claim in found.items():
            yield _row(one.name, claim, [other[key] for other in others if key in other])
        yield _insignificant(one, every, evaluations)
        yield from _others(one, every, trainings, evaluations, root)


def _variants(
    one: LearningExperiment, every: Iterable[LearningExperiment]
) -> dict[str, LearningExperiment]:
    """Variants with the experiment's budget, each once, from where it has most seeds."""
    alike = [o for o in every if o.episodes == one.episodes and o.seeds >= LEAST_SEEDS]
    by_seeds = sorted(alike, key=lambda other: other.seeds)
    return {name: other for other in by_seeds for name in other.variants if name != BASE}


def _key(claim: Claim) -> tuple[str, str]:
    return claim.id, f"{claim.agent}, {claim.reward}"


def _claims(
    one: LearningExperiment, variant: str, trainings: pd.DataFrame, root: int
) -> tuple[Claim, ...]:
    own = trainings[(trainings["experiment"] == one.name) & (trainings["variant"] == variant)]
    runs = {
        (agent, reward): _training(own[(own["agent"] == agent) & (own["reward"] == reward)])
        for agent in one.agents
        for reward in one.rewards
    }
    settings = one.settings(variant)
    return claims(runs, settings.brokers, settings.agent, root)


def _training(rows: pd.DataFrame) -> Training:
    """A training as its rows have it, without weights."""

    def matrix(name: str) -> Any:
        return rows.pivot_table(
            index="seed", columns="episode", values=name, dropna=False
        ).to_numpy(dtype=np.float64)

    return Training(
        returns=matrix("total_reward"),
        losses=matrix("loss"),
        epsilons=matrix("epsilon"),
        greedy_returns=matrix("greedy_reward"),
        greedy_brokers=matrix("brokers"),
        greedy_over=matrix("over_slo_percent") / 100.0,
        greedy_moves=matrix("moves"),
        weights=(),
    )


def _row(experiment: str, claim: Claim, variants: list[Claim]) -> Row:
    verdicts = [_without_count(other) for other in variants]
    return _blank(experiment, claim.id) | {
        "subject": f"{claim.agent}, {claim.reward}",
        "measure": claim.measure,
        "seeds": claim.seeds,
        "value": claim.value,
        "low": _known(claim.low),
        "high": _known(claim.high),
        # No verdict without its sensitivity table.
        "verdict": claim.verdict if variants else OPEN,
        "variants": len(variants),
        "variants_agreeing": sum(verdict == claim.verdict for verdict in verdicts),
        "note": CLAIMS[claim.id].note if variants else _alone(claim),
    }


def _alone(claim: Claim) -> str:
    return f"{CLAIMS[claim.id].note} No variants were trained: the verdict stays open.".strip()


def _without_count(claim: Claim) -> str:
    """What the interval alone says, for variants with fewer seeds than a verdict needs."""
    if math.isnan(claim.low):
        return OPEN
    if claim.measure.startswith("share"):
        return verdict_of(claim.low, claim.high, 0.5, FEWEST)
    margin = 1.0 - SUCCESS
    widest = max(abs(claim.low), abs(claim.high))
    apart = max(claim.low, -claim.high)
    # Equal where the interval is within the margin, different where it is outside.
    return verdict_of(margin - widest, margin - apart, 0.0, FEWEST)


def _blank(experiment: str, claim: str) -> Row:
    published = CLAIMS[claim]
    return {
        "experiment": experiment,
        "claim": claim,
        "location": published.location,
        "subject": "",
        "statement": published.statement,
        "measure": "",
        "seeds": 0,
        **dict.fromkeys(("value", "low", "high")),
        "verdict": OPEN,
        "variants": 0,
        "variants_agreeing": 0,
        "note": published.note,
    }


def _others(
    one: LearningExperiment,
    every: list[LearningExperiment],
    trainings: pd.DataFrame,
    evaluations: pd.DataFrame,
    root: int,
) -> Iterator[Row]:
    """Claims that the trainings of ``base`` alone say nothing about."""
    for claim in ("R6", "R11"):
        yield _blank(one.name, claim)
    yield _normalized(one, every, trainings, root)
    static = evaluations[
        (evaluations["experiment"] == one.name)
        & (evaluations["policy"] == STATIC)
        & (evaluations["reward"] == "violations")
        & (evaluations["variant"] == BASE)
    ]
    over = float(static["over_slo_percent"].iloc[0]) if len(static) else None
    measured = {"measure": f"% of intervals over the objective, {STATIC}", "value": over}
    yield _blank(one.name, "R10") | measured


def _normalized(
    one: LearningExperiment, every: list[LearningExperiment], trainings: pd.DataFrame, root: int
) -> Row:
    """R9, from the experiment with most seeds that has variant ``scaling=raw``."""
    row = _blank(one.name, "R9")
    raw = [o for o in every if RAW in o.variants and o.episodes == one.episodes]
    if not raw:
        return row | {"note": f"Not tested: no experiment has variant {RAW}."}
    largest = max(raw, key=lambda other: other.seeds)
    found: Mapping[str, Claim] = {c.id: c for c in _claims(largest, RAW, trainings, root)}
    claim = found["R7"]
    base = {c.id: c for c in _claims(one, BASE, trainings, root)}["R7"]
    # If scaled metrics fail as well, failing says nothing about normalization.
    tells = base.verdict == REPRODUCED
    note = "" if tells else f" Scaled metrics do not pass it either ({base.value:.2f})."
    return row | {
        "note": row["note"] + note,
        "subject": f"{claim.agent}, {claim.reward}",
        "measure": f"{claim.measure}, {RAW}",
        "seeds": claim.seeds,
        "value": claim.value,
        "low": _known(claim.low),
        "high": _known(claim.high),
        "verdict": claim.verdict if tells else OPEN,
    }


def _insignificant(
    one: LearningExperiment, every: Iterable[LearningExperiment], evaluations: pd.DataFrame
) -> Row:
    """R8, from weights and decisions of stored policies."""
    claim = _idle(one, BASE, evaluations)
    if claim is None:
        return _blank(one.name, "R8") | {"note": "Not tested: every input decides."}
    variants = [_idle(o, name, evaluations) for name, o in _variants(one, every).items()]
    return _row(one.name, claim, [other for other in variants if other is not None])


def _idle(one: LearningExperiment, variant: str, evaluations: pd.DataFrame) -> Claim | None:
    own = evaluations[
        (evaluations["experiment"] == one.name)
        & (evaluations["variant"] == variant)
        & evaluations["policy"].isin(one.agents)
    ]
    left = own.groupby("seed")["idle_weight"].mean().dropna()
    if left.empty:
        return None
    found = share_verdict(int((left <= NEAR_ZERO).sum()), len(left))
    measure = f"share of seeds that keep at most {NEAR_ZERO:g}; mean {left.mean():.2f}"
    return Claim("R8", "both", "all", measure, *found, len(left))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
