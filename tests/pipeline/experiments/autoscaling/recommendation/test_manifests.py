"""Manifests: valid by the published schemas, and saying what was simulated."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate, candidate, sweep
from algorithms.autoscaling.scaling_policies import SCALE_DOWN, SCALE_UP, Behaviour, Policy
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import (
    consumer_settings,
    manifests,
    obstacles,
)
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import (
    DEPLOYMENT_PATCH,
    Refused,
    check_scaled_object,
)

pytestmark = pytest.mark.unit

SETTINGS = {"min_replicas": 1, "max_replicas": 9, "decision_s": 15.0}
TARGET = Target("reader", "events", "kafka-0:9092,kafka-1:9092", "readers", "clicks")


def rules(document: dict[str, Any], direction: str) -> dict[str, Any]:
    behaviour = document["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    scaling: dict[str, Any] = behaviour[direction]
    return scaling


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
    deployable = [each for each in grid if obstacles.obstacle(each, SETTINGS) is None]
    assert {each.strategy for each in deployable} == {
        "constant",
        "keda_hpa",
        "keda_http:headroom",
        "keda_http:linear",
        "keda_prometheus",
    }
    assert set(sweep("keda_hpa", 9, mu, 0.5)) <= set(deployable)
    for each in deployable:
        if each.strategy == "keda_hpa":
            check_scaled_object(manifests.scaled_object(each, SETTINGS, Target()))


@pytest.mark.parametrize(
    ("chosen", "settings", "reason"),
    [
        (Candidate("MWF"), {}, "needs a controller that runs this strategy"),
        (
            Candidate("linear"),
            {},
            "is the ideal form, without a pod autoscaler: what can be deployed is keda_http:linear",
        ),
        (
            candidate("keda_http:linear", sync_s=5.0),
            {"decision_s": 1.0},
            "needs another sync period than 15 s",
        ),
        (Candidate("headroom+placement"), {}, "needs a controller that runs this strategy"),
        (Candidate("mpc"), {}, "needs a controller that runs this strategy"),
        (Candidate("controller:headroom+placement"), {}, "needs a recording in bytes/s"),
        (Candidate("keda_http:linear"), {"decision_s": 10.0}, "needs another sync period"),
        (Candidate("keda_external:linear"), {"cooldown_s": 10.0}, "needs a cooldown"),
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
    obstacle = obstacles.obstacle(chosen, {**SETTINGS, **settings})
    assert obstacle is not None
    assert obstacle.startswith(reason)


def test_a_direction_that_is_disabled_needs_no_policies() -> None:
    chosen = candidate("keda_hpa", scale_down=Behaviour(0.0, "Disabled", ()))
    assert obstacles.obstacle(chosen, SETTINGS) is None
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
        (Target(deployment="Reader"), "`--deployment`"),
        (Target(deployment="a" * 64), "`--deployment`"),
        (Target(namespace="a.b"), "`--namespace` must be"),
        (Target(servers="kafka"), "`--bootstrap-servers`"),
        (Target(servers="kafka:9092,"), "`--bootstrap-servers`"),
        (Target(group=""), "`--group` must be printable"),
        (Target(topic="a b"), "`--topic` must be letters"),
    ],
)
def test_wrong_names(target: Target, message: str) -> None:
    with pytest.raises(InputError, match=message):
        manifests.check_target(target)
    assert manifests.check_target(TARGET) == TARGET
    assert manifests.check_target(Target()) == Target()


LIMITED = candidate("keda_hpa", limit_to_partitions_with_lag=True)
EVEN = candidate("keda_hpa", ensure_even=True)
TWO = (("clicks", 4), ("views", 6))


def metadata(chosen: Candidate, target: Target, assignor: str = "range") -> list[dict[str, str]]:
    (consumers,) = consumer_settings.compared({"assignor": assignor})
    document = manifests.scaled_object(chosen, SETTINGS, target, consumers, 9)
    check_scaled_object(document)
    return [trigger["metadata"] for trigger in document["spec"]["triggers"]]


@pytest.mark.parametrize("chosen", [LIMITED, EVEN])
def test_limits_of_a_trigger_need_its_topic(chosen: Candidate) -> None:
    """KEDA refuses both switches in a trigger without a topic."""
    obstacle = obstacles.obstacle(chosen, SETTINGS)
    assert obstacle is not None
    assert obstacle.startswith("needs --topic")
    unnamed = manifests.of_recording(Target(), [("", 9)], "")
    assert obstacles.obstacle(chosen, SETTINGS, unnamed) == obstacle
    for target in (
        Target(topic="clicks"),
        manifests.of_recording(Target(), [("clicks", 9)], "events/s"),
        manifests.of_recording(Target(topic="clicks"), [("", 9)], ""),
    ):
        assert obstacles.obstacle(chosen, SETTINGS, target) is None
        assert [each["topic"] for each in metadata(chosen, target)] == ["clicks"]
    several = obstacles.obstacle(chosen, SETTINGS, Target(recorded=TWO))
    assert several is not None
    assert several.startswith("needs a trigger for each topic")


def test_a_topic_that_was_not_simulated_is_refused() -> None:
    with pytest.raises(InputError, match="`--topic orders` is not in the recording, which has cli"):
        manifests.of_recording(Target(topic="orders"), TWO, "events/s")
    with pytest.raises(InputError, match="`--topic views` is one of 2 topics of the recording"):
        manifests.of_recording(Target(topic="views"), TWO, "events/s")
    with pytest.raises(InputError, match=r"which has t0, t1, t2, t3, t4, …;"):
        manifests.of_recording(Target(topic="u"), [(f"t{i}", 1) for i in range(9)], "")


def test_several_topics_are_one_trigger_without_a_topic() -> None:
    """As simulated: the lag of all of them."""
    target = manifests.of_recording(Target(), TWO, "events/s")
    (only,) = metadata(Candidate("keda_hpa"), target)
    assert "topic" not in only


def test_a_recording_in_bytes_is_no_measure_for_keda() -> None:
    target = manifests.of_recording(Target(), TWO, "bytes/s")
    obstacle = obstacles.obstacle(Candidate("keda_hpa"), SETTINGS, target)
    assert obstacle is not None
    assert "record offsets or messages/s" in obstacle
    assert obstacles.obstacle(Candidate("constant"), SETTINGS, target) is None


@pytest.mark.parametrize(
    ("assignor", "most"),
    [("range", 6), ("kip848_range", 6), ("roundrobin", 9), ("sticky", 9), ("kip848_uniform", 9)],
)
def test_the_bound_is_that_of_the_assignor(assignor: str, most: int) -> None:
    """Under range, members above the partitions of the largest topic get nothing."""
    (consumers,) = consumer_settings.compared({"assignor": assignor})
    target = Target(recorded=TWO)
    for settings, expected in [(SETTINGS, most), ({**SETTINGS, "max_replicas": 5}, 5)]:
        document = manifests.scaled_object(Candidate("keda_hpa"), settings, target, consumers)
        assert document["spec"]["maxReplicaCount"] == expected
    settings = {**SETTINGS, "max_replicas": 50, "min_replicas": 12}
    document = manifests.scaled_object(Candidate("keda_hpa"), settings, target, consumers)
    assert document["spec"]["maxReplicaCount"] == 12


def test_an_unnamed_workload_bounds_replicas_by_its_partitions() -> None:
    settings = {**SETTINGS, "max_replicas": 100}
    document = manifests.scaled_object(Candidate("keda_hpa"), settings, Target(), partitions=7)
    assert document["spec"]["maxReplicaCount"] == 7


def test_brokers_of_kip_848_refuse_kedas_default_version() -> None:
    (new,) = metadata(Candidate("keda_hpa"), TARGET, "kip848_uniform")
    assert new["version"] == "4.0.0"
    (classic,) = metadata(Candidate("keda_hpa"), TARGET, "cooperative_sticky")
    assert "version" not in classic


def test_each_topic_can_have_a_trigger() -> None:
    chosen = candidate("keda_hpa", per_topic=True, limit_to_partitions_with_lag=True)
    target = Target(recorded=TWO)
    assert obstacles.obstacle(chosen, SETTINGS, target) is None
    assert [each["topic"] for each in metadata(chosen, target)] == ["clicks", "views"]
    assert obstacles.obstacle(chosen, SETTINGS) is not None
