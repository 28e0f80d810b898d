"""What Kubernetes and KEDA accept, written from their published schemas.

``keda.sh/v1alpha1`` ScaledObject and TriggerAuthentication: the CRDs, the webhook, and the
reference of KEDA's scalers for Apache Kafka, Prometheus, metrics of an API (``metrics-api``) and a
process of one's own (``external``).
``autoscaling/v2`` HPAScalingRules and HPAScalingPolicy, and ``apps/v1`` Deployment: the API
reference of Kubernetes. A field that they do not have is an error, as for ``kubectl apply`` with
strict validation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any, str], None]
Fields = Mapping[str, tuple[bool, Check]]


class Refused(ValueError):
    """A document that is not accepted; the message has the path of the field."""


def text(form: str = ".+", longest: int = 253) -> Check:
    def check(value: Any, path: str) -> None:
        if not isinstance(value, str) or len(value) > longest or not re.fullmatch(form, value):
            raise Refused(f"{path}: {value!r}")

    return check


def integer(least: int = 0, most: int = 2**31 - 1) -> Check:
    def check(value: Any, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Refused(f"{path}: {value!r}")

    return check


def one_of(*values: str) -> Check:
    return text("|".join(map(re.escape, values)))


def listed(check: Check, least: int = 0) -> Check:
    def checked(value: Any, path: str) -> None:
        if not isinstance(value, list) or len(value) < least:
            raise Refused(f"{path}: {value!r}")
        for i, element in enumerate(value):
            check(element, f"{path}[{i}]")

    return checked


def mapping(fields: Fields) -> Check:
    def check(value: Any, path: str) -> None:
        if not isinstance(value, Mapping):
            raise Refused(f"{path}: {value!r}")
        for name in value:
            if name not in fields:
                raise Refused(f"{path}.{name}: unknown field")
        for name, (required, inner) in fields.items():
            if name in value:
                inner(value[name], f"{path}.{name}")
            elif required:
                raise Refused(f"{path}.{name}: missing")

    return check


LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
METADATA = mapping(
    {"name": (True, text(rf"{LABEL}(\.{LABEL})*")), "namespace": (False, text(LABEL))}
)
POLICY = mapping(
    {
        "type": (True, one_of("Pods", "Percent")),
        "value": (True, integer(1)),
        "periodSeconds": (True, integer(1, 1800)),
    }
)
RULES = mapping(
    {
        "stabilizationWindowSeconds": (False, integer(0, 3600)),
        "selectPolicy": (False, one_of("Max", "Min", "Disabled")),
        "policies": (False, listed(POLICY, 1)),
        "tolerance": (False, text(r"[0-9]+(\.[0-9]+)?")),
    }
)
SWITCH = one_of("true", "false")
NUMBER = text("[0-9]+")
FRACTION = text(r"[0-9]+(\.[0-9]+)?")
KAFKA = mapping(
    {
        "bootstrapServers": (True, text(r"[^,:\s]+:[0-9]+(,[^,:\s]+:[0-9]+)*", 4096)),
        "consumerGroup": (True, text()),
        "topic": (False, text("[A-Za-z0-9._-]{1,249}")),
        "lagThreshold": (False, text("[1-9][0-9]*")),
        "activationLagThreshold": (False, NUMBER),
        "offsetResetPolicy": (False, one_of("latest", "earliest")),
        "allowIdleConsumers": (False, SWITCH),
        "scaleToZeroOnInvalidOffset": (False, SWITCH),
        "excludePersistentLag": (False, SWITCH),
        "limitToPartitionsWithLag": (False, SWITCH),
        "ensureEvenDistributionOfPartitions": (False, SWITCH),
        "version": (False, text()),
        "partitionLimitation": (False, text()),
    }
)
METRICS_API = mapping(
    {
        "url": (True, text(r"https?://[^\s]+", 4096)),
        "valueLocation": (True, text()),
        "targetValue": (False, FRACTION),
        "activationTargetValue": (False, FRACTION),
        "format": (False, one_of("json", "xml", "yaml", "prometheus")),
        "aggregationType": (False, one_of("average", "sum", "max", "min")),
        "aggregateFromKubeServiceEndpoints": (False, SWITCH),
        "unsafeSsl": (False, SWITCH),
        "timeout": (False, NUMBER),
        "authMode": (False, one_of("apiKey", "basic", "tls", "bearer")),
        "method": (False, one_of("header", "query")),
        "keyParamName": (False, text()),
    }
)


PROMETHEUS = mapping(
    {
        "serverAddress": (True, text(r"https?://[^\s]+", 4096)),
        "query": (True, text("(?s).+", 1_000_000)),
        "threshold": (True, FRACTION),
        "activationThreshold": (False, FRACTION),
        "queryParameters": (False, text()),
        "namespace": (False, text()),
        "cortexOrgID": (False, text()),
        "customHeaders": (False, text()),
        "ignoreNullValues": (False, SWITCH),
        "unsafeSsl": (False, SWITCH),
        "timeout": (False, NUMBER),
        "authModes": (False, text()),
    }
)


def _external(value: Any, path: str) -> None:
    """All texts are handed to the process, besides its address and how it is called."""
    if not isinstance(value, Mapping):
        raise Refused(f"{path}: {value!r}")
    own = {name: (False, text(longest=4096)) for name in value if isinstance(name, str)}
    address = {"scalerAddress": (True, text(r"[^/:\s]+:[0-9]{1,5}"))}
    switches = {"enableTLS": (False, SWITCH), "unsafeSsl": (False, SWITCH)}
    mapping({**own, **address, **switches})(value, path)


METADATA_OF = {
    "kafka": KAFKA,
    "metrics-api": METRICS_API,
    "prometheus": PROMETHEUS,
    "external": _external,
}


def TRIGGER(value: Any, path: str) -> None:
    """A trigger, with the metadata of its type."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    mapping(
        {
            "type": (True, one_of(*METADATA_OF)),
            "name": (False, text()),
            "metadata": (True, METADATA_OF.get(str(kind), text())),
            "metricType": (False, one_of("AverageValue", "Value")),
            "useCachedMetrics": (False, lambda value, path: None),
            "authenticationRef": (
                False,
                mapping({"name": (True, text()), "kind": (False, text())}),
            ),
        }
    )(value, path)


