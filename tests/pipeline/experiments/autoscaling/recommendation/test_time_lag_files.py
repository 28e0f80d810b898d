"""ScaledObject of a trigger on a time lag: its query, its type, and what refuses it."""

from __future__ import annotations

from typing import Any

import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation import going_live, obstacles, time_lag_files
from pipeline.experiments.autoscaling.recommendation.cluster_versions import Cluster
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.inputs.prometheus import exported_time_lag
from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import (
    Refused,
    check_scaled_object,
)

pytestmark = pytest.mark.unit

SETTINGS = {"min_replicas": 2, "max_replicas": 12, "decision_s": 15.0}
TARGET = Target(
    *("billing", "shop"),
    group="readers",
    recorded=(("orders", 5), ("returns.eu", 4)),
    prometheus="https://prometheus.monitoring.svc:9090/p",
)


def one(text: str = "keda_time_lag:target_s=45") -> Candidate:
    (parsed,) = candidates.parse(text, 9, 120.0, 0.5)
    return parsed


def scaled(text: str = "keda_time_lag:target_s=45", target: Target = TARGET) -> Any:
    return time_lag_files.scaled_object(one(text), SETTINGS, target, KAFKAS_DEFAULT, 9, 6.2)


@pytest.mark.parametrize("target", [TARGET, Target(), Target("b" * 54, "s" * 63, topic="t" * 249)])
def test_keda_accepts_it_from_2_18_on(target: Target) -> None:
    check_scaled_object(scaled(target=target), is_2_18=True)
    with pytest.raises(Refused, match="is for AverageValue"):
        check_scaled_object(scaled(target=target))


def test_the_autoscaler_does_what_was_simulated() -> None:
    spec = scaled("keda_time_lag:target_s=0.5:tolerance_up=0.2:scale_down=60s")["spec"]
    (trigger,) = spec["triggers"]
    # An average over the replicas would be a time lag divided by their number.
    assert (trigger["metricType"], trigger["metadata"]["threshold"]) == ("Value", "0.5")
    assert trigger["metadata"]["ignoreNullValues"] == "false"
    assert "scalingModifiers" not in spec["advanced"]
    rules = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert rules["scaleDown"]["stabilizationWindowSeconds"] == 60
    assert rules["scaleUp"]["tolerance"] == "0.2"
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (2, 5)
    assert spec["fallback"]["behavior"] == "currentReplicasIfHigher"
    assert spec["fallback"]["replicas"] == 7


def test_the_query_is_of_all_partitions_of_this_group() -> None:
    (trigger,) = scaled()["spec"]["triggers"]
    query = trigger["metadata"]["query"]
    assert query == exported_time_lag.greatest("readers", ["orders", "returns.eu"], 9)
    series = (
        'kafka_consumergroup_group_lag_seconds{group="readers",topic=~"orders|returns\\\\.eu"} >= 0'
    )
    assert query.count(series) == 2
    assert query.startswith(f"max({series})")
    assert query.endswith(">= 9)")


@pytest.mark.parametrize(
    ("text", "settings", "target", "words"),
    [
        ("keda_time_lag", {}, Target(), None),
        ("keda_time_lag", {}, Target(unit="bytes/s"), None),
        ("keda_time_lag", {}, Target(recorded=(("a", 2), ("b", 2))), None),
        ("keda_time_lag", {}, Target(unnamed=2), "needs names of topics"),
        ("keda_time_lag", {"decision_s": 30.0}, Target(), "another sync period than 15 s"),
        ("keda_time_lag", {"cooldown_s": 5.0}, Target(), "needs a cooldown"),
        ("keda_time_lag:scale_down=0.5s", {}, Target(), "scale_down that Kubernetes"),
        ("keda_time_lag:tolerance_up=0", {}, Target(), "Kubernetes 1.35"),
        ("keda_time_lag", {}, Target(cluster=Cluster(keda=(2, 17))), "needs KEDA 2.18"),
        ("keda_time_lag", {}, Target("b" * 55), "at most 54 characters"),
    ],
)
def test_what_it_cannot_do(
    text: str, settings: dict[str, Any], target: Target, words: str | None
) -> None:
    obstacle = obstacles.obstacle(one(text), {**SETTINGS, **settings}, target)
    assert obstacle is None if words is None else obstacle is not None and words in obstacle


@pytest.mark.parametrize("target", [TARGET, Target()])
def test_the_readme_is_one_screen(target: Target) -> None:
    text = going_live.readme_of_time_lag(one(), target)
    assert (target.prometheus or "http://prometheus-server") in text
    assert exported_time_lag.EXPORTER in text
    lines = text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
