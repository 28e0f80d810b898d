"""Files of a strategy behind KEDA are what Kubernetes and KEDA accept, field by field."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation import (
    scaler_files,
    scaler_place,
    scaler_tls,
    scaler_workload,
)
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.scaler_options import ScalerOptions
from tests.live.kubernetes import published_workloads
from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import (
    TRIGGER_AUTHENTICATION,
    Refused,
    check_authenticated,
    check_scaled_object,
)

pytestmark = pytest.mark.unit

SETTINGS = {"mu": 120.0, "min_replicas": 1, "max_replicas": 12, "decision_s": 1.0, "step_s": 1.0}
TARGETS = {
    "named": Target("billing", "shop", "b1:9092,b2:9092", "billing group", "orders"),
    "with dots": Target("billing.eu-1.v2", "shop", "b1:9092", "billing.group", "orders.v2"),
    "longest": Target("b" * 54, "s" * 63, "b1:9092", "g", "orders"),
    "placeholders": Target(),
    "with TLS": Target(
        "billing", "shop", "b1:9092", "g", "orders", scaler=ScalerOptions("g", True)
    ),
    "several topics": Target("billing", "shop", "b1:1", "g", recorded=(("a", 4), ("b", 5))),
}
NAMES = (
    *(scaler_files.OBJECTS, scaler_place.CONFIG, scaler_files.README, scaler_files.KUSTOMIZATION),
    "scaledobject.yaml",
)
STRATEGIES = ("keda_http:headroom", "keda_external:headroom:tolerance_up=0:tolerance_down=0.05")


def parsed(strategy: str) -> Candidate:
    (one,) = candidates.parse(strategy, 9, 120.0, 0.5)
    return one


def scaled(strategy: str, target: Target) -> Any:
    return scaler_files.scaled_object(parsed(strategy), SETTINGS, target, KAFKAS_DEFAULT, 9, 6.2)


def to_zero(one: Candidate) -> Any:
    """ScaledObject of a group that may be empty."""
    settings, target = {**SETTINGS, "min_replicas": 0}, TARGETS["named"]
    return scaler_files.scaled_object(one, settings, target, KAFKAS_DEFAULT, 9, 6.2)


def with_tls(strategy: str) -> tuple[Any, Any]:
    """ScaledObject and TriggerAuthentication."""
    target = TARGETS["with TLS"]
    authentication = scaler_tls.trigger_authentication(parsed(strategy), target)
    return scaled(strategy, target), authentication


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_keda_accepts_the_scaled_object(strategy: str, target: Target) -> None:
    check_scaled_object(scaled(strategy, target))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_keda_accepts_scale_to_zero(strategy: str) -> None:
    manifest = to_zero(parsed(strategy))
    assert manifest["spec"]["minReplicaCount"] == 0
    check_scaled_object(manifest)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_kubernetes_accepts_the_scaler(target: Target) -> None:
    objects = scaler_workload.scaler_objects(target)
    assert [each["kind"] for each in objects] == ["Deployment", "Service", "NetworkPolicy"]
    published_workloads.check_together(objects)
    kustomization = scaler_files.kustomization(target)
    published_workloads.check_kustomization(kustomization, NAMES, objects)


def _maps(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from _maps(each)


def _is_open(field: dict[str, Any]) -> bool:
    """Labels have any name, and metadata of the trigger `external` too."""
    return "scalerAddress" in field or any(key.startswith(("app.", "kubernetes.")) for key in field)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_field_may_be_misspelt(strategy: str) -> None:
    target = TARGETS["with TLS"]
    scaled_object, authentication = with_tls(strategy)
    documents: list[tuple[Any, Callable[[Any], None]]] = [
        (scaled_object, check_scaled_object),
        (authentication, lambda document: TRIGGER_AUTHENTICATION(document, "")),
        *((each, published_workloads.check) for each in scaler_workload.scaler_objects(target)),
    ]
    for document, check in documents:
        for i, field in enumerate(_maps(document)):
            if _is_open(field):
                continue
            wrong = copy.deepcopy(document)
            list(_maps(wrong))[i]["repliccas"] = 1
            with pytest.raises(Refused):
                check(wrong)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_keda_uses_the_certificates(strategy: str) -> None:
    check_authenticated(*with_tls(strategy))


UNUSED: dict[str, Callable[[Any, Any], Any]] = {
    "no authentication": lambda d, a: d["spec"]["triggers"][0].pop("authenticationRef"),
    "of another name": lambda d, a: a["metadata"].update(name="other"),
    "of another namespace": lambda d, a: a["metadata"].update(namespace="other"),
    "no switch": lambda d, a: d["spec"]["triggers"][0]["metadata"].pop("authMode"),
    "plaintext": lambda d, a: d["spec"]["triggers"][0]["metadata"].update(url="http://a/b"),
    "of the other trigger": lambda d, a: a["spec"].update(with_tls(STRATEGIES[1])[1]["spec"]),
    "a value": lambda d, a: a["spec"]["secretTargetRef"][0].update(value="-----BEGIN"),
}


@pytest.mark.parametrize("change", UNUSED.values(), ids=UNUSED.keys())
def test_certificates_that_keda_would_not_use(change: Callable[[Any, Any], Any]) -> None:
    documents = copy.deepcopy(with_tls(STRATEGIES[0]))
    change(*documents)
    with pytest.raises(Refused):
        check_authenticated(*documents)


BROKEN: dict[str, Callable[[Any], Any]] = {
    "a name of 55": lambda d: d["metadata"].update(name="b" * 55),
    "an unknown behaviour": lambda d: d["spec"]["fallback"].update(behavior="higher"),
    "no number of failures": lambda d: d["spec"]["fallback"].pop("failureThreshold"),
    "a number in metadata": lambda d: d["spec"]["triggers"][0]["metadata"].update(targetValue=1),
    "no URL": lambda d: d["spec"]["triggers"][0]["metadata"].pop("url"),
    "no place of the value": lambda d: d["spec"]["triggers"][0]["metadata"].pop("valueLocation"),
    "an unknown trigger": lambda d: d["spec"]["triggers"][0].update(type="metric-api"),
    "metadata of another": lambda d: d["spec"]["triggers"][0].update(type="kafka"),
    "fallback of a total": lambda d: d["spec"]["triggers"][0].update(metricType="Value"),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_the_schema_refuses_what_keda_refuses(change: Callable[[Any], Any]) -> None:
    document = copy.deepcopy(scaled("keda_http:headroom", TARGETS["named"]))
    change(document)
    with pytest.raises(Refused):
        check_scaled_object(document)


def container(objects: Any) -> Any:
    return objects[0]["spec"]["template"]["spec"]["containers"][0]


APART: dict[str, Callable[[Any], Any]] = {
    "a probe of no port": lambda o: container(o)["livenessProbe"]["httpGet"].update(port="alive"),
    "a port too large": lambda o: container(o)["ports"][0].update(containerPort=65536),
    "a port's name too long": lambda o: container(o)["ports"][0].update(name="a" * 16),
    "a port twice": lambda o: container(o)["ports"][0].update(name="grpc"),
    "a path twice": lambda o: container(o)["volumeMounts"][0].update(mountPath="/tmp"),
    "a mount of no volume": lambda o: o[0]["spec"]["template"]["spec"]["volumes"].pop(),
    "a service of no port": lambda o: o[1]["spec"]["ports"][0].update(targetPort="other"),
    "a service of no pod": lambda o: o[1]["spec"].update(selector={"a": "b"}),
    "a policy of no pod": lambda o: o[2]["spec"]["podSelector"].update(matchLabels={"a": "b"}),
    "a policy without egress": lambda o: o[2]["spec"].pop("egress"),
    "rules of no type": lambda o: o[2]["spec"].update(policyTypes=["Ingress"]),
    "a port that is none": lambda o: o[2]["spec"]["egress"][1]["ports"][0].update(port=65536),
    "a policy of no port": lambda o: o[2]["spec"]["ingress"][1]["ports"][0].update(port=8081),
}


@pytest.mark.parametrize("change", APART.values(), ids=APART.keys())
def test_the_schema_refuses_what_does_not_fit(change: Callable[[Any], Any]) -> None:
    objects = copy.deepcopy(scaler_workload.scaler_objects(TARGETS["named"]))
    change(objects)
    with pytest.raises(Refused):
        published_workloads.check_together(objects)


@pytest.mark.parametrize(
    "change", [{"resources": ["other.yaml"]}, {"configMapGenerator": []}, {"kind": "Kustomize"}]
)
def test_the_schema_refuses_a_wrong_kustomization(change: dict[str, Any]) -> None:
    target = TARGETS["named"]
    document = {**scaler_files.kustomization(target), **change}
    with pytest.raises(Refused):
        published_workloads.check_kustomization(
            document, NAMES, scaler_workload.scaler_objects(target)
        )
