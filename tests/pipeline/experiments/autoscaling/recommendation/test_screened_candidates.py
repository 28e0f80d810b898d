"""Successive halving against the exhaustive search, and what a quarter of a recording is."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling.candidates import Candidate, sweep
from algorithms.inference.week_draws import Spread
from pipeline.experiments.autoscaling.recommendation import (
    recommendation_question,
    refined_choice,
    screened_candidates,
)
from pipeline.experiments.autoscaling.recommendation.recommend import recommend
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit

CANDIDATES = (
    Candidate("constant"),
    *sweep("keda_hpa", 6, 100.0, 60.0),
    *sweep("headroom", 6, 100.0, 60.0),
)


def load(seed: int, steps: int = 3600, partitions: int = 6) -> np.ndarray:
    """Two cycles and noise that lasts for minutes."""
    draw = np.random.default_rng(seed)
    noise = np.repeat(draw.gamma(8.0, 1.0 / 8.0, steps // 60), 60)
    cycle = 1.0 + draw.uniform(0.2, 0.9) * np.sin(np.arange(steps) * 4.0 * np.pi / steps)
    shares = draw.dirichlet(np.full(partitions, 20.0))
    rates: np.ndarray = 150.0 * (cycle * noise)[:, None] * shares
    return rates


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_the_exhaustive_search_chooses_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    question = asked(
        Objective(95.0, 60.0),
        mu=100.0,
        candidates=CANDIDATES,
        settings={"assignor": "range"},
        spread=Spread(0.05, 1e6),
    )
    # What is chosen from; its refinement goes on from there.
    monkeypatch.setattr(refined_choice, "_ROUNDS", 0)
    halved = recommend(load(seed), 1.0, question)
    assert len(halved.ranked) < len(CANDIDATES)
    monkeypatch.setattr(screened_candidates, "FEWEST", 10_000)
    monkeypatch.setattr(screened_candidates, "BEST", 10_000)
    monkeypatch.setattr(screened_candidates, "BEST_OF_KEDA", 10_000)
    whole = recommend(load(seed), 1.0, question)
    assert halved.answer is not None
    assert whole.answer is not None
    assert halved.answer.run == whole.answer.run
    assert halved.answer.keeps == whole.answer.keeps


def test_a_quarter_has_the_busiest_part_and_whole_recorded_steps() -> None:
    rates = load(3, 7200)
    question = asked(mu=1000.0)
    bench, _ = recommendation_question.prepare(rates[::60], 60.0, question)
    part = screened_candidates.quarter(bench)
    assert len(part.rates) == len(bench.rates) // 4 // bench.parts * bench.parts or (
        len(part.rates) == 4 * (len(bench.rates) // (16 * bench.parts) * bench.parts)
    )
    assert part.rates.sum(axis=1).max() == bench.rates.sum(axis=1).max()
    short, _ = recommendation_question.prepare(rates[:600], 1.0, question)
    assert screened_candidates.quarter(short) is short
