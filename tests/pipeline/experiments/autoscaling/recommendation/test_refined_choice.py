"""Choices are refined around their winner."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.autoscaling.candidates import candidate
from algorithms.inference.next_week import DayOutcomes, NextWeek
from algorithms.inference.simplest_choice import Choice
from pipeline.experiments.autoscaling.recommendation import consumer_settings, refined_choice
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Evidence
from pipeline.experiments.autoscaling.recommendation.refined_choice import Judgement

pytestmark = pytest.mark.unit

KIND = consumer_settings.KAFKAS_DEFAULT
GRID = (50, 100, 200, 400)


def run(threshold: int) -> Run:
    return Run(candidate("keda_hpa", threshold=threshold), KIND)


class Group:
    """Costs fall with the threshold, until the objective is broken above `most`."""

    def __init__(self, most: float, power: float) -> None:
        self.most, self.power = most, power
        self.runs = [run(threshold) for threshold in GRID]

    def judged(self, more: tuple[Run, ...] = ()) -> Judgement:
        self.runs += [each for each in more if each not in self.runs]
        values = np.array([float(each.candidate.arguments["threshold"]) for each in self.runs])
        keeps = values <= self.most
        cost = values**-self.power
        week = NextWeek(np.where(keeps, 1.0, 0.5), np.zeros((len(values), 1)), cost[:, None])
        pick = int(np.where(keeps, cost, math.inf).argmin())
        days = DayOutcomes(*(np.zeros(0) for _ in range(5)))
        evidence = Evidence(
            tuple(self.runs), (), (), np.zeros(0, np.int64), days, week, keeps, 0.01
        )  # fmt: skip
        return Judgement(evidence, Choice(pick, pick))

    def refined(self) -> int:
        judged = refined_choice.refined(self.judged(), tuple(self.runs), self.judged)
        threshold: int = judged.evidence.runs[judged.choice.pick].candidate.arguments["threshold"]
        return threshold


def test_a_better_threshold_lies_between_those_of_the_grid() -> None:
    """200 is the best of the grid; 367 is better, but 400 breaks the objective: one step less."""
    assert Group(390.0, 1.0).refined() == 337


def test_a_winner_on_the_edge_moves_to_the_safe_side() -> None:
    """Thresholds above 100 break the objective: the answer lies below."""
    group = Group(100.0, 1.0)
    assert group.judged().evidence.runs[group.judged().choice.pick] == run(100)
    assert group.refined() == round(100 / 2**0.125)


def test_alike_neighbours_end_the_search() -> None:
    group = Group(1e9, 0.01)
    assert group.refined() == 400
    assert len(group.runs) == len(GRID) + 2


def test_values_that_the_user_named_are_left() -> None:
    group = Group(150.0, 1.0)
    first = group.judged()
    judged = refined_choice.refined(first, (run(100), run(200)), group.judged)
    assert judged is first


def test_candidates_without_a_continuous_parameter_have_no_neighbours() -> None:
    assert refined_choice.neighbours(Run(candidate("constant"), KIND), 2.0) == ()
    assert refined_choice.neighbours(Run(candidate("keda_hpa"), KIND), 2.0) == ()
    assert refined_choice.neighbours(run(1), 1.1) == ()
    both = refined_choice.neighbours(Run(candidate("headroom", h=1.5), KIND), 1.5)
    assert [each.candidate.arguments["h"] for each in both] == [1.0, 2.25]
