"""The rule of what-ifs, on given evidence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from algorithms.inference.simplest_choice import NONE
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    changes,
    constant_counts,
    judged_candidates,
    what_if,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Count
from pipeline.experiments.autoscaling.recommendation.changes import Change
from pipeline.experiments.autoscaling.recommendation.simulation_plan import plan
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked, waves

pytestmark = pytest.mark.unit


class Constants:
    """Constant groups, of which nothing is computed."""

    def __init__(self, *_: object) -> None: ...

    def tried(self, *_: object) -> str:
        return "tried"

    def at(self, *_: object) -> None: ...

    def placed(self, *_: object) -> dict[object, object]:
        return {}


def test_what_has_an_obstacle_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without events to survive: an autoscaler that shrinks when blind has an obstacle."""
    chosen = list[list[bool]]()

    def choice(evidence: Any, question: Any, may: Any) -> tuple[int, int]:
        chosen.append(may.tolist())
        return NONE, NONE

    evidence = SimpleNamespace(obstacles=(None, "shrinks", None))
    weeks = SimpleNamespace(draws=None)
    monkeypatch.setattr(changes, "TORNADO", ())
    monkeypatch.setattr(what_if, "ConstantCounts", Constants)
    monkeypatch.setattr(constant_counts, "numbers", lambda tried: (1,))
    monkeypatch.setattr(candidate_outcomes, "at_factors", lambda *_: {})
    monkeypatch.setattr(judged_candidates, "drawn_weeks", lambda *_: weeks)
    monkeypatch.setattr(judged_candidates, "gather", lambda *_: evidence)
    monkeypatch.setattr(judged_candidates, "choice", choice)
    recommendation: Any = SimpleNamespace(answer=None, ranked=(), constants=None)
    planned = plan(waves(), 1.0, asked())
    own = [("load × 2", Change(load=2.0))]
    (changed,) = what_if.tornado(planned, recommendation, Count(), own)
    assert changed.answer is None
    assert chosen == [[True, False, True]]
