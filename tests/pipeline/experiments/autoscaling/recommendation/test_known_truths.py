"""Workloads whose answer is known by construction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.inference.week_draws import Spread
from pipeline.experiments.autoscaling.recommendation.recommend import recommend
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = [pytest.mark.unit, pytest.mark.slow]

STEADY: dict[str, Any] = {"spread": Spread(1e-3, 1e6), "within_step": 0.0}
"""Neither days differ nor does the load within steps: the recording decides."""

TIGHT = Objective(99.0, 1.0)
CONSTANT = (Candidate("constant"),)


def steady(rates: list[float], steps: int = 30) -> np.ndarray:
    return np.tile(np.array(rates), (steps, 1))


def test_three_topics_of_40_partitions_need_8_and_not_12() -> None:
    """Topic a has twice the rate. A member of 8 has 5 partitions of each topic, 20 in all.

    Taken as one topic, whole members would have partitions of topic a alone.
    """
    rates = steady([2.0] * 40 + [1.0] * 80)
    question = asked(TIGHT, mu=20.5, candidates=CONSTANT, **STEADY)
    topics = recommend(rates, 60.0, question._replace(topics=(40, 40, 40)))
    assert topics.counts[0].kept[0] == topics.counts[0].lasting == 8
    assert topics.counts[0].most == 40
    assert topics.answer is not None
    assert topics.answer.run.candidate == candidate("constant", initial_replicas=8)
    assert topics.answer.run.consumers.assignor == "range"
    assert recommend(rates, 60.0, question).counts[0].kept[0] == 12
    names = [name for name, _ in topics.usual]
    assert names[3] == "one replica per partition of the largest topic, range"
    keda = dict(topics.usual)["KEDA's defaults, range"]
    assert keda.outcome.settings["max_replicas"] == 100


def test_fewer_can_be_enough_where_more_are_not() -> None:
    """Two hot neighbours: 3 and 6 members part them, 4 and 5 do not."""
    hot = [5.0] * 3 + [50.0, 50.0] + [5.0] * 7
    recommendation = recommend(
        steady(hot), 60.0, asked(TIGHT, mu=80.0, candidates=CONSTANT, **STEADY)
    )
    counts = recommendation.counts[0]
    assert counts.kept == (3, *range(6, 13))
    assert counts.failing_above == (4, 5)
    default = dict(recommendation.usual)["constant replicas, range"]
    assert default.run.candidate == candidate("constant", initial_replicas=3)
    # Uniform assignment parts the hot ones with two members.
    assert recommendation.answer is not None
    assert recommendation.answer.run.candidate == candidate("constant", initial_replicas=2)


def test_each_assignor_has_its_own_least_number() -> None:
    """Every other partition is hot: round robin over an even number of members is the worst."""
    rates = steady([40.0, 1.0] * 6)
    question = asked(TIGHT, mu=85.0, candidates=CONSTANT, **STEADY)
    least = {
        assignor: recommend(
            rates, 60.0, question._replace(settings={"assignor": assignor})
        ).counts[0].kept[0]
        for assignor in ("range", "roundrobin")
    }  # fmt: skip
    # Blocks of four have two hot ones; of three members, each gets two hot and two cold ones.
    assert least == {"range": 3, "roundrobin": 3}
    robin = recommend(rates, 60.0, question._replace(settings={"assignor": "roundrobin"}))
    assert 4 in robin.counts[0].failing_above


def test_a_group_that_is_sized_right_today_is_left_as_it_is() -> None:
    rates = steady([30.0] * 8)
    question = asked(TIGHT, mu=65.0, candidates=(*CONSTANT, Candidate("keda_hpa")), **STEADY)
    for today, change in ((4, 0), (5, -1), (3, 1)):
        recommendation = recommend(rates, 60.0, question._replace(today=today))
        assert recommendation.answer is not None
        assert recommendation.today is not None
        assert recommendation.answer.run.candidate.settings["initial_replicas"] == today + change
        assert (recommendation.answer.run == recommendation.today.run) == (change == 0)
        assert recommendation.today.cost.mean == today


def test_one_replica_too_many_is_left_where_it_is_not_worth_a_change() -> None:
    """A thirtieth of the cost is less than --worth."""
    rates = steady([30.0] * 60)
    question = asked(TIGHT, mu=61.0, candidates=CONSTANT, **STEADY, today=31)
    recommendation = recommend(rates, 60.0, question)
    assert recommendation.answer is not None
    assert recommendation.answer.run.candidate == candidate("constant", initial_replicas=31)
    assert recommendation.cheapest is not None
    assert recommendation.cheapest.run.candidate == candidate("constant", initial_replicas=30)


def test_a_nightly_batch_is_scaled() -> None:
    """22 hours without events: KEDA pays for the night only, since minutes of wait are allowed."""
    rates = np.zeros((1440, 24))
    rates[60:180] = 50.0 / 3.0
    goal = Objective(95.0, 1200.0)
    question = asked(goal, mu=100.0, candidates=(*CONSTANT, Candidate("keda_hpa")))
    recommendation = recommend(rates, 60.0, question)
    assert recommendation.answer is not None
    assert recommendation.answer.run.candidate.strategy == "keda_hpa"
    assert recommendation.answer.keeps
    constant = dict(recommendation.usual)["constant replicas, range"]
    assert recommendation.answer.cost.mean < 0.7 * constant.cost.mean
