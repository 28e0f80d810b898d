"""Verdicts on claims follow from trainings, seeds and variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from algorithms.learning import broker_optimum, broker_rollout
from pipeline.config.learning_experiment import LearningExperiment
from pipeline.learning import judged_claims

pytestmark = pytest.mark.unit

ROOT = 7
SHAPE: dict[str, Any] = {"agents": ("dqn",), "rewards": ("count",), "episodes": 1, "held_out": 8}


def trainings(experiment: LearningExperiment, successes: int) -> pd.DataFrame:
    """The first seeds reach the optimum, the others act randomly."""
    rows = []
    for cell in experiment.cells():
        brokers = experiment.settings(cell.variant).brokers
        starts = broker_rollout.held_out(brokers, experiment.held_out, ROOT).starts
        place = starts - brokers.min_brokers
        best = broker_optimum.optimum(brokers, cell.reward)[place].mean()
        worst = broker_optimum.random_values(brokers, cell.reward)[place].mean()
        for seed in range(1, experiment.seeds + 1):
            reached = best if seed <= successes else worst
            row = {"seed": seed, "episode": 1, "total_reward": worst, "greedy_reward": reached}
            row |= {"loss": 0.5, "epsilon": 0.1, "brokers": 3.0, "moves": 1.0}
            rows.append(cell._asdict() | row | {"over_slo_percent": 10.0})
    return pd.DataFrame(rows)


EVALUATIONS = pd.DataFrame(
    columns=[
        *("experiment", "policy", "reward", "variant", "seed", "over_slo_percent", "idle_weight"),
    ]
)


def judged(
    successes: int, seeds: int = 30, agreeing: int | None = None
) -> dict[str, dict[str, Any]]:
    base = LearningExperiment(name="paper", seeds=seeds, **SHAPE)
    every, found = [base], [trainings(base, successes)]
    if agreeing is not None:
        other = LearningExperiment(name="more", seeds=10, variants=("gamma=0.9",), **SHAPE)
        every.append(other)
        found.append(trainings(other, agreeing))
    rows = judged_claims.rows(every, pd.concat(found), EVALUATIONS, ROOT)
    return {row["claim"]: row for row in rows}


@pytest.mark.parametrize(
    ("successes", "verdict"), [(28, "reproduced"), (2, "not reproduced"), (15, "open")]
)
def test_the_interval_decides(successes: int, verdict: str) -> None:
    claim = judged(successes, agreeing=10)["R1"]
    assert claim["verdict"] == verdict
    assert claim["value"] == successes / 30
    assert claim["low"] < claim["value"] < claim["high"]


def test_without_variants_or_with_few_seeds_a_claim_stays_open() -> None:
    assert judged(28)["R1"]["verdict"] == "open"
    assert "No variants" in judged(28)["R1"]["note"]
    assert judged(20, seeds=20, agreeing=10)["R1"]["verdict"] == "open"


def test_variants_agree_if_their_interval_says_the_same() -> None:
    agreeing, open_, opposite = (judged(28, agreeing=n)["R1"] for n in (10, 5, 0))
    assert [r["variants"] for r in (agreeing, open_, opposite)] == [1, 1, 1]
    assert [r["variants_agreeing"] for r in (agreeing, open_, opposite)] == [1, 0, 0]


def test_claims_that_are_not_tested_say_so() -> None:
    claims = judged(28, agreeing=10)
    for claim in ("R8", "R9", "R11"):
        assert claims[claim]["verdict"] == "open"
        assert claims[claim]["note"].startswith("Not tested")


def with_weights(left: Sequence[float | None]) -> dict[str, Any]:
    """Verdict on R8 if the seeds keep these shares of the weights of insignificant inputs."""
    base = LearningExperiment(name="paper", seeds=30, **SHAPE)
    other = LearningExperiment(name="more", seeds=30, variants=("gamma=0.9",), **SHAPE)
    agents = pd.DataFrame(
        {"experiment": name, "policy": "dqn", "reward": "count", "variant": variant}
        | {"seed": seed, "over_slo_percent": 1.0, "idle_weight": weight}
        for name, variant in (("paper", "base"), ("more", "gamma=0.9"))
        for seed, weight in enumerate(left, 1)
    )
    learned = pd.concat([trainings(base, 28), trainings(other, 28)])
    rows = judged_claims.rows([base, other], learned, agents, ROOT)
    return next(row for row in rows if row["claim"] == "R8")


@pytest.mark.parametrize(
    ("near_zero", "verdict"), [(28, "reproduced"), (2, "not reproduced"), (15, "open")]
)
def test_weights_of_insignificant_inputs_are_judged_by_seed(near_zero: int, verdict: str) -> None:
    claim = with_weights([0.5] * near_zero + [0.9] * (30 - near_zero))
    assert (claim["verdict"], claim["value"]) == (verdict, near_zero / 30)
    assert (claim["variants"], claim["variants_agreeing"]) == (1, 1)


def test_seeds_without_insignificant_inputs_do_not_count() -> None:
    claim = with_weights([0.1] * 10 + [None] * 20)
    assert (claim["seeds"], claim["value"], claim["verdict"]) == (10, 1.0, "open")


def with_raw(scaled: int, raw: int) -> dict[str, Any]:
    base = LearningExperiment(name="paper", seeds=30, **SHAPE)
    other = LearningExperiment(name="raw", seeds=30, variants=("scaling=raw",), **SHAPE)
    few = LearningExperiment(name="few", seeds=10, variants=("scaling=raw",), **SHAPE)
    found = [trainings(base, scaled), trainings(other, raw), trainings(few, 5)]
    rows = judged_claims.rows([base, other, few], pd.concat(found), EVALUATIONS, ROOT)
    return {row["claim"]: row for row in rows}


def test_raw_metrics_are_judged_only_where_scaled_ones_succeed() -> None:
    assert with_raw(28, 2)["R9"]["verdict"] == "not reproduced"
    assert with_raw(28, 28)["R9"]["verdict"] == "reproduced"
    failed = with_raw(2, 2)["R9"]
    assert failed["verdict"] == "open"
    assert "Scaled metrics do not pass" in failed["note"]


def test_a_variant_of_two_experiments_counts_once_with_most_seeds() -> None:
    claim = with_raw(28, 28)["R1"]
    assert (claim["variants"], claim["variants_agreeing"]) == (1, 1)
