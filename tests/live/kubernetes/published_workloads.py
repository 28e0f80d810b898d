"""What Kubernetes accepts, written from its published schemas, as far as our manifests go.

``v1`` ConfigMap, Service and ServiceAccount, ``apps/v1`` Deployment and StatefulSet,
``networking.k8s.io/v1`` NetworkPolicy, ``rbac.authorization.k8s.io/v1`` Role and RoleBinding, and
``kustomize.config.k8s.io/v1beta1`` Kustomization. A field that is not listed is an error, as for
``kubectl apply`` with strict validation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import (
    LABEL,
    Check,
    Refused,
    integer,
    listed,
    mapping,
    one_of,
    text,
)

NAME = text(rf"{LABEL}(\.{LABEL})*")
DNS_LABEL = text(LABEL)
PATH = text("/[^:]*", 4096)
QUANTITY = text("[0-9]+(m|Ki|Mi|Gi)?")
COMMANDS = listed(text(longest=4096), 1)


def flag(value: Any, path: str) -> None:
    if not isinstance(value, bool):
        raise Refused(f"{path}: {value!r}")


def texts(form: str, longest: int = 63) -> Check:
    """A map of texts, such as labels."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise Refused(f"{path}: {value!r}")
        for key, each in value.items():
            text(rf"({LABEL}(\.{LABEL})*/)?[A-Za-z0-9._-]+")(key, path)
            text(form, longest)(each, f"{path}.{key}")

    return check


