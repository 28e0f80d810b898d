"""Stages that judge agents are functions of tables in memory."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import schemas
from pipeline.experiments.learning.stages import judge_claims, score_agents
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.stage import Work
from tests.pipeline.experiments.learning import claim_cases

pytestmark = pytest.mark.unit

NO_SPARK: Any = None

OF_FIGURES = {
    **{"location": "location", "its_strategy": "subject", "candidate": "experiment"},
    **{"figure": "measure", "published": "statement", "our_value": "value"},
    **{name: name for name in ("low", "high", "verdict", "note")},
}
"""Columns of `published_figures`, and those of `learning_verdicts` with the same values."""


def columns(table: str) -> set[str]:
    """Columns that rows of a stage have."""
    return {column.name for column in schemas.TABLES[table].columns} - {"run_id"}


def test_agents_are_scored_over_their_seeds() -> None:
    config = resolve("learning-smoke", None, [], [])
    cell = {"experiment": "e", "reward": "count", "variant": "base", "brokers": 3.0, "moves": 1.0}
    evaluations = pd.DataFrame(
        {**cell, "policy": policy, "seed": seed, "score": score, "over_slo_percent": 2.0 * seed}
        for policy, scores in (("dqn", (0.2, 1.0)), ("fixed-3", (1.0,)))
        for seed, score in enumerate(scores, 1)
    )
    (row,) = score_agents.run(Work(NO_SPARK, config, config.units()), evaluations)
    assert set(row) == columns("learning_scores")
    assert (row["agent"], row["seeds"], row["successes"], row["share"]) == ("dqn", 2, 1, 0.5)
    assert (row["worst"], row["best"], row["over_slo_percent"]) == (0.2, 1.0, 3.0)


@pytest.mark.slow
def test_claims_are_judged_by_the_rows_of_three_tables() -> None:
    one = claim_cases.experiment("paper")
    config = resolve("learning-smoke", None, [], []).model_copy(update={"learning": (one,)})
    tables = (
        claim_cases.trainings(one, 30),
        claim_cases.evaluations(one, [0.5] * one.seeds),
        claim_cases.policies(one),
    )
    found = judge_claims.run(Work(NO_SPARK, config, config.units()), *tables)
    for table, rows in found.items():
        assert rows
        assert all(set(row) == columns(table) for row in rows)
    claims, figures = found["learning_verdicts"], found["published_figures"]
    for claim, figure in zip(claims, figures, strict=True):
        assert figure["figure_key"] == f"paper: {claim['claim']}: {claim['subject']}"
        for mine, its in OF_FIGURES.items():
            assert figure[mine] == claim[its]
    assert {one["verdict"] for one in claims} == {"open", "by construction"}
    (first,) = (one for one in figures if one["figure_key"] == "paper: R1: dqn, count")
    assert (first["ours"], first["interval_text"]) == ("1.0 in 30 seeds", "0.88 to 1.00")
    (last,) = (one for one in figures if one["figure_key"] == "paper: R11: ")
    assert (last["ours"], last["our_value"]) == ("–", None)
