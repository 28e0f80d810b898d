"""Files of a strategy under our controller: valid, and what was simulated."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from algorithms.autoscaling.candidates import Candidate, candidate
from live.live_settings import LiveSettings
from live.strategy_kinds import Scaled, parse
from live.user_cluster import controlled_strategy
from pipeline.experiments.autoscaling.answers import recommendation_figures
from pipeline.experiments.autoscaling.recommendation import (
    controller_files,
    obstacles,
    recommended_files,
    simplicity,
    simulation_plan,
)
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.recommend import recommend
from pipeline.experiments.autoscaling.recommendation.recommendation_question import check_given
from tests.live.kubernetes import published_workloads
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import (
    asked,
    waves,
)

pytestmark = pytest.mark.unit

ONE = candidate("controller:headroom+placement", h=1.5, hold=20.0)
SETTINGS: dict[str, Any] = {
    "mu": 2e7,
    "min_replicas": 0,
    "max_replicas": 30,
    "decision_s": 1.0,
}
TARGET = Target(
    deployment="reader",
    namespace="shop",
    servers="kafka:9092",
    recorded=(("clicks", 12),),
    unit="bytes/s",
)


def objects(**changed: Any) -> dict[str, Any]:
    every = controller_files.objects(ONE, {**SETTINGS, **changed}, TARGET, 12, 5.0)
    return {document["kind"]: document for document in every}


def test_kubernetes_accepts_them() -> None:
    every = objects()
    for document in every.values():
        published_workloads.check(document)
        assert document["metadata"]["namespace"] == "shop"
    kinds = ["ServiceAccount", "Role", "RoleBinding", "ConfigMap", "Service", "StatefulSet"]
    assert list(every) == [*kinds, "Deployment"]


def test_the_controller_gets_what_was_simulated() -> None:
    every = objects()
    (container,) = every["Deployment"]["spec"]["template"]["spec"]["containers"]
    label, stateful_set = container["command"][-2:]
    assert label == (
        "controller:headroom+placement:h=1.5:hold=20.0:initial_replicas=5:max_replicas=12"
        ":min_replicas=1"
    )
    assert stateful_set == every["StatefulSet"]["metadata"]["name"] == "reader-consumers"
    settings = LiveSettings(**json.loads(every["ConfigMap"]["data"]["settings.json"]))
    assert (settings.run, settings.bootstrap, settings.partitions) == ("reader", "kafka:9092", 12)
    assert (settings.capacity, settings.consumer_rate) == (2e7, 2e7)
    # As its process will read them.
    controlled_strategy.check(label, settings)
    assert parse(label, 12) == Scaled(label)


def test_more_than_the_peak_is_not_begun_with() -> None:
    text = controller_files.strategy(ONE, {**SETTINGS, "max_replicas": 4}, 12, 5.0)
    assert ":initial_replicas=4:max_replicas=4:" in text


def test_it_can_be_deployed() -> None:
    check_given({}, [ONE])
    assert obstacles.obstacle(ONE, SETTINGS, TARGET) is None


@pytest.mark.parametrize(
    ("changed", "settings", "words"),
    [
        ({"unit": "messages/s"}, {}, "needs a recording in bytes/s"),
        ({"recorded": (("a", 3), ("b", 3))}, {}, "needs one topic"),
        ({"recorded": (("a", 201),)}, {}, "needs at most 200 partitions"),
        ({"deployment": "reader.eu"}, {}, "needs a --deployment of at most 40 lowercase letters"),
        ({}, {"max_replicas": 41}, "needs at most 40 replicas"),
        ({}, {"mu": 100.0}, "needs consumers of 1,000 to 40,000,000 bytes/s"),
        ({}, {"cooldown_s": 5.0}, "needs no cooldown"),
        ({}, {"decision_s": 30.0}, "needs shorter steps than its look_s"),
    ],
)
def test_what_cannot_be_deployed(
    changed: dict[str, Any], settings: dict[str, Any], words: str
) -> None:
    said = obstacles.obstacle(ONE, {**SETTINGS, **settings}, TARGET._replace(**changed))
    assert said is not None
    assert said.startswith(words)


@pytest.mark.slow
def test_files_say_what_was_recommended() -> None:
    """No consumer is a member of a group of Kafka's, so that there are no settings of one."""
    chosen = candidate("controller:headroom+placement", h=1.5)
    target = TARGET._replace(recorded=(("clicks", 4),))
    question = asked(candidates=(chosen,), mu=2e7, target=target)
    recommendation = recommend(waves() * 1e5, 1.0, question)
    assert recommendation.is_met
    answer = recommendation.answer
    assert answer is not None
    assert answer.run.candidate == chosen
    assert answer.tier == simplicity.CONTROLLER
    texts = recommended_files.texts(recommendation, "waves", target)
    names = {controller_files.OBJECTS, "README.md", recommended_files.RECORD}
    assert set(texts) == names <= set(recommended_files.NAMES)
    for document in yaml.safe_load_all(texts[controller_files.OBJECTS]):
        published_workloads.check(document)


def test_a_strategy_that_decides_on_lags_cannot_be_deployed() -> None:
    one = Candidate("controller:threshold+placement")
    said = obstacles.obstacle(one, SETTINGS, TARGET)
    assert said == "needs a strategy that decides on rates, of constant, ds2, headroom, linear"


def test_the_readme_is_one_screen() -> None:
    text = controller_files.readme(ONE, TARGET)
    assert text.startswith("# controller:headroom+placement:h=1.5:hold=20.0 for reader\n")
    assert text.count("\n") <= 40
    assert max(map(len, text.splitlines())) <= 100
    for name in ("gs.reader.data", "reader-consumers", "reader-controller", "--namespace shop"):
        assert name in text
    assert "{" not in text


@pytest.mark.parametrize(("unit", "is_tried"), [("bytes/s", True), ("messages/s", False)])
def test_the_controller_is_tried_for_bytes(unit: str, is_tried: bool) -> None:
    question = asked(candidates=(), mu=2e7, target=TARGET._replace(unit=unit))
    planned = simulation_plan.plan(waves() * 1e5, 1.0, question)
    tried = {run.candidate.strategy for run in planned.eligible}
    assert (ONE.strategy in tried) == is_tried


def test_what_places_partitions_has_no_assignor() -> None:
    question = asked(candidates=(Candidate("headroom+placement"), Candidate("headroom")))
    ranked = recommend(waves(), 1.0, question).ranked
    names = [recommendation_figures.name(each) for each in ranked]
    assert any(name.startswith("headroom+placement") and "assignor" not in name for name in names)
    assert any(name.startswith("headroom with assignor") for name in names)
