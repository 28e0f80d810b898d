"""Partitions that decide the size, and what splitting them saves."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.autoscaling.recommendation import (
    deciding_partitions,
    recommendation_question,
)
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("rates", "named"),
    [
        ([10.0, 10.0, 10.0], []),
        ([10.0, 71.0, 10.0], [1]),
        ([10.0, 70.0, 10.0], []),
        ([1.0] * 9 + [20.0], [9]),
        ([80.0, 10.0, 10.0, 90.0], [3, 0]),
        ([0.0, 0.0], []),
    ],
)
def test_which_are_named(rates: list[float], named: list[int]) -> None:
    partitions = deciding_partitions.deciding(np.array([rates, rates]), 100.0)
    assert [each.column for each in partitions] == named


def test_what_splitting_saves() -> None:
    """One partition of 75 takes a member of its own; in two parts it fits beside others."""
    rates = np.tile([25.0, 75.0, 25.0, 25.0, 50.0, 30.0], (20, 1))
    question = asked(Objective(99.0, 1.0), mu=90.0, within_step=0.0)
    bench, _ = recommendation_question.prepare(rates, 60.0, question)
    # The hot one needs a member of its own, so that all have.
    splitting = deciding_partitions.splitting(bench, question, 6, bench.rates)
    assert splitting is not None
    assert [each.column for each in splitting.partitions] == [1]
    # Its other half is at the end: blocks of 87.5, 75 and 67.5.
    assert (splitting.before, splitting.after) == (6, 3)
    assert deciding_partitions.splitting(bench, question._replace(mu=1e4), 6, bench.rates) is None


def test_halves_stay_in_their_topic() -> None:
    rates = np.tile([80.0, 10.0, 10.0, 90.0], (20, 1))
    question = asked(Objective(99.0, 1.0), mu=100.0, topics=(2, 2), within_step=0.0)
    bench, _ = recommendation_question.prepare(rates, 60.0, question)
    split = deciding_partitions._split(bench, np.array([True, False, False, True]))
    assert split.topics == (3, 3)
    assert split.rates[0].tolist() == [40.0, 10.0, 40.0, 10.0, 45.0, 45.0]


def test_what_is_assumed_within_a_step_names_no_partition() -> None:
    """Recorded are 60 of 90, which varies far above within each minute."""
    rates = np.full((20, 4), 60.0)
    question = asked(Objective(99.0, 1.0), mu=90.0, within_step=0.5)
    bench, _ = recommendation_question.prepare(rates, 60.0, question)
    assert bench.rates.max() > 0.7 * 90.0
    assert deciding_partitions.splitting(bench, question, 4, rates) is None
