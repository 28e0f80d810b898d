"""Files of a strategy behind KEDA: what KEDA reads, and what the scaler reads of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from live.scaler import scaler_settings
from live.scaler.asked_targets import AskedTargets
from pipeline.base.text import yaml_text
from pipeline.experiments.autoscaling.recommendation import scaler_files
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from pipeline.experiments.autoscaling.recommendation.manifests import Target

pytestmark = pytest.mark.unit

TARGET = Target("billing", "shop", "b1:9092", "billing-group", "orders", (("orders", 9),))
SETTINGS = {
    "mu": 120.0,
    "min_replicas": 1,
    "max_replicas": 12,
    "assignor": "sticky",
    "wsla_s": 0.5,
    "decision_s": 1.0,
    "step_s": 1.0,
}


def one(text: str) -> Candidate:
    (found,) = candidates.parse(text, 9, 120.0, 0.5)
    return found


def scaled(text: str, target: Target = TARGET) -> Any:
    return scaler_files.scaled_object(one(text), SETTINGS, target, KAFKAS_DEFAULT, 9, 6.2)["spec"]


def test_keda_asks_for_this_group_and_falls_back_to_the_peak() -> None:
    spec = scaled("keda_http:headroom:h=1.15:hold=30")
    (trigger,) = spec["triggers"]
    assert trigger["type"] == "metrics-api"
    assert trigger["metadata"] == {
        "url": "http://groupscale-scaler.shop.svc:6000/v1/shop/billing",
        "valueLocation": "replicas",
        "targetValue": "1",
    }
    assert spec["fallback"]["replicas"] == 7
    assert spec["fallback"]["behavior"] == "currentReplicasIfHigher"
    # More than there are partitions would idle.
    assert spec["maxReplicaCount"] == 9


def test_both_directions_are_written_in_full() -> None:
    rules = scaled("keda_http:headroom")["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    for direction in ("scaleUp", "scaleDown"):
        assert rules[direction] == {
            "stabilizationWindowSeconds": 0,
            "selectPolicy": "Max",
            "policies": [{"type": "Pods", "value": 100, "periodSeconds": 15}],
        }


def test_a_tolerance_is_written_only_if_it_is_not_kubernetes_own() -> None:
    spec = scaled("keda_http:headroom:tolerance_up=0")
    behaviour = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert behaviour["scaleUp"]["tolerance"] == "0"
    assert "tolerance" not in behaviour["scaleDown"]


def test_the_external_trigger_dials_the_scaler() -> None:
    chosen = one("keda_external:headroom")
    manifest = scaler_files.scaled_object(chosen, SETTINGS, TARGET, KAFKAS_DEFAULT, 9, 6.2)
    (trigger,) = manifest["spec"]["triggers"]
    assert trigger["type"] == "external"
    assert trigger["metadata"]["scalerAddress"] == "groupscale-scaler.shop.svc:6001"
    place = manifest["metadata"]
    target: Any = object()
    asked = AskedTargets({"shop/billing": target}, {"shop": {}})
    assert asked.find(place["namespace"], place["name"], trigger["metadata"]) is target


def test_the_scaler_reads_its_file(tmp_path: Path) -> None:
    chosen = one("keda_http:headroom:h=1.15:hold=30:look_s=2")
    config = scaler_files.scaler_config(chosen, SETTINGS, TARGET, 9)
    file = tmp_path / scaler_files.SCALER
    file.write_text(yaml_text.document(config), encoding="utf-8")
    settings = scaler_settings.read(file)
    target = settings.targets["shop/billing"]
    assert settings.clock.look_s == 2.0
    assert (target.topic, target.group) == ("orders", "billing-group")
    assert (target.mu, target.max_replicas) == (120.0, 9)
    # What headroom goes by besides its arguments, where it is not the default.
    assert target.strategy == "headroom:h=1.15:hold=30:assignor=sticky"


def test_placeholders_are_files_that_the_scaler_reads_too(tmp_path: Path) -> None:
    config = scaler_files.scaler_config(one("keda_http:linear"), SETTINGS, Target(), 9)
    file = tmp_path / scaler_files.SCALER
    file.write_text(yaml_text.document(config), encoding="utf-8")
    assert set(scaler_settings.read(file).targets) == {"default/my-consumer"}


def test_ports_names_and_labels_fit_together() -> None:
    deployment, service, policy = scaler_files.scaler_objects(TARGET)
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    named = {port["name"]: port["containerPort"] for port in container["ports"]}
    for port in service["spec"]["ports"]:
        assert named[port["targetPort"]] == port["port"]
        assert f"0.0.0.0:{port['port']}" in container["command"]
    assert {"health", "answers", "grpc"} == named.keys()
    labels = pod["metadata"]["labels"]
    assert service["spec"]["selector"] == labels == policy["spec"]["podSelector"]["matchLabels"]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["spec"]["volumes"]}
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


def test_the_readme_is_one_screen() -> None:
    lines = scaler_files.readme(one("keda_http:headroom"), TARGET).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
