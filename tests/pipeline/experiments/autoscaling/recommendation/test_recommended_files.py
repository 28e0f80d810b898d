"""Files of a recommendation: valid, and what was recommended."""

from __future__ import annotations

import json

import pytest
import yaml

from algorithms.autoscaling.candidates import Candidate, candidate
from pipeline.experiments.autoscaling.answers import recommendation_text
from pipeline.experiments.autoscaling.recommendation import (
    recommended_files,
)
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.recommend import (
    recommend,
)
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import (
    DEPLOYMENT_PATCH,
    check_scaled_object,
)
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import (
    GOAL,
    asked,
    waves,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("goal", [GOAL, Objective(95.0, 60.0)])
@pytest.mark.parametrize("assignor", ["cooperative_sticky", "kip848_uniform"])
def test_files_say_what_was_recommended(goal: Objective, assignor: str) -> None:
    recommendation = recommend(waves(), 1.0, asked(goal, settings={"assignor": assignor}))
    assert recommendation.is_met
    assert recommendation.answer is not None
    texts = recommended_files.texts(recommendation, "wé\n", Target())
    assert set(texts) <= set(recommended_files.NAMES)
    assert (recommended_files.GROUP in texts) == (assignor == "kip848_uniform")
    assert all(text.isascii() for name, text in texts.items() if name.endswith("properties"))
    record = json.loads(texts[recommended_files.RECORD])
    assert record["answer"]["consumers"]["assignor"] == assignor
    if recommended_files.REPLICAS in texts:
        document = yaml.safe_load(texts[recommended_files.REPLICAS])
        DEPLOYMENT_PATCH(document, "")
        assert document["spec"]["replicas"] == recommendation.answer.outcome.replicas
    else:
        document = yaml.safe_load(texts[recommended_files.SCALED_OBJECT])
        check_scaled_object(document)
        (trigger,) = document["spec"]["triggers"]
        threshold = dict(recommendation.answer.run.candidate.parameters)["threshold"]
        assert trigger["metadata"]["lagThreshold"] == str(threshold)
    for name in (recommended_files.REPLICAS, recommended_files.SCALED_OBJECT):
        assert name not in texts or "--deployment" in texts[name]


@pytest.mark.parametrize(("heartbeat_s", "is_refused"), [(1.0, True), (5.0, False)])
def test_files_say_what_brokers_must_allow(heartbeat_s: float, is_refused: bool) -> None:
    settings = {"assignor": "kip848_uniform", "heartbeat_s": heartbeat_s}
    recommendation = recommend(
        waves(), 1.0, asked(candidates=(Candidate("constant"),), settings=settings)
    )
    texts = recommended_files.texts(recommendation, "w", Target())
    comment = (
        "# Brokers refuse this heartbeat or session by default: set "
        "group.consumer.min.heartbeat.interval.ms=1000 on each broker first.\n"
    )
    assert (comment in texts[recommended_files.GROUP]) == is_refused
    assert "Brokers refuse" not in texts[recommended_files.CONSUMER]
    lines = [*recommendation_text.decision(recommendation)]
    assert (comment[2:-1] in lines) == is_refused


def test_a_scaled_object_says_what_its_trigger_counts() -> None:
    keda = candidate("keda_hpa", threshold=100, tolerance_up=0.2)
    for recorded, assignor, expected, missing in [
        ((("clicks", 4),), "range", ["topic clicks.", "also need version", "1.35"], []),
        ((("clicks", 1), ("views", 3)), "kip848_uniform", ["(clicks, views) together"], ["also"]),
        ((), "range", ["all topics of the workload together"], []),
    ]:
        settings = {"assignor": assignor}
        recommendation = recommend(waves(), 1.0, asked(candidates=(keda,), settings=settings))
        texts = recommended_files.texts(recommendation, "w", Target(recorded=recorded))
        comments = " ".join(
            line for line in texts[recommended_files.SCALED_OBJECT].splitlines() if line[0] == "#"
        )
        assert all(each in comments for each in expected)
        assert not any(each in comments for each in missing)


def test_who_commits_is_said() -> None:
    recommendation = recommend(waves(), 1.0, asked(candidates=(Candidate("constant"),)))
    by_client = recommended_files.texts(recommendation, "w", Target())[recommended_files.CONSUMER]
    assert "\nauto.commit.interval.ms=5000\n" in by_client
    assert "\nenable.auto.commit" not in by_client
    by_program = recommended_files.texts(recommendation, "w", Target(), "batch")[
        recommended_files.CONSUMER
    ]
    assert "auto.commit.interval.ms=" not in by_program
    assert "commits by the program after each batch" in by_program


@pytest.mark.parametrize(("unit", "is_deployed"), [("bytes/s", False), ("events/s", True)])
def test_keda_is_not_deployed_for_bytes(unit: str, is_deployed: bool) -> None:
    keda = candidate("keda_hpa", threshold=100)
    question = asked(candidates=(keda,), target=Target(unit=unit))
    assert (recommend(waves(), 1.0, question).answer is not None) == is_deployed
