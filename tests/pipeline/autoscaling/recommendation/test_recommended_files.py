"""Files of a recommendation: valid, and what was recommended."""

from __future__ import annotations

import json

import pytest
import yaml

from algorithms.autoscaling.candidates import Candidate
from pipeline.autoscaling.recommendation import (
    recommended_files,
)
from pipeline.autoscaling.recommendation.manifests import Target
from pipeline.autoscaling.recommendation.recommend import (
    recommend,
)
from pipeline.autoscaling.recommendation.service_objective import Objective
from pipeline.cli import recommendation_text
from tests.pipeline.autoscaling.recommendation.published_schemas import (
    DEPLOYMENT_PATCH,
    check_scaled_object,
)
from tests.pipeline.autoscaling.recommendation.recommendation_cases import (
    GOAL,
    asked,
    waves,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("goal", [GOAL, Objective(95.0, 60.0)])
@pytest.mark.parametrize("assignor", ["cooperative_sticky", "kip848_uniform"])
def test_files_say_what_was_recommended(goal: Objective, assignor: str) -> None:
    found = recommend(waves(), 1.0, asked(goal, settings={"assignor": assignor}))
    assert found.is_met
    assert found.answer is not None
    texts = recommended_files.texts(found, "wé\n", Target())
    assert set(texts) <= set(recommended_files.NAMES)
    assert (recommended_files.GROUP in texts) == (assignor == "kip848_uniform")
    assert all(text.isascii() for name, text in texts.items() if name.endswith("properties"))
    record = json.loads(texts[recommended_files.RECORD])
    assert record["answer"]["consumers"]["assignor"] == assignor
    if recommended_files.REPLICAS in texts:
        document = yaml.safe_load(texts[recommended_files.REPLICAS])
        DEPLOYMENT_PATCH(document, "")
        assert document["spec"]["replicas"] == found.answer.outcome.replicas
    else:
        document = yaml.safe_load(texts[recommended_files.SCALED_OBJECT])
        check_scaled_object(document)
        (trigger,) = document["spec"]["triggers"]
        threshold = dict(found.answer.run.candidate.parameters)["threshold"]
        assert trigger["metadata"]["lagThreshold"] == str(threshold)
    for name in (recommended_files.REPLICAS, recommended_files.SCALED_OBJECT):
        assert name not in texts or "--deployment" in texts[name]


@pytest.mark.parametrize(("heartbeat_s", "is_refused"), [(1.0, True), (5.0, False)])
def test_files_say_what_brokers_must_allow(heartbeat_s: float, is_refused: bool) -> None:
    settings = {"assignor": "kip848_uniform", "heartbeat_s": heartbeat_s}
    found = recommend(waves(), 1.0, asked(candidates=(Candidate("constant"),), settings=settings))
    texts = recommended_files.texts(found, "w", Target())
    comment = (
        "# Brokers refuse this heartbeat or session by default: set "
        "group.consumer.min.heartbeat.interval.ms=1000 on each broker first.\n"
    )
    assert (comment in texts[recommended_files.GROUP]) == is_refused
    assert "Brokers refuse" not in texts[recommended_files.CONSUMER]
    lines = [*recommendation_text.decision(found)]
    assert (comment[2:-1] in lines) == is_refused
