"""What is in use is simpler than a change of it."""

from __future__ import annotations

import pytest

from algorithms.autoscaling.candidates import candidate
from pipeline.experiments.autoscaling.recommendation import consumer_settings, simplicity
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.unit

USUAL, *OTHERS = consumer_settings.COMPARED
ORDER = [
    Run(candidate("constant", initial_replicas=4), USUAL),
    Run(candidate("constant", initial_replicas=5), USUAL),
    Run(candidate("constant", initial_replicas=4), OTHERS[0]),
    Run(candidate("keda_hpa"), USUAL),
    Run(candidate("keda_hpa"), OTHERS[0]),
    Run(candidate("keda_prometheus"), USUAL),
    Run(candidate("keda_prometheus"), OTHERS[0]),
    Run(candidate("keda_http:headroom"), USUAL),
    Run(candidate("keda_external:headroom"), OTHERS[0]),
    Run(candidate("MWF"), USUAL),
]


def test_simpler_ones_come_first() -> None:
    question = asked(Objective(99.0, 1.0))._replace(today=4)
    assert [simplicity.tier(run, question) for run in ORDER] == list(range(10))


def test_ideal_forms_are_as_hard_to_run_as_a_controller() -> None:
    for name in ("headroom", "controller:headroom+placement"):
        run = Run(candidate(name), USUAL)
        assert simplicity.tier(run, asked(Objective(99.0, 1.0))) == simplicity.CONTROLLER


def test_both_queries_of_prometheus_are_as_simple() -> None:
    run, question = Run(candidate("keda_time_lag"), USUAL), asked(Objective(99.0, 1.0))
    assert simplicity.tier(run, question) == simplicity.PROMETHEUS


def test_consumers_in_use_are_those_that_the_user_names() -> None:
    question = asked(Objective(99.0, 1.0), settings={"assignor": OTHERS[0].assignor})
    kept = Run(candidate("keda_hpa"), simplicity.in_use(question))
    assert simplicity.tier(kept, question) == simplicity.KEDA