LABELS = texts("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
METADATA = mapping(
    {"name": (True, NAME), "namespace": (False, DNS_LABEL), "labels": (False, LABELS)}
)
PORT_NAME = text("(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?", 15)
PORT = integer(1, 65535)


def port_or_name(value: Any, path: str) -> None:
    (PORT_NAME if isinstance(value, str) else PORT)(value, path)


PROTOCOL = one_of("TCP", "UDP", "SCTP")
HTTP_GET = mapping(
    {
        "path": (False, PATH),
        "port": (True, port_or_name),
        "scheme": (False, one_of("HTTP", "HTTPS")),
    }
)
PROBE = mapping(
    {
        "httpGet": (True, HTTP_GET),
        "initialDelaySeconds": (False, integer()),
        "periodSeconds": (False, integer(1)),
        "timeoutSeconds": (False, integer(1)),
        "failureThreshold": (False, integer(1)),
        "successThreshold": (False, integer(1)),
    }
)
CONTAINER_PORT = mapping(
    {"name": (False, PORT_NAME), "containerPort": (True, PORT), "protocol": (False, PROTOCOL)}
)
FIELD = mapping({"fieldRef": (True, mapping({"fieldPath": (True, one_of("metadata.name"))}))})
VARIABLE = mapping(
    {"name": (True, text("[-._a-zA-Z][-._a-zA-Z0-9]*")), "value": (False, text(longest=4096)),
     "valueFrom": (False, FIELD)}
)  # fmt: skip
AMOUNTS = mapping({"cpu": (False, QUANTITY), "memory": (False, QUANTITY)})
CONTAINER = mapping(
    {
        "name": (True, DNS_LABEL),
        "image": (True, text(longest=4096)),
        "command": (False, COMMANDS),
        "ports": (False, listed(CONTAINER_PORT)),
        "readinessProbe": (False, PROBE),
        "livenessProbe": (False, PROBE),
        "startupProbe": (False, PROBE),
        "env": (False, listed(VARIABLE)),
        "resources": (False, mapping({"requests": (False, AMOUNTS), "limits": (False, AMOUNTS)})),
        "securityContext": (
            False,
            mapping(
                {
                    "allowPrivilegeEscalation": (False, flag),
                    "readOnlyRootFilesystem": (False, flag),
                    "capabilities": (False, mapping({"drop": (False, listed(text()))})),
                }
            ),
        ),
        "volumeMounts": (
            False,
            listed(
                mapping(
                    {
                        "name": (True, DNS_LABEL),
                        "mountPath": (True, PATH),
                        "subPath": (False, text("[^/].*", 4096)),
                        "readOnly": (False, flag),
                    }
                )
            ),
        ),
    }
)
VOLUME = mapping(
    {
        "name": (True, DNS_LABEL),
        "configMap": (False, mapping({"name": (True, NAME)})),
        "emptyDir": (False, mapping({})),
        "secret": (
            False,
            mapping(
                {
                    "secretName": (True, NAME),
                    "defaultMode": (False, integer(0, 0o777)),
                    "optional": (False, flag),
                }
            ),
        ),
    }
)
POD = mapping(
    {
        "automountServiceAccountToken": (False, flag),
        "serviceAccountName": (False, NAME),
        "terminationGracePeriodSeconds": (False, integer()),
        "securityContext": (
            False,
            mapping(
                {
                    "runAsNonRoot": (False, flag),
                    "runAsUser": (False, integer()),
                    "runAsGroup": (False, integer()),
                    "fsGroup": (False, integer()),
                    "seccompProfile": (
                        False,
                        mapping({"type": (True, one_of("RuntimeDefault", "Unconfined"))}),
                    ),
                }
            ),
        ),
        "containers": (True, listed(CONTAINER, 1)),
        "volumes": (False, listed(VOLUME)),
    }
)
TEMPLATE = mapping({"metadata": (True, mapping({"labels": (True, LABELS)})), "spec": (True, POD)})
SELECTOR = mapping({"matchLabels": (True, LABELS)})
SERVICE_PORT = mapping(
    {
        "name": (False, DNS_LABEL),
        "port": (True, PORT),
        "targetPort": (False, port_or_name),
        "protocol": (False, PROTOCOL),
    }
)
PEER = mapping({"namespaceSelector": (False, SELECTOR), "podSelector": (False, SELECTOR)})
PORTS = listed(mapping({"port": (False, port_or_name), "protocol": (False, PROTOCOL)}))
INGRESS = mapping({"from": (False, listed(PEER)), "ports": (False, PORTS)})
EGRESS = mapping({"to": (False, listed(PEER)), "ports": (False, PORTS)})
FILE = text(r"[^/\s]+")
KUSTOMIZATION = mapping(
    {
        "apiVersion": (True, one_of("kustomize.config.k8s.io/v1beta1")),
        "kind": (True, one_of("Kustomization")),
        "namespace": (False, DNS_LABEL),
        "resources": (True, listed(FILE, 1)),
        "configMapGenerator": (
            False,
            listed(mapping({"name": (True, NAME), "files": (True, listed(FILE, 1))})),
        ),
    }
)
RBAC = "rbac.authorization.k8s.io"
RULE = mapping(
    {
        "apiGroups": (False, listed(text("|[a-z0-9.-]+"))),
        "resources": (False, listed(text("[a-z]+(/[a-z]+)?"), 1)),
        "resourceNames": (False, listed(NAME)),
        "verbs": (True, listed(one_of("get", "list", "watch", "patch", "update"), 1)),
    }
)
ROLE_REF = mapping(
    {"apiGroup": (True, one_of(RBAC)), "kind": (True, one_of("Role")), "name": (True, NAME)}
)
SUBJECT = mapping(
    {
        "kind": (True, one_of("ServiceAccount")),
        "name": (True, NAME),
        "namespace": (False, DNS_LABEL),
    }
)
COMMON = {
    "selector": (True, SELECTOR),
    "template": (True, TEMPLATE),
    "replicas": (False, integer()),
}


def kind(version: str, name: str, **fields: tuple[bool, Check]) -> Check:
    return mapping(
        {
            "apiVersion": (True, one_of(version)),
            "kind": (True, one_of(name)),
            "metadata": (True, METADATA),
            **fields,
        }
    )


KINDS = {
    "ServiceAccount": kind("v1", "ServiceAccount"),
    "Role": kind(f"{RBAC}/v1", "Role", rules=(True, listed(RULE))),
    "RoleBinding": kind(
        f"{RBAC}/v1",
        "RoleBinding",
        roleRef=(True, ROLE_REF),
        subjects=(False, listed(SUBJECT)),
    ),
    "ConfigMap": kind("v1", "ConfigMap", data=(True, texts("(?s).+", 2**20))),
    "Service": kind(
        "v1",
        "Service",
        spec=(
            True,
            mapping(
                {
                    "clusterIP": (False, one_of("None")),
                    "selector": (False, LABELS),
                    "type": (False, one_of("ClusterIP", "NodePort", "LoadBalancer")),
                    "ports": (False, listed(SERVICE_PORT, 1)),
                }
            ),
        ),
    ),
    "NetworkPolicy": kind(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec=(
            True,
            mapping(
                {
                    "podSelector": (True, SELECTOR),
                    "policyTypes": (False, listed(one_of("Ingress", "Egress"))),
                    "ingress": (False, listed(INGRESS)),
                    "egress": (False, listed(EGRESS)),
                }
            ),
        ),
    ),
    "Deployment": kind(
        "apps/v1",
        "Deployment",
        spec=(
            True,
            mapping(
                {
                    **COMMON,
                    "strategy": (
                        False,
                        mapping({"type": (True, one_of("Recreate", "RollingUpdate"))}),
                    ),
                }
            ),
        ),
    ),
    "StatefulSet": kind(
        "apps/v1",
        "StatefulSet",
        spec=(
            True,
            mapping(
                {
                    **COMMON,
                    "serviceName": (False, NAME),
                    "podManagementPolicy": (False, one_of("OrderedReady", "Parallel")),
                }
            ),
        ),
    ),
}


def check(document: Any) -> None:
    """Raise `Refused` unless Kubernetes accepts an object, and its pods what they are given."""
    KINDS[document["kind"]](document, "")
    template = document["spec"].get("template") if "spec" in document else None
    if template is None:
        return
    selector, own = document["spec"]["selector"]["matchLabels"], template["metadata"]["labels"]
    if not selector.items() <= own.items():
        raise Refused(".spec.selector: does not match template labels")
    named = [volume["name"] for volume in template["spec"].get("volumes", [])]
    volumes = set(named)
    if len(named) > len(volumes):
        raise Refused(".volumes: a name twice")
    for container in template["spec"]["containers"]:
        _check_container(container, volumes)


def _check_container(container: Any, volumes: set[str]) -> None:
    """Mounts, variables and probes name what there is."""
    mounts = container.get("volumeMounts", [])
    for mount in mounts:
        if mount["name"] not in volumes:
            raise Refused(f".volumeMounts: {mount['name']} is not a volume")
    paths = [mount["mountPath"] for mount in mounts]
    if len(paths) != len(set(paths)):
        raise Refused(".volumeMounts: a path twice")
    variables = {each["name"] for each in container.get("env", [])}
    for word in container.get("command", []):
        for name in re.findall(r"\$\(([^)]*)\)", word):
            if name not in variables:
                raise Refused(f".command: {name} is not a variable")
    ports = container.get("ports", [])
    names = [port["name"] for port in ports if "name" in port]
    if len(names) != len(set(names)):
        raise Refused(".ports: a name twice")
    for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
        port = container[probe]["httpGet"]["port"] if probe in container else None
        if isinstance(port, str) and port not in names:
            raise Refused(f".{probe}: {port} is not a port")


def check_together(objects: Sequence[Any]) -> None:
    """Raise `Refused` unless each object is accepted, and services and policies meet the pods."""
    for each in objects:
        check(each)
    pods = [each["spec"]["template"] for each in objects if "template" in each.get("spec", {})]
    for each in objects:
        if each["kind"] == "Service":
            chosen = _chosen(pods, each["spec"]["selector"], each)
            for port in each["spec"]["ports"]:
                _check_target(port["targetPort"], chosen)
        elif each["kind"] == "NetworkPolicy":
            chosen = _chosen(pods, each["spec"]["podSelector"]["matchLabels"], each)
            for direction in ("Ingress", "Egress"):
                # A type without rules lets nothing through, and rules without it are ignored.
                if (direction in each["spec"]["policyTypes"]) != bool(
                    each["spec"].get(direction.lower())
                ):
                    raise Refused(f".policyTypes: {direction}")
            for rule in each["spec"]["ingress"]:
                for port in rule["ports"]:
                    _check_target(port["port"], chosen)


def _chosen(pods: Sequence[Any], labels: Mapping[str, str], chooser: Any) -> list[Any]:
    chosen = [pod for pod in pods if labels.items() <= pod["metadata"]["labels"].items()]
    if not chosen:
        raise Refused(f"{chooser['kind']}: chooses no pod")
    return chosen


def _check_target(port: int | str, pods: Sequence[Any]) -> None:
    for pod in pods:
        ports = [each for one in pod["spec"]["containers"] for each in one.get("ports", [])]
        if not any(port in (each["containerPort"], each.get("name")) for each in ports):
            raise Refused(f"port {port}: no container has it")


def check_kustomization(document: Any, files: Collection[str], objects: Sequence[Any]) -> None:
    """Raise `Refused` unless its files are there, and volumes have the ConfigMaps it makes.

    files: Names beside the kustomization.
    objects: Workloads among its resources.
    """
    KUSTOMIZATION(document, "")
    maps = document.get("configMapGenerator", [])
    named = [*document["resources"], *(name for each in maps for name in each["files"])]
    if missing := sorted(set(named) - set(files)):
        raise Refused(f"kustomization: no file {missing[0]}")
    made = {each["name"] for each in maps}
    for each in objects:
        pod = each["spec"].get("template", {}).get("spec", {})
        for volume in pod.get("volumes", []):
            if "configMap" in volume and volume["configMap"]["name"] not in made:
                raise Refused(f".volumes: no ConfigMap {volume['configMap']['name']}")
