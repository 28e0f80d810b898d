"""Files of a strategy behind KEDA: what KEDA reads, and what the scaler reads of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from live.scaler import scaler_settings
from live.scaler.asked_targets import AskedTargets
from pipeline.base.errors import InputError
from pipeline.base.text import yaml_text
from pipeline.experiments.autoscaling.recommendation import (
    going_live,
    obstacles,
    scaler_files,
    scaler_options,
    scaler_place,
    scaler_tls,
    scaler_workload,
)
from pipeline.experiments.autoscaling.recommendation.cluster_versions import Cluster
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from pipeline.experiments.autoscaling.recommendation.manifests import (
    Target,
    check_target,
    of_recording,
)

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
        "url": "http://billing-scaler.shop.svc:6000/v1/shop/billing",
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
    assert trigger["metadata"]["scalerAddress"] == "billing-scaler.shop.svc:6001"
    place = manifest["metadata"]
    target: Any = object()
    asked = AskedTargets({"shop/billing": target}, {"shop": {}})
    assert asked.find(place["namespace"], place["name"], trigger["metadata"]) is target


def test_the_scaler_reads_its_file(tmp_path: Path) -> None:
    chosen = one("keda_http:headroom:h=1.15:hold=30:look_s=2")
    config = scaler_files.scaler_config(chosen, SETTINGS, TARGET, 9)
    file = tmp_path / scaler_place.CONFIG
    file.write_text(yaml_text.document(config), encoding="utf-8")
    settings = scaler_settings.read(file)
    target = settings.targets["shop/billing"]
    assert settings.clock.look_s == 2.0
    assert (target.topics, target.group) == (("orders",), "billing-group")
    assert (target.mu, target.max_replicas) == (120.0, 9)
    # What headroom goes by besides its arguments, where it is not the default.
    assert target.strategy == "headroom:h=1.15:hold=30:assignor=sticky"


def test_placeholders_are_files_that_the_scaler_reads_too(tmp_path: Path) -> None:
    config = scaler_files.scaler_config(one("keda_http:linear"), SETTINGS, Target(), 9)
    file = tmp_path / scaler_place.CONFIG
    file.write_text(yaml_text.document(config), encoding="utf-8")
    assert set(scaler_settings.read(file).targets) == {"default/my-consumer"}


def test_ports_names_and_labels_fit_together() -> None:
    deployment, service, policy = scaler_workload.scaler_objects(TARGET)
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


def test_keda_s_namespace_is_let_in() -> None:
    (*_, policy) = scaler_workload.scaler_objects(
        TARGET._replace(cluster=Cluster(keda_namespace="autoscaling"))
    )
    (operator,) = policy["spec"]["ingress"][0]["from"]
    place = operator["namespaceSelector"]["matchLabels"]
    assert place == {"kubernetes.io/metadata.name": "autoscaling"}


def test_names_and_brokers_are_let_out() -> None:
    target = TARGET._replace(servers="b1:9092,[::1]:9094,b2:9092")
    (*_, policy) = scaler_workload.scaler_objects(target)
    names, brokers = policy["spec"]["egress"]
    assert {(each["port"], each["protocol"]) for each in names["ports"]} == {
        (53, "UDP"),
        (53, "TCP"),
    }
    assert [each["port"] for each in brokers["ports"]] == [9092, 9094]
    with pytest.raises(InputError, match="`--bootstrap-servers` must be HOST:PORT"):
        check_target(Target(servers="b1:65536"))
    check_target(Target(servers="b1:65535,b2:1"))


def test_several_topics_are_written_and_read(tmp_path: Path) -> None:
    recorded = (("bills", 4), ("orders", 6), ("refunds", 2))
    target = TARGET._replace(topic=None, recorded=recorded)
    config = scaler_files.scaler_config(one("keda_http:headroom"), SETTINGS, target, 9)
    file = tmp_path / scaler_place.CONFIG
    file.write_text(yaml_text.document(config), encoding="utf-8")
    settings = scaler_settings.read(file)
    assert settings.targets["shop/billing"].topics == ("bills", "orders", "refunds")
    assert settings.allow["shop"]["topics"] == ("bills", "orders", "refunds")
    assert "Describe on each topic" in going_live.readme(one("keda_http:headroom"), target)


def test_topics_without_names_cannot_be_read() -> None:
    for topics, is_refused in [([("", 9)], False), ([("", 4), ("orders", 5)], True)]:
        target = of_recording(Target(), topics, "events/s")
        found = obstacles.obstacle(one("keda_http:headroom"), SETTINGS, target)
        assert (found == "needs names of topics, which the recording does not have") == is_refused
        assert is_refused or found is None


def test_each_target_has_a_scaler_of_its_own() -> None:
    """Two recommendations for one namespace: nothing of the first is overwritten."""
    other = TARGET._replace(deployment="invoices")
    for objects in zip(
        scaler_workload.scaler_objects(TARGET), scaler_workload.scaler_objects(other), strict=True
    ):
        names = [each["metadata"]["name"] for each in objects]
        assert names == ["billing-scaler", "invoices-scaler"]
    _, service, _ = scaler_workload.scaler_objects(TARGET)
    pods = [
        scaler_workload.scaler_objects(each)[0]["spec"]["template"]["metadata"]["labels"]
        for each in (TARGET, other)
    ]
    chosen = [service["spec"]["selector"].items() <= labels.items() for labels in pods]
    assert chosen == [True, False]
    maps = [scaler_files.kustomization(each)["configMapGenerator"][0] for each in (TARGET, other)]
    assert maps[0]["name"] != maps[1]["name"]


@pytest.mark.parametrize(
    "deployment", ["a" * 54, "9" * 54, "b.c", "b-c", "1", "9.z", f"{'b.' * 26}b", "b" * 53 + "1"]
)
def test_names_of_scalers_are_those_that_services_can_have(deployment: str) -> None:
    name = scaler_place.scaler_name(deployment)
    assert re.fullmatch("[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name)
    assert name.endswith("-scaler")
    others = {deployment.replace(".", "-"), deployment.replace("-", "."), f"s-{deployment}"}
    assert name not in {scaler_place.scaler_name(each) for each in others - {deployment}}


@pytest.mark.parametrize(
    "image",
    ["groupscale", "r.example.com:5000/team/groupscale:1.0_a", f"a/b@sha256:{'0' * 64}"],
)
def test_the_image_can_be_chosen(image: str) -> None:
    target = TARGET._replace(scaler=scaler_options.of_options(image, False))
    (container,) = scaler_workload.scaler_objects(target)[0]["spec"]["template"]["spec"][
        "containers"
    ]
    assert container["image"] == image
    assert f"`{image}`" in going_live.readme(one("keda_http:headroom"), target)


@pytest.mark.parametrize("image", ["", "a b", "a:", "A/B:c", "a@sha256:0", "-a", "a//b", "a\n"])
def test_no_other_text_is_an_image(image: str) -> None:
    with pytest.raises(InputError, match="`--scaler-image` must be the name of an image"):
        scaler_options.of_options(image, False)


@pytest.mark.parametrize("form", ["keda_http", "keda_external"])
def test_certificates_are_referred_to_and_read_where_they_are_mounted(
    form: str, tmp_path: Path
) -> None:
    target = TARGET._replace(scaler=scaler_options.ScalerOptions(has_tls=True))
    chosen = one(f"{form}:headroom")
    config = scaler_files.scaler_config(chosen, SETTINGS, target, 9)
    file = tmp_path / scaler_place.CONFIG
    file.write_text(yaml_text.document(config), encoding="utf-8")
    files = scaler_settings.read(file).tls
    assert files is not None
    pod = scaler_workload.scaler_objects(target)[0]["spec"]["template"]["spec"]
    (volume,) = (each for each in pod["volumes"] if "secret" in each)
    (mount,) = (
        each for each in pod["containers"][0]["volumeMounts"] if each["name"] == volume["name"]
    )
    read = {files.cert, files.key, files.client_ca}
    assert read == {Path(mount["mountPath"], key) for key in ("tls.crt", "tls.key", "ca.crt")}
    authentication = scaler_tls.trigger_authentication(chosen, target)
    secrets = {each["name"] for each in authentication["spec"]["secretTargetRef"]}
    assert (secrets, volume["secret"]["secretName"]) == (
        {"billing-scaler-keda-tls"},
        "billing-scaler-tls",
    )
    text = going_live.readme(chosen, target)
    for name in (*secrets, volume["secret"]["secretName"], "billing-scaler.shop.svc"):
        assert name in text


TO_ZERO = "keda_http:headroom:activation=1:quiet_s=120:idle_s=60:polling_s=15"
IDLE = {**SETTINGS, "min_replicas": 0}


def test_a_group_that_may_be_empty_is_scaled_to_zero() -> None:
    spec = scaler_files.scaled_object(one(TO_ZERO), IDLE, TARGET, KAFKAS_DEFAULT, 9, 6.2)["spec"]
    names = ("minReplicaCount", "cooldownPeriod", "pollingInterval")
    assert [spec[name] for name in names] == [0, 60, 15]
    others = scaled(TO_ZERO)
    assert (others["minReplicaCount"], others["pollingInterval"]) == (1, 30)
    assert "cooldownPeriod" not in others


def test_the_scaler_reads_when_a_group_is_idle(tmp_path: Path) -> None:
    file = tmp_path / scaler_place.CONFIG
    for settings, least, idle in ((IDLE, 0, (1, 120.0)), (SETTINGS, 1, (0, 300.0))):
        config = scaler_files.scaler_config(one(TO_ZERO), settings, TARGET, 9)
        file.write_text(yaml_text.document(config), encoding="utf-8")
        target = scaler_settings.read(file).targets["shop/billing"]
        assert (target.min_replicas, target.members_per_replica) == (least, 1)
        assert (target.activation, target.cooldown_s) == idle
        assert ("offset_reset" in config["scale"]["shop/billing"]) == (least == 0)
    assert target.strategy == "headroom:assignor=sticky"


@pytest.mark.parametrize(
    ("text", "keda", "needed"),
    [
        (TO_ZERO, (2, 19), None),
        (TO_ZERO, (2, 18), "needs KEDA 2.19"),
        (f"{TO_ZERO}:look_s=0.5", (2, 19), None),
        ("keda_http:headroom:polling_s=7.5", (2, 19), "fractions of a second"),
        ("keda_http:headroom:idle_s=0.5", (2, 19), "fractions of a second"),
    ],
)
def test_what_scale_to_zero_needs(text: str, keda: tuple[int, int], needed: str | None) -> None:
    target = TARGET._replace(cluster=Cluster(keda=keda))
    found = obstacles.obstacle(one(text), IDLE, target)
    assert found is None if needed is None else found is not None and needed in found
    assert obstacles.obstacle(one(text), SETTINGS, target) is None


@pytest.mark.parametrize("is_to_zero", [False, True])
@pytest.mark.parametrize("has_tls", [False, True])
@pytest.mark.parametrize("tolerances", ["", ":tolerance_up=0:tolerance_down=0"])
def test_the_readme_is_one_screen(tolerances: str, has_tls: bool, is_to_zero: bool) -> None:
    target = TARGET._replace(scaler=scaler_options.ScalerOptions(has_tls=has_tls))
    text = going_live.readme(one(f"keda_http:headroom{tolerances}"), target, is_to_zero)
    assert ("an outage of the\nscaler" in text) == is_to_zero
    assert f"KEDA ({'2.19' if is_to_zero else '2.17'} or" in text
    assert ("a step of one is swallowed" in text) == (not tolerances)
    assert ("tolerance is written" in text) == bool(tolerances)
    assert ("billing-scaler-tls" in text) == has_tls
    lines = text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
