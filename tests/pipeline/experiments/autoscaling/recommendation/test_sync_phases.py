"""Forms behind KEDA are simulated at several phases of the pod autoscaler's sync."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling.candidates import candidate
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    consumer_settings,
    recommendation_question,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit


def test_the_phase_with_the_most_late_events_counts() -> None:
    """A jump of the load is late by the time until the next sync."""
    rates = np.full((300, 4), 20.0)
    rates[100:] = 90.0
    bench, _ = recommendation_question.prepare(rates, 1.0, asked(Objective(99.0, 1.0)))
    run = Run(candidate("keda_http:headroom", h=1.2), consumer_settings.KAFKAS_DEFAULT)
    phases = candidate_outcomes._phased(bench, run)
    starts = [dict(each.candidate.parameters)["phase_s"] for each in phases]
    assert np.allclose(np.diff(starts), 15.0 / candidate_outcomes.PHASES)
    late = [candidate_outcomes.simulated(bench, each).late for each in phases]
    assert min(late) < max(late)
    assert candidate_outcomes.simulated(bench, run).late == max(late)
