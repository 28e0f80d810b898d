"""Figures of groups that scale in drawn histories, from those of a quarter of the recording."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.candidates import Candidate
from algorithms.simulation.group_costs import BlockTotals
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    consumer_settings,
    drawn_histories,
    recommendation_question,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.experiments.autoscaling.recommendation.constant_counts import FACTORS, PLACEMENTS
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit

RANGE, STICKY, UNIFORM = consumer_settings.COMPARED


def bench_of(**settings: Any) -> Bench:
    bench, _ = recommendation_question.prepare(np.full((50, 4), 20.0), 1.0, asked(**settings))
    return bench


def outcome(late: float, cost: float, events: float = 1000.0) -> CandidateOutcome:
    """Two equal days."""
    totals = BlockTotals(*(np.full(2, each / 2.0) for each in (cost, events, late)))
    return CandidateOutcome({}, totals, 1.0, 1.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("strategy", "kind", "settings", "drawn"),
    [
        ("headroom", STICKY, {}, True),
        ("headroom", UNIFORM, {}, True),
        ("headroom", RANGE, {}, False),
        ("constant", STICKY, {}, False),
        ("headroom", STICKY, {"static_members": True}, False),
        ("headroom", RANGE, {"startup_s": "landau_2024"}, True),
        ("headroom", STICKY, {"startup_s": "1-2:1", "static_members": True}, True),
        ("constant", RANGE, {"startup_s": "landau_2024"}, False),
    ],
)
def test_only_groups_that_scale_have_histories(
    strategy: str, kind: consumer_settings.Consumers, settings: dict[str, Any], drawn: bool
) -> None:
    bench = bench_of(settings=settings)
    assert drawn_histories.are_drawn(bench, Run(Candidate(strategy), kind)) is drawn


def test_each_history_changes_late_events_and_cost_alike_at_all_loads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first simulation is the row's own history; draw k has k times its late events."""
    asked_for: list[int] = []

    def run_each(benches: list[Bench], run: Run, count: Count) -> list[CandidateOutcome]:
        asked_for.extend(each.settings.get("placement_draw", 0) for each in benches)
        return [outcome(10.0 * max(draw, 1), 5.0 + draw) for draw in asked_for]

    monkeypatch.setattr(candidate_outcomes, "run_each", run_each)
    row = [outcome(100.0 * factor, 8.0) for factor in FACTORS]
    own = drawn_histories.placed(
        bench_of(), Run(Candidate("headroom"), STICKY), row, (1.0, 0.05), Count()
    )
    assert asked_for == list(range(PLACEMENTS + 1))
    assert [len(each) for each in own] == [len(FACTORS)] * PLACEMENTS
    floor = 0.01 * 0.05
    for k, placed in enumerate(own, 1):
        more = (0.01 * k + floor) / (0.01 + floor)
        for one, first in zip(placed, row, strict=True):
            late = min((first.late + floor) * more - floor, 1.0)
            assert one.late == pytest.approx(late)
            assert one.totals.cost.sum() == pytest.approx(8.0 * (5.0 + k) / 5.0)
            assert one.totals.events.sum() == 1000.0


def test_histories_are_simulated_and_differ() -> None:
    """Members start late, so that who has what decides how much waits."""
    draw = np.random.default_rng(2)
    waves = 60.0 * (1.2 + np.sin(np.arange(400) / 25.0))
    rates = waves[:, None] * draw.dirichlet(np.full(5, 2.0), 1)
    bench, _ = recommendation_question.prepare(rates, 1.0, asked(mu=60.0))
    run = Run(Candidate("headroom"), STICKY)
    row = [candidate_outcomes.simulated(bench, run)]
    count = Count()
    own = drawn_histories.placed(bench, run, row, (1.0, 0.05), count)
    assert count.done == count.total == PLACEMENTS + 1
    assert len({round(float(placed[0].late), 6) for placed in own}) > 1
