"""What Kubernetes accepts, written from its published schemas, as far as manifests of groups go.

``v1`` ConfigMap and Service, ``apps/v1`` Deployment and StatefulSet. A field that is not listed is
an error, as for ``kubectl apply`` with strict validation.
"""

from __future__ import annotations

import re
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
    {"name": (True, NAME), "namespace": (False, DNS_LABEL), "labels": (True, LABELS)}
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
            mapping({"secretName": (True, NAME), "defaultMode": (False, integer(0, 0o777))}),
        ),
    }
)
POD = mapping(
    {
        "automountServiceAccountToken": (False, flag),
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
    "ConfigMap": kind("v1", "ConfigMap", data=(True, texts("(?s).+", 2**20))),
    "Service": kind(
        "v1",
        "Service",
        spec=(True, mapping({"clusterIP": (False, one_of("None")), "selector": (False, LABELS)})),
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
    volumes = {volume["name"] for volume in template["spec"]["volumes"]}
    for container in template["spec"]["containers"]:
        for mount in container["volumeMounts"]:
            if mount["name"] not in volumes:
                raise Refused(f".volumeMounts: {mount['name']} is not a volume")
        variables = {each["name"] for each in container["env"]}
        for word in container["command"]:
            for name in re.findall(r"\$\(([^)]*)\)", word):
                if name not in variables:
                    raise Refused(f".command: {name} is not a variable")