FALLBACK = mapping(
    {
        "failureThreshold": (True, integer()),
        "replicas": (True, integer()),
        "behavior": (
            False,
            one_of(
                "static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"
            ),
        ),
    }
)
MODIFIERS = mapping(
    {
        "formula": (True, text("(?s).+", 1_000_000)),
        "target": (True, FRACTION),
        "activationTarget": (False, FRACTION),
        "metricType": (False, one_of("AverageValue", "Value")),
    }
)
SCALED_OBJECT = mapping(
    {
        "apiVersion": (True, one_of("keda.sh/v1alpha1")),
        "kind": (True, one_of("ScaledObject")),
        "metadata": (True, METADATA),
        "spec": (
            True,
            mapping(
                {
                    "scaleTargetRef": (
                        True,
                        mapping(
                            {
                                "name": (True, text()),
                                "apiVersion": (False, text()),
                                "kind": (False, text()),
                                "envSourceContainerName": (False, text()),
                            }
                        ),
                    ),
                    "pollingInterval": (False, integer(1)),
                    "cooldownPeriod": (False, integer()),
                    "initialCooldownPeriod": (False, integer()),
                    "idleReplicaCount": (False, integer()),
                    "minReplicaCount": (False, integer()),
                    "maxReplicaCount": (False, integer(1)),
                    "fallback": (False, FALLBACK),
                    "advanced": (
                        False,
                        mapping(
                            {
                                "restoreToOriginalReplicaCount": (False, lambda value, path: None),
                                "scalingModifiers": (False, MODIFIERS),
                                "horizontalPodAutoscalerConfig": (
                                    False,
                                    mapping(
                                        {
                                            "name": (False, text()),
                                            "behavior": (
                                                False,
                                                mapping(
                                                    {
                                                        "scaleUp": (False, RULES),
                                                        "scaleDown": (False, RULES),
                                                    }
                                                ),
                                            ),
                                        }
                                    ),
                                ),
                            }
                        ),
                    ),
                    "triggers": (True, listed(TRIGGER, 1)),
                }
            ),
        ),
    }
)
DEPLOYMENT_PATCH = mapping(
    {
        "apiVersion": (True, one_of("apps/v1")),
        "kind": (True, one_of("Deployment")),
        "metadata": (True, METADATA),
        "spec": (True, mapping({"replicas": (True, integer())})),
    }
)


