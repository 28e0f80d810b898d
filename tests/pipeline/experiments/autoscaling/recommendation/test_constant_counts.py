"""Constant groups of two questions: what members do is computed once where nothing else differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.simulation import member_queue
from pipeline.experiments.autoscaling.recommendation import (
    consumer_settings,
    judged_candidates,
    recommendation_question,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Count, Run
from pipeline.experiments.autoscaling.recommendation.constant_counts import (
    FACTORS,
    PLACEMENTS,
    ConstantCounts,
)
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import (
    GOAL,
    asked,
    waves,
)

pytestmark = pytest.mark.unit

RANGE, STICKY, _ = consumer_settings.COMPARED
ALLOWED = 0.05


def counts_of(factor: float = 1.0, like: ConstantCounts | None = None, **question: Any) -> Any:
    return ConstantCounts(bench_of(factor, **question), ALLOWED, Count(), like)


def bench_of(factor: float = 1.0, **question: Any) -> Bench:
    bench, _ = recommendation_question.prepare(waves() * factor, 1.0, asked(**question))
    return bench


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0])
def test_with_another_load_figures_are_those_of_a_question_of_its_own(factor: float) -> None:
    first = counts_of()
    own, shared = counts_of(factor), counts_of(factor, first)
    for n in (1, 2, 3, 4):
        for load in FACTORS:
            expected, actual = own.at(RANGE, n, load).totals, shared.at(RANGE, n, load).totals
            np.testing.assert_allclose(actual.late, expected.late, rtol=1e-7, atol=1e-6)
            np.testing.assert_allclose(actual.events, expected.events, rtol=1e-9)


def test_members_are_simulated_once_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated: list[int] = []
    replay = member_queue.replay

    def counted(columns: Any, held: Any, edges: Any, service: Any) -> Any:
        simulated.append(held.size)
        return replay(columns, held, edges, service)

    monkeypatch.setattr(member_queue, "replay", counted)
    first = counts_of()
    first.at(RANGE, 2, 1.5)
    before = len(simulated)
    assert before > 0
    counts_of(1.5, first).at(RANGE, 2, 1.0)
    assert len(simulated) == before
    counts_of(1.5, first, mu=150.0).at(RANGE, 2, 1.0)
    assert len(simulated) > before


@pytest.mark.parametrize(
    "question",
    [{"mu": 150.0}, {"goal": GOAL._replace(latency_s=9.0)}, {"settings": {"arrivals": "burst"}}],
)
def test_another_speed_latency_or_arrival_is_another_group(question: dict[str, Any]) -> None:
    assert counts_of().factor_to(bench_of(2.0, **question)) is None


def test_only_a_factor_on_all_rates_is_one() -> None:
    counts, other = counts_of(), bench_of(1.5)
    assert counts.factor_to(other) == 1.5
    other.rates[7, 2] *= 1.001
    assert counts.factor_to(other) is None
    assert counts.factor_to(bench_of()._replace(rates=other.rates[:, :3])) is None


def test_placements_are_drawn_where_a_new_group_is_sure_enough_or_shown() -> None:
    question = asked()
    bench = bench_of()
    weeks = judged_candidates.drawn_weeks(bench, question)
    counts = ConstantCounts(bench, ALLOWED, Count())
    rows = {
        Run(candidate, kind): [counts.at(kind, n, load) for load in FACTORS]
        for n in (2, 4)
        for kind in (RANGE, STICKY)
        for candidate in [candidate_grid.constant(n)]
    }
    few, many = (Run(run.candidate, STICKY) for run in list(rows)[::2])
    assert set(counts.placed(rows, weeks.draws, 0.95)) <= {many}
    shown = counts.placed(rows, weeks.draws, 0.95, [few])
    assert few in shown
    assert len(shown[few]) == PLACEMENTS
