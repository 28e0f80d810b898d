"""Objects that run a scaler: Deployment, Service and NetworkPolicy.

Fields are those of ``apps/v1`` Deployment, ``v1`` Service and ``networking.k8s.io/v1``
NetworkPolicy.
"""

from __future__ import annotations

from typing import Any

from pipeline.experiments.autoscaling.recommendation import scaler_tls
from pipeline.experiments.autoscaling.recommendation.manifests import (
    PLACEHOLDERS,
    Target,
    metadata,
)
from pipeline.experiments.autoscaling.recommendation.scaler_place import (
    ANSWERS,
    CONFIG,
    GRPC,
    HEALTH,
    scaler_of,
)

_USER = 10001
_WRITTEN = ("/srv/state", "/srv/kernels", "/tmp")
"""User of the project's image and folders that it writes, see docker/Dockerfile."""

_DNS = 53


def scaler_objects(target: Target) -> list[dict[str, Any]]:
    """Deployment, Service and NetworkPolicy of the scaler."""
    return [_deployment(target), _service(target), _network_policy(target)]


def _deployment(target: Target) -> dict[str, Any]:
    listens = [("answers", ANSWERS), ("health", HEALTH), ("grpc", GRPC)]
    options = ("--listen", "--health-listen", "--grpc-listen")
    addresses = [f"0.0.0.0:{port}" for _, port in listens]
    command = ["groupscale", "scaler", "--config", f"/etc/groupscale/{CONFIG}"]
    container = {
        "name": "scaler",
        "image": target.scaler.image,
        "command": command
        + [word for pair in zip(options, addresses, strict=True) for word in pair],
        "ports": [{"name": name, "containerPort": port} for name, port in listens],
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "health"}},
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "health"}},
        "resources": {"requests": {"cpu": "50m", "memory": "160Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/groupscale", "readOnly": True},
            {"name": "history", "mountPath": "/var/lib/groupscale"},
            *scaler_tls.mounts(target),
            *({"name": "work", "mountPath": path, "subPath": path[1:]} for path in _WRITTEN),
        ],
    }
    pod = {
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": _USER, "fsGroup": _USER},
        "containers": [container],
        "volumes": [
            {"name": "config", "configMap": {"name": scaler_of(target)}},
            {"name": "history", "emptyDir": {}},
            *scaler_tls.volumes(target),
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
            "selector": {"matchLabels": _labels(target)},
            "template": {"metadata": {"labels": _labels(target)}, "spec": pod},
        },
    }


def _service(target: Target) -> dict[str, Any]:
    ports = [("answers", ANSWERS), ("grpc", GRPC)]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _named(target),
        "spec": {
            "type": "ClusterIP",
            "selector": _labels(target),
            "ports": [{"name": name, "port": port, "targetPort": name} for name, port in ports],
        },
    }


def _network_policy(target: Target) -> dict[str, Any]:
    place = {"kubernetes.io/metadata.name": target.cluster.keda_namespace}
    operator = {
        "namespaceSelector": {"matchLabels": place},
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "keda-operator"}},
    }
    asked = [{"port": ANSWERS}, {"port": GRPC}]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": _named(target),
        "spec": {
            "podSelector": {"matchLabels": _labels(target)},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"from": [operator], "ports": asked}, {"ports": [{"port": HEALTH}]}],
            "egress": _egress(target),
        },
    }


def _egress(target: Target) -> list[dict[str, Any]]:
    """To names and brokers: their addresses are not known, so ports alone are."""
    servers = target.servers or str(PLACEHOLDERS.servers)
    brokers = sorted({int(each.rpartition(":")[2]) for each in servers.split(",")})
    names = [{"port": _DNS, "protocol": protocol} for protocol in ("UDP", "TCP")]
    return [{"ports": names}, {"ports": [{"port": port} for port in brokers]}]


def _labels(target: Target) -> dict[str, str]:
    """Of the pod: each target has a scaler of its own."""
    return {
        "app.kubernetes.io/name": "groupscale-scaler",
        "app.kubernetes.io/instance": scaler_of(target),
    }


def _named(target: Target) -> dict[str, str]:
    return {**metadata(target), "name": scaler_of(target)}