TRIGGER_AUTHENTICATION = mapping(
    {
        "apiVersion": (True, one_of("keda.sh/v1alpha1")),
        "kind": (True, one_of("TriggerAuthentication")),
        "metadata": (True, METADATA),
        "spec": (
            True,
            mapping(
                {
                    "secretTargetRef": (
                        True,
                        listed(
                            mapping(
                                {
                                    "parameter": (True, text("[A-Za-z]+")),
                                    "name": (True, text(rf"{LABEL}(\.{LABEL})*")),
                                    "key": (True, text("[-._a-zA-Z0-9]+")),
                                }
                            ),
                            1,
                        ),
                    )
                }
            ),
        ),
    }
)
TLS_OF = {
    "metrics-api": ({"ca", "cert", "key"}, ("authMode", "tls")),
    "external": ({"caCert", "tlsClientCert", "tlsClientKey"}, ("enableTLS", "true")),
}
"""By type of trigger: parameters of a TriggerAuthentication that are certificates, and what the
trigger's metadata must have for KEDA to use them."""

MOST_NAME = 54
"""Characters of a ScaledObject's name: the webhook refuses 55."""


def check_scaled_object(document: Any, *, is_2_18: bool = False) -> None:
    """Raise `Refused` unless KEDA accepts a ScaledObject. is_2_18: Whether it is 2.18 or later."""
    SCALED_OBJECT(document, "")
    if len(document["metadata"]["name"]) > MOST_NAME:
        raise Refused(".metadata.name: too long")
    spec = document["spec"]
    if spec.get("minReplicaCount", 0) > spec.get("maxReplicaCount", 100):
        raise Refused(".spec.minReplicaCount: above maxReplicaCount")
    for trigger in spec["triggers"]:
        is_value = trigger.get("metricType", "AverageValue") == "Value"
        if "fallback" in spec and is_value and not is_2_18:
            raise Refused(".spec.fallback: is for AverageValue")
        if trigger["type"] == "kafka":
            _check_kafka(trigger["metadata"])
    if modifiers := spec.get("advanced", {}).get("scalingModifiers"):
        _check_modifiers(modifiers, spec)


def _check_modifiers(modifiers: Mapping[str, str], spec: Mapping[str, Any]) -> None:
    """What the webhook looks at: words of a formula are names of triggers."""
    names = {trigger.get("name") for trigger in spec["triggers"]}
    if not set(re.findall(r"[A-Za-z_]\w*", modifiers["formula"])) <= names:
        raise Refused(".spec.advanced.scalingModifiers.formula: an unknown word")
    if "fallback" in spec and modifiers.get("metricType", "AverageValue") != "AverageValue":
        raise Refused(".spec.fallback: is for AverageValue")


def _check_kafka(values: Mapping[str, str]) -> None:
    idle, limited, even = (
        values.get(name) == "true"
        for name in (
            *("allowIdleConsumers", "limitToPartitionsWithLag"),
            "ensureEvenDistributionOfPartitions",
        )
    )
    if idle and (limited or even):
        raise Refused(".spec.triggers: allowIdleConsumers excludes limits")


def check_authenticated(scaled_object: Any, authentication: Any) -> None:
    """Raise `Refused` unless each trigger asks with the certificates of an authentication."""
    check_scaled_object(scaled_object)
    TRIGGER_AUTHENTICATION(authentication, "")
    own, other = scaled_object["metadata"], authentication["metadata"]
    if own.get("namespace") != other.get("namespace"):
        raise Refused(".metadata.namespace: another than the ScaledObject's")
    given = {each["parameter"] for each in authentication["spec"]["secretTargetRef"]}
    for trigger in scaled_object["spec"]["triggers"]:
        if trigger.get("authenticationRef", {}).get("name") != other["name"]:
            raise Refused(".authenticationRef: names no TriggerAuthentication")
        known, (switch, value) = TLS_OF[trigger["type"]]
        if given != known:
            raise Refused(f".secretTargetRef: {sorted(given)} for {trigger['type']}")
        if trigger["metadata"].get(switch) != value:
            raise Refused(f".metadata.{switch}: certificates are not used")
        if trigger["metadata"].get("url", "https://").partition(":")[0] != "https":
            raise Refused(".metadata.url: plaintext")
