"""Where scale to zero is a candidate: where a recording has no events for longer than it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.strategies import inner_of
from algorithms.simulation.group_costs import BlockTotals
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    screened_candidates,
    simulation_plan,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    CandidateOutcome,
    Run,
)
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit

STEP_S = 30.0


def idle_for(seconds: float) -> Any:
    rates = np.full((60, 2), 40.0)
    rates[10 : 10 + int(seconds / STEP_S)] = 0.0
    return rates


def planned(seconds: float, **changes: Any) -> simulation_plan.RecommendationPlan:
    return simulation_plan.plan(idle_for(seconds), STEP_S, asked(**{"candidates": (), **changes}))


def to_zero(plan: simulation_plan.RecommendationPlan) -> list[Run]:
    return [run for run in plan.eligible if run.candidate.settings.get("min_replicas") == 0]


def test_every_form_is_tried_where_a_recording_is_idle_for_long() -> None:
    forms = [each for each in candidate_grid.compared(2, 200.0, 5.0) if inner_of(each.strategy)]
    plan = planned(630.0)
    assert len(to_zero(plan)) == len(forms) * len(plan.kinds) > 0
    assert to_zero(planned(600.0)) == []


@pytest.mark.parametrize("least", [0, 1, 2])
def test_what_the_user_sets_is_tried_alone(least: int) -> None:
    assert to_zero(planned(900.0, settings={"min_replicas": least})) == []


def test_named_candidates_are_tried_alone() -> None:
    assert to_zero(planned(900.0, candidates=(Candidate("keda_http:linear"),))) == []


@pytest.mark.parametrize(("settings", "delay_s"), [({}, 3.0), ({"initial_rebalance_s": 1.0}, 1.0)])
def test_members_of_an_empty_group_wait_for_the_brokers(settings: Any, delay_s: float) -> None:
    plan = planned(630.0, settings={"heartbeat_s": 0.5, **settings})
    own = candidate_outcomes.settings_of(plan.bench, to_zero(plan)[0])
    assert (own["min_replicas"], own["initial_rebalance_s"]) == (0, delay_s)
    others = candidate_outcomes.settings_of(plan.bench, plan.eligible[0])
    assert others.get("initial_rebalance_s") == settings.get("initial_rebalance_s")


def outcome(cost: float) -> CandidateOutcome:
    one = np.ones(1)
    totals = BlockTotals(**{**dict.fromkeys(BlockTotals._fields, one), "cost": cost * one})
    return CandidateOutcome({}, totals._replace(late=0.0 * one), 0.0, 1.0, 1.0, 0.0, 0.0)


def test_groups_that_always_have_a_replica_are_not_crowded_out() -> None:
    """Those without are cheaper on the recording; which are in time in a week is not known yet."""
    runs = planned(630.0).eligible
    zero = to_zero(planned(630.0))
    costs = {run: outcome(1.0 if run in zero else 2.0) for run in runs}
    found = screened_candidates.finalists(costs, 0.01)
    forms = [run for run in found if inner_of(run.candidate.strategy)]
    assert [run in zero for run in forms] == [False, False, True, True]
