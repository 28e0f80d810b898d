"""How much the shares of a recording change, and where that stands in the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation import (
    obstacles,
    share_growth,
    simulation_plan,
)
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit

HOUR = 3600


def one(text: str) -> Candidate:
    (parsed,) = candidates.parse(text, 4, 200.0, 5.0)
    return parsed


def moving(first: list[float], then: list[float]) -> np.ndarray:
    return np.repeat([first, then], HOUR, axis=0)


def test_constant_shares_do_not_grow() -> None:
    rates = np.linspace(100.0, 400.0, 2 * HOUR)[:, None] * np.array([0.1, 0.2, 0.3, 0.4])
    for assignor in ("range", "sticky"):
        assert share_growth.growth(rates, 1.0, 100.0, assignor) == pytest.approx(1.0)


def test_the_fullest_member_counts() -> None:
    # One of two members has 200 of 400 by mean shares, and 300 in each half.
    rates = moving([150.0, 150.0, 50.0, 50.0], [50.0, 50.0, 150.0, 150.0])
    assert share_growth.growth(rates, 1.0, 200.0, "range") == pytest.approx(1.5)
    # Neither a single member, nor four of which each has one partition, are the same.
    assert share_growth.growth(rates, 1.0, 400.0, "range") == pytest.approx(1.0)
    other = moving([150.0, 50.0, 150.0, 50.0], [50.0, 150.0, 50.0, 150.0])
    assert share_growth.growth(other, 1.0, 200.0, "range") == pytest.approx(1.0)


def test_quiet_parts_and_short_ones_do_not_count() -> None:
    busy, quiet = [100.0, 100.0], [30.0, 0.0]
    assert share_growth.growth(moving(busy, quiet), 1.0, 100.0, "range") < 1.15
    short = np.tile(moving([3.0, 1.0], [1.0, 3.0])[::60], (20, 1))
    assert share_growth.growth(short, 1.0, 2.0, "range") < 1.05


@pytest.mark.parametrize(("h", "is_refused"), [(1.4, True), (1.6, False)])
def test_growth_beyond_the_margin_is_an_obstacle(h: float, is_refused: bool) -> None:
    rates = moving([150.0, 150.0, 50.0, 50.0], [50.0, 50.0, 150.0, 150.0])
    chosen = one(f"keda_prometheus:h={h}")
    plan = simulation_plan.plan(rates, 1.0, asked(candidates=(chosen,)))
    settings = {"decision_s": 1.0, "assignor": "range"}
    obstacle = obstacles.obstacle(chosen, settings, plan.question.target)
    assert (obstacle is not None) == is_refused
    if obstacle is not None:
        assert "has 1.5 times its mean share, more than h=1.4" in obstacle
        assert "\n" not in obstacle


def test_shares_are_looked_at_only_where_they_matter() -> None:
    plan = simulation_plan.plan(np.ones((10, 4)), 1.0, asked())
    assert plan.question.target.growth == ()


@pytest.mark.parametrize(
    ("text", "settings", "target", "words"),
    [
        ("keda_prometheus", {}, Target(recorded=(("a", 2), ("b", 2))), "needs one topic"),
        ("keda_prometheus", {}, Target(unit="bytes/s"), "counts offsets"),
        ("keda_prometheus:sync_s=30", {}, Target(), "another sync period than 15 s"),
        ("keda_prometheus", {"cooldown_s": 5.0}, Target(), "needs a cooldown"),
        ("keda_prometheus:window_s=130", {}, Target(), "a multiple of scrape_s"),
        ("keda_prometheus:window_s=0.5:scrape_s=0.1", {}, Target(), None),
        ("keda_prometheus:tolerance_up=0", {}, Target(), "Kubernetes 1.35"),
        ("keda_prometheus:scale_down=0.5s", {}, Target(), "scale_down that Kubernetes"),
        ("keda_prometheus", {}, Target("b" * 55), "at most 54 characters"),
        ("keda_prometheus", {}, Target("b" * 54), None),
    ],
)
def test_what_a_query_cannot_do(
    text: str, settings: dict[str, Any], target: Target, words: str | None
) -> None:
    obstacle = obstacles.obstacle(one(text), {"decision_s": 1.0, **settings}, target)
    assert obstacle is None if words is None else obstacle is not None and words in obstacle
