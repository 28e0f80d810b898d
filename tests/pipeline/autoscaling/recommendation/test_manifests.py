"""Manifests: valid by the published schemas, and saying what was simulated."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate, candidate, sweep
from algorithms.autoscaling.scaling_policies import SCALE_DOWN, SCALE_UP, Behaviour, Policy
from pipeline.autoscaling.recommendation import manifests
from pipeline.autoscaling.recommendation.manifests import Target
from pipeline.errors import InputError
from tests.pipeline.autoscaling.recommendation.published_schemas import (
    DEPLOYMENT_PATCH,
    Refused,
    check_scaled_object,
)

pytestmark = pytest.mark.unit

SETTINGS = {"min_replicas": 1, "max_replicas": 9, "decision_s": 15.0}
TARGET = Target("reader", "events", "kafka-0:9092,kafka-1:9092", "readers", "clicks")


def rules(document: dict[str, Any], direction: str) -> dict[str, Any]:
    behaviour = document["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    found: dict[str, Any] = behaviour[direction]
    return found


def test_a_scaled_object_says_what_was_simulated() -> None:
    behaviour = Behaviour(60.0, "Min", (Policy("Pods", 2, 30.0), Policy("Percent", 50, 15.0)))
    chosen = candidate(
        "keda_hpa", threshold=50, ensure_even=True, scale_down=behaviour, activation=3,
        polling_s=20.0, idle_s=120.0, tolerance_down=0.25,
    )  # fmt: skip
    document = manifests.scaled_object(chosen, SETTINGS, TARGET)
    check_scaled_object(document)
    assert document["metadata"] == {"name": "reader", "namespace": "events"}
    spec = document["spec"]
    assert spec["scaleTargetRef"]["name"] == "reader"
    assert (spec["pollingInterval"], spec["cooldownPeriod"]) == (20, 120)
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (1, 9)
    (trigger,) = spec["triggers"]
    assert trigger["metadata"] == {
        "bootstrapServers": "kafka-0:9092,kafka-1:9092",
        "consumerGroup": "readers",
        "topic": "clicks",
        "lagThreshold": "50",
        "activationLagThreshold": "3",
        "allowIdleConsumers": "false",
        "limitToPartitionsWithLag": "false",
        "ensureEvenDistributionOfPartitions": "true",
        "excludePersistentLag": "false",
    }
    assert rules(document, "scaleDown") == {
        "stabilizationWindowSeconds": 60,
        "selectPolicy": "Min",
        "policies": [
            {"type": "Pods", "value": 2, "periodSeconds": 30},
            {"type": "Percent", "value": 50, "periodSeconds": 15},
        ],
        "tolerance": "0.25",
    }
    # Clusters before Kubernetes 1.33 refuse a tolerance, so that the default is left out.
    assert "tolerance" not in rules(document, "scaleUp")


@pytest.mark.parametrize("mu", [0.001, 3.0, 200.0, 1e12])
def test_every_candidate_of_the_grid_can_be_deployed(mu: float) -> None:
    """Thresholds follow the rate of a consumer, and stay within what KEDA reads."""
    grid = candidate_grid.compared(9, mu, 0.5)
    deployable = [each for each in grid if manifests.obstacle(each, SETTINGS) is None]
    assert {each.strategy for each in deployable} == {"constant", "keda_hpa"}
    assert set(sweep("keda_hpa", 9, mu, 0.5)) <= set(deployable)
    for each in deployable:
        if each.strategy == "keda_hpa":
            check_scaled_object(manifests.scaled_object(each, SETTINGS, Target()))


@pytest.mark.parametrize(
    ("chosen", "settings", "reason"),
    [
        (Candidate("linear"), {}, "needs a controller that runs this strategy"),
        (Candidate("keda_hpa"), {"decision_s": 30.0}, "needs another sync period than 15 s"),
        (Candidate("keda_hpa"), {"cooldown_s": 10.0}, "needs a cooldown"),
        (candidate("keda_hpa", idle_s=0.5), {}, "needs fractions of a second"),
        (
            candidate("keda_hpa", scale_up=SCALE_UP._replace(window_s=3601.0)),
            {},
            "needs a scale_up that Kubernetes does not accept",
        ),
        (
            candidate("keda_hpa", scale_down=SCALE_DOWN._replace(window_s=0.5)),
            {},
            "needs a scale_down that Kubernetes does not accept",
        ),
        (
            candidate("keda_hpa", scale_up=Behaviour(0.0, "Max", (Policy("Pods", 0, 15.0),))),
            {},
            "needs a scale_up",
        ),
        (
            candidate("keda_hpa", scale_up=Behaviour(0.0, "Max", (Policy("Pods", 1, 1801.0),))),
            {},
            "needs a scale_up",
        ),
    ],
)
def test_what_cannot_be_deployed(chosen: Candidate, settings: dict[str, Any], reason: str) -> None:
    obstacle = manifests.obstacle(chosen, {**SETTINGS, **settings})
    assert obstacle is not None
    assert obstacle.startswith(reason)


def test_a_direction_that_is_disabled_needs_no_policies() -> None:
    chosen = candidate("keda_hpa", scale_down=Behaviour(0.0, "Disabled", ()))
    assert manifests.obstacle(chosen, SETTINGS) is None
    document = manifests.scaled_object(chosen, SETTINGS, TARGET)
    check_scaled_object(document)
    assert rules(document, "scaleDown") == {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Disabled",
    }


def test_a_patch_sets_the_replicas() -> None:
    document = manifests.deployment_patch(7, TARGET)
    DEPLOYMENT_PATCH(document, "")
    assert document["spec"] == {"replicas": 7}
    DEPLOYMENT_PATCH(manifests.deployment_patch(1, Target()), "")


BROKEN = {
    "a number in metadata": lambda d: d["spec"]["triggers"][0]["metadata"].update(lagThreshold=5),
    "an unknown field": lambda d: d["spec"].update(minReplicas=1),
    "a misplaced behaviour": lambda d: d["spec"].update(behavior={}),
    "a period too long": lambda d: rules(d, "scaleUp")["policies"][0].update(periodSeconds=1801),
    "a value of nothing": lambda d: rules(d, "scaleUp")["policies"][0].update(value=0),
    "a window too long": lambda d: rules(d, "scaleUp").update(stabilizationWindowSeconds=3601),
    "a fraction": lambda d: rules(d, "scaleDown").update(stabilizationWindowSeconds=0.5),
    "no triggers": lambda d: d["spec"].update(triggers=[]),
    "bounds the wrong way": lambda d: d["spec"].update(minReplicaCount=10),
    "a wrong name": lambda d: d["metadata"].update(name="My_Consumer"),
    "two limits": lambda d: d["spec"]["triggers"][0]["metadata"].update(
        allowIdleConsumers="true", limitToPartitionsWithLag="true"
    ),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_the_schema_refuses_what_kubernetes_refuses(change: Any) -> None:
    """Otherwise the tests above would say nothing."""
    document = manifests.scaled_object(Candidate("keda_hpa"), SETTINGS, TARGET)
    check_scaled_object(document)
    broken = copy.deepcopy(document)
    change(broken)
    with pytest.raises(Refused):
        check_scaled_object(broken)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Target(deployment="Reader"), r"`--deployment` must be lowercase.*\(got 'Reader'\)"),
        (Target(deployment="a" * 64), "`--deployment` must be"),
        (Target(namespace="a.b"), "`--namespace` must be"),
        (Target(servers="kafka"), "`--bootstrap-servers` must be HOST:PORT"),
        (Target(servers="kafka:9092,"), "`--bootstrap-servers` must be"),
        (Target(group=""), "`--group` must be printable"),
        (Target(topic="a b"), "`--topic` must be letters"),
    ],
)
def test_wrong_names(target: Target, message: str) -> None:
    with pytest.raises(InputError, match=message):
        manifests.check_target(target)
    assert manifests.check_target(TARGET) == TARGET
    assert manifests.check_target(Target()) == Target()
