"""What a terminal shows of a recommendation."""

from __future__ import annotations

import pytest

from algorithms.autoscaling.candidates import Candidate, candidate
from pipeline.experiments.autoscaling.answers import recommendation_text
from pipeline.experiments.autoscaling.recommendation.recommend import recommend
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked, waves

pytestmark = pytest.mark.unit


def test_the_answer_stands_in_the_table() -> None:
    """A refined choice may cost more than the best of its strategy, next to a knife's edge."""
    recommendation = recommend(waves(), 1.0, asked())
    best = recommendation.best_of_each
    other = next(each for each in recommendation.ranked if all(each.run != one.run for one in best))
    shown = recommendation._replace(answer=other).best_of_each
    assert shown == [other, *best]
    assert recommendation._replace(answer=best[0]).best_of_each == best


def test_what_costs_the_same_is_no_tie() -> None:
    recommendation = recommend(waves(), 1.0, asked(candidates=(Candidate("constant"),)))
    assert recommendation.answer is not None
    for factor, said in ((1.0, False), (0.9998, False), (0.98, True)):
        cost = recommendation.answer.cost._replace(mean=factor * recommendation.answer.cost.mean)
        tie = recommendation.answer._replace(cost=cost)
        words = " ".join(recommendation_text.decision(recommendation._replace(cheapest=tie)))
        assert ("too little for another way of scaling" in words) is said


def test_a_cheaper_value_of_the_same_parameter_is_no_other_way_of_scaling() -> None:
    """The answer is one step on its safe side."""
    recommendation = recommend(waves(), 1.0, asked(candidates=(Candidate("constant"),)))
    assert recommendation.answer is not None
    of_keda = [
        recommendation.answer._replace(
            run=recommendation.answer.run._replace(
                candidate=candidate("keda_hpa", threshold=threshold)
            ),
            cost=recommendation.answer.cost._replace(mean=cost),
        )
        for threshold, cost in ((100, 2.0), (120, 1.9))
    ]
    words = " ".join(
        recommendation_text.decision(
            recommendation._replace(answer=of_keda[0], cheapest=of_keda[1])
        )
    )
    assert "one step on the safe side" in words
    assert "another way of scaling" not in words
