"""Questions that no recommendation can answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.inference.simplest_choice import Rule
from algorithms.inference.week_draws import Spread
from algorithms.simulation.group_costs import Prices
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation.recommend import (
    recommend,
)
from pipeline.experiments.autoscaling.recommendation.recommendation_question import check_given
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import (
    asked,
    waves,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prices": Prices(0.0)}, "replica_cost"),
        ({"rule": Rule(confidence=1.0)}, "confidence"),
        ({"rule": Rule(worth=-0.1)}, "worth"),
        ({"spread": Spread(0.0)}, "day_spread"),
        ({"today": 0}, "today"),
        ({"settings": {"startup_s": -1.0}}, "startup_s must"),
        ({"settings": {"protocol": "eager"}}, "protocol"),
        ({"mu": 0.0}, "mu"),
        ({"mu": 0.05}, r"latency of `--slo` must be at least 10 s with --mu 0.05, .*got 5 s"),
        ({"candidates": (candidate("linear", f_up=2.0),)}, "linear:f_up=2.0: f_up must be"),
        (
            {"settings": {"drain_limit_s": 1e304}},
            "drain_limit_s 1e.304, events × s must be at most",
        ),
        (
            {"candidates": (candidate("linear", initial_replicas="abc"),)},
            "initial_replicas must be an integer",
        ),
    ],
)
def test_wrong_questions(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recommend(waves(), 1.0, asked(**changes))


def test_a_workload_without_events_is_refused() -> None:
    with pytest.raises(InputError, match="workload must have events"):
        recommend(np.zeros((5, 2)), 1.0, asked())


@pytest.mark.parametrize(
    ("settings", "candidates", "message"),
    [
        ({"mu": 5.0}, (), "--set mu=5.0: use --mu instead"),
        ({"wsla_s": 5.0}, (), "--set wsla_s=5.0: use --slo instead"),
        ({}, (candidate("linear", mu=5.0),), r"--strategy linear:mu=5.0: mu is .* use --mu"),
        ({}, (candidate("linear", assignor="range"),), "use --set assignor=… instead"),
    ],
)
def test_settings_that_are_given_otherwise(
    settings: dict[str, Any], candidates: tuple[Candidate, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        check_given(settings, candidates)
    check_given({"startup_s": 3.0}, (candidate("linear", decision_s=5.0),))
