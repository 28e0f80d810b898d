"""Files that run a recommended strategy behind KEDA: ScaledObject, and the scaler that it asks.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject with the triggers ``metrics-api`` and
``external``, ``apps/v1`` Deployment, ``v1`` Service and ``networking.k8s.io/v1`` NetworkPolicy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.setting import declared
from algorithms.simulation.group_settings import GroupSettings
from pipeline.experiments.autoscaling.recommendation import guarded_object
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.manifests import (
    PLACEHOLDERS,
    Target,
    max_replicas,
    metadata,
)

SCALER, OBJECTS = "scaler.yaml", "scaler-objects.yaml"
KUSTOMIZATION, README = "kustomization.yaml", "README.md"

NAME = "groupscale-scaler"
IMAGE = "groupscale-scaler:0.1.0"
"""What docker/scaler.Dockerfile builds."""
_HTTP, _EXTERNAL = strategies.FORMS
_ANSWERS, _HEALTH, _GRPC = 6000, 8080, 6001
USER = 10001
WRITTEN = ("/srv/state", "/srv/kernels", "/tmp")
"""User of the images and folders that it writes, see docker/."""
_ELSEWHERE = ("mu", "min_replicas", "max_replicas", "step_s", "decision_s")


def scaler_config(
    one: Candidate, settings: Mapping[str, Any], target: Target, most: int
) -> dict[str, Any]:
    """Configuration of `groupscale scaler` for one group."""
    namespace, name = _place(target)
    topic, group = target.topics[0] if target.topics else "my-topic", _group(target)
    arguments = {**registry.get(one.strategy).arguments, **one.arguments}
    return {
        "bootstrap": target.servers or PLACEHOLDERS.servers,
        "history": "/var/lib/groupscale/history.json",
        "look_s": arguments["look_s"],
        "allow": {namespace: {"groups": [group], "topics": [topic]}},
        "scale": {
            f"{namespace}/{name}": {
                "topic": topic,
                "group": group,
                "strategy": inner_text(one, settings),
                "mu": settings["mu"],
                "min_replicas": max(settings["min_replicas"], 1),
                "max_replicas": most,
                "members_per_replica": 1,
            }
        },
    }


def inner_text(one: Candidate, settings: Mapping[str, Any]) -> str:
    """The strategy that the scaler runs, with the settings of the group that it goes by."""
    own = strategies.inner_of(one.strategy) or one.strategy
    names = registry.get(own).arguments
    arguments = {name: value for name, value in one.arguments.items() if name in names}
    known = declared(GroupSettings)
    seen = {
        name: settings[name]
        for name in sorted(known)
        if (name in Group._fields or name == "arrivals")
        and name in settings
        and name not in _ELSEWHERE
        and name != "initial_replicas"
        and settings[name] not in (known[name].default, None)
    }
    return candidate(own, **arguments, **seen).label


def scaled_object(
    one: Candidate,
    settings: Mapping[str, Any],
    target: Target,
    consumers: Consumers,
    partitions: int,
    peak: float,
) -> dict[str, Any]:
    """ScaledObject whose trigger asks the scaler; `peak` as in `guarded_object`."""
    namespace, name = _place(target)
    arguments = {**registry.get(one.strategy).arguments, **one.arguments}
    most = max_replicas(settings, target, consumers, partitions)
    trigger = _trigger(one, namespace, name)
    return guarded_object.guarded(arguments, settings, target, most, peak, trigger)


def _trigger(one: Candidate, namespace: str, name: str) -> dict[str, Any]:
    host = f"{NAME}.{namespace}.svc"
    if one.strategy.startswith(f"{_EXTERNAL}:"):
        dialled = {"scalerAddress": f"{host}:{_GRPC}"}
        return {"type": "external", "metricType": "AverageValue", "metadata": dialled}
    return {
        "type": "metrics-api",
        "metricType": "AverageValue",
        "metadata": {
            "url": f"http://{host}:{_ANSWERS}/v1/{namespace}/{name}",
            "valueLocation": "replicas",
            # Never another target: KEDA writes a changed one only when it reconciles.
            "targetValue": "1",
        },
    }


def scaler_objects(target: Target) -> list[dict[str, Any]]:
    """Deployment, Service and NetworkPolicy of the scaler."""
    return [_deployment(target), _service(target), _network_policy(target)]


def _deployment(target: Target) -> dict[str, Any]:
    listens = [("answers", _ANSWERS), ("health", _HEALTH), ("grpc", _GRPC)]
    options = ("--listen", "--health-listen", "--grpc-listen")
    addresses = [f"0.0.0.0:{port}" for _, port in listens]
    command = ["groupscale", "scaler", "--config", f"/etc/groupscale/{SCALER}"]
    container = {
        "name": "scaler",
        "image": IMAGE,
        "command": command
        + [word for pair in zip(options, addresses, strict=True) for word in pair],
        "ports": [{"name": name, "containerPort": port} for name, port in listens],
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "health"}},
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "health"}},
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/groupscale", "readOnly": True},
            {"name": "history", "mountPath": "/var/lib/groupscale"},
            *({"name": "work", "mountPath": path, "subPath": path[1:]} for path in WRITTEN),
        ],
    }
    pod = {
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": USER, "fsGroup": USER},
        "containers": [container],
        "volumes": [
            {"name": "config", "configMap": {"name": NAME}},
            {"name": "history", "emptyDir": {}},
            {"name": "work", "emptyDir": {}},
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _named(target),
        "spec": {
            "replicas": 1,
            # Two would decide on their own, and KEDA would ask one, then the other.
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": _LABELS},
            "template": {"metadata": {"labels": _LABELS}, "spec": pod},
        },
    }


def _service(target: Target) -> dict[str, Any]:
    ports = [("answers", _ANSWERS), ("grpc", _GRPC)]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _named(target),
        "spec": {
            "type": "ClusterIP",
            "selector": _LABELS,
            "ports": [{"name": name, "port": port, "targetPort": name} for name, port in ports],
        },
    }


def _network_policy(target: Target) -> dict[str, Any]:
    place = {"kubernetes.io/metadata.name": target.cluster.keda_namespace}
    operator = {
        "namespaceSelector": {"matchLabels": place},
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "keda-operator"}},
    }
    asked = [{"port": _ANSWERS}, {"port": _GRPC}]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": _named(target),
        "spec": {
            "podSelector": {"matchLabels": _LABELS},
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [operator], "ports": asked}, {"ports": [{"port": _HEALTH}]}],
        },
    }


def kustomization(target: Target) -> dict[str, Any]:
    """What ``kubectl apply -k`` applies."""
    place = {} if target.namespace is None else {"namespace": target.namespace}
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        **place,
        "resources": [OBJECTS, "scaledobject.yaml"],
        "configMapGenerator": [{"name": NAME, "files": [SCALER]}],
    }


def _place(target: Target) -> tuple[str, str]:
    return target.namespace or "default", target.deployment or str(PLACEHOLDERS.deployment)


def _group(target: Target) -> str:
    return target.group or str(PLACEHOLDERS.group)


def _named(target: Target) -> dict[str, str]:
    return {**metadata(target), "name": NAME}


_LABELS = {"app.kubernetes.io/name": NAME}
