"""What to deploy: KEDA's ScaledObject with its behaviour, or a Deployment's number of replicas.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject, with KEDA's scaler for Apache Kafka, of
``autoscaling/v2`` HorizontalPodAutoscalerBehavior, and of ``apps/v1`` Deployment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.scaling_policies import Behaviour, check_behaviour
from pipeline.text.kubernetes_names import NAMESPACE, OBJECT, check_option

SYNC_S = 15.0
"""Time between syncs of the horizontal pod autoscaler. It is set for a whole cluster."""

MAX_WINDOW_S, MAX_PERIOD_S = 3600, 1800
"""Longest windows and periods that Kubernetes allows in a behaviour, s."""

DEFAULT_TOLERANCE = 0.1
"""Tolerance of the horizontal pod autoscaler where a behaviour has none."""

_NEAR = 0.1
"""Share of the sync period that is no difference: steps may not divide it."""

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_GROUP = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")
_SERVERS = re.compile(r"[A-Za-z0-9.\[\]:_-]+:[0-9]{1,5}(?:,[A-Za-z0-9.\[\]:_-]+:[0-9]{1,5})*")
_MAX_NAME = 253 - len("keda-hpa-")


class Target(NamedTuple):
    """Names of what is deployed. A name that is not known is None.

    Attributes
    ----------
    deployment, namespace : str or None
        The Deployment whose replicas are the consumers. Without a namespace, the current one of the
        client counts.
    servers : str or None
        Addresses of brokers, ``HOST:PORT``, separated by commas.
    group, topic : str or None
        The consumer group, and the topic; without a topic all topics of the group count.
    """

    deployment: str | None = None
    namespace: str | None = None
    servers: str | None = None
    group: str | None = None
    topic: str | None = None


PLACEHOLDERS = Target(deployment="my-consumer", servers="kafka:9092", group="my-group")
"""Names in manifests where they are not known."""


def check_target(target: Target) -> Target:
    """Return names that Kubernetes and Kafka accept.

    Raises
    ------
    InputError
        If one of them is wrong; the message names the option.
    """
    check_option("deployment", target.deployment, OBJECT, "lowercase letters, digits, - and .",
                 "my-consumer", _MAX_NAME)  # fmt: skip
    check_option("namespace", target.namespace, NAMESPACE, "lowercase letters, digits and -",
                 "events")  # fmt: skip
    check_option("bootstrap-servers", target.servers, _SERVERS, "HOST:PORT, separated by commas",
                 "kafka:9092", 4096)  # fmt: skip
    check_option("group", target.group, _GROUP, "printable characters", "my-group")
    check_option("topic", target.topic, _TOPIC, "letters, digits, ., _ and -", "my-topic")
    return target


def obstacle(candidate: Candidate, settings: Mapping[str, Any]) -> str | None:
    """Why a candidate cannot be deployed with Kubernetes and KEDA as they are; None if it can.

    Parameters
    ----------
    candidate
        A strategy with its parameters.
    settings
        Settings of its simulated group, its own ones included.
    """
    if candidate.strategy == "constant":
        return None
    if candidate.strategy != "keda_hpa":
        return "needs a controller that runs this strategy"
    if abs(settings["decision_s"] - SYNC_S) > _NEAR * SYNC_S:
        return f"needs another sync period than {SYNC_S:g} s, which is set for a whole cluster"
    if settings.get("cooldown_s"):
        return "needs a cooldown, which the pod autoscaler does not have"
    arguments = keda_arguments(candidate)
    for name in ("scale_up", "scale_down"):
        behaviour = check_behaviour(name, arguments[name], float("inf"))
        if not _is_expressible(behaviour):
            return f"needs a {name} that Kubernetes does not accept"
    whole = all(float(arguments[name]).is_integer() for name in ("polling_s", "idle_s"))
    return None if whole else "needs fractions of a second, which KEDA does not have"


def keda_arguments(candidate: Candidate) -> dict[str, Any]:
    """All arguments of a candidate of KEDA, with their defaults."""
    return {**registry.get("keda_hpa").arguments, **candidate.arguments}


def scaled_object(
    candidate: Candidate, settings: Mapping[str, Any], target: Target
) -> dict[str, Any]:
    """KEDA's ScaledObject that does what a simulated candidate of KEDA does.

    Parameters
    ----------
    candidate
        A candidate of ``keda_hpa`` without an `obstacle`.
    settings
        Settings of its simulated group, with ``min_replicas`` and ``max_replicas``.
    target
        Names; `PLACEHOLDERS` where they are not known.
    """
    arguments = keda_arguments(candidate)
    name = target.deployment or PLACEHOLDERS.deployment
    behaviour = {
        "scaleUp": _rules(arguments["scale_up"], arguments["tolerance_up"]),
        "scaleDown": _rules(arguments["scale_down"], arguments["tolerance_down"]),
    }
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": _metadata(target),
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
            "pollingInterval": int(arguments["polling_s"]),
            "cooldownPeriod": int(arguments["idle_s"]),
            "minReplicaCount": settings["min_replicas"],
            "maxReplicaCount": settings["max_replicas"],
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour}},
            "triggers": [{"type": "kafka", "metadata": _trigger(arguments, target)}],
        },
    }


def deployment_patch(replicas: int, target: Target) -> dict[str, Any]:
    """Patch of a Deployment that sets its number of replicas."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(target),
        "spec": {"replicas": replicas},
    }


def _metadata(target: Target) -> dict[str, str]:
    name = {"name": target.deployment or PLACEHOLDERS.deployment or ""}
    return name if target.namespace is None else {**name, "namespace": target.namespace}


def _trigger(arguments: Mapping[str, Any], target: Target) -> dict[str, str]:
    """Metadata of the trigger: KEDA takes texts only."""
    topic = {} if target.topic is None else {"topic": target.topic}
    switches = {
        "allowIdleConsumers": arguments["allow_idle"],
        "limitToPartitionsWithLag": arguments["limit_to_partitions_with_lag"],
        "ensureEvenDistributionOfPartitions": arguments["ensure_even"],
        "excludePersistentLag": arguments["exclude_persistent_lag"],
    }
    return {
        "bootstrapServers": target.servers or PLACEHOLDERS.servers or "",
        "consumerGroup": target.group or PLACEHOLDERS.group or "",
        **topic,
        "lagThreshold": str(arguments["threshold"]),
        "activationLagThreshold": str(arguments["activation"]),
        **{name: str(value).lower() for name, value in switches.items()},
    }


def _rules(value: object, tolerance: float) -> dict[str, Any]:
    """Behaviour of one direction. Older clusters do not know tolerances, so a default has none."""
    behaviour = check_behaviour("behaviour", value, float("inf"))
    rules: dict[str, Any] = {
        "stabilizationWindowSeconds": int(behaviour.window_s),
        "selectPolicy": behaviour.select,
    }
    if behaviour.policies:
        rules["policies"] = [
            {"type": kind, "value": int(number), "periodSeconds": int(period_s)}
            for kind, number, period_s in behaviour.policies
        ]
    return rules if tolerance == DEFAULT_TOLERANCE else {**rules, "tolerance": f"{tolerance:.10g}"}


def _is_expressible(behaviour: Behaviour) -> bool:
    """Whether its numbers are integers within the bounds of Kubernetes, and it has policies."""
    numbers = [behaviour.window_s, *(n for policy in behaviour.policies for n in policy[1:])]
    periods = [policy.period_s for policy in behaviour.policies]
    return (
        all(float(number).is_integer() for number in numbers)
        and behaviour.window_s <= MAX_WINDOW_S
        and all(policy.value > 0 for policy in behaviour.policies)
        and all(1 <= period <= MAX_PERIOD_S for period in periods)
        and (bool(periods) or behaviour.select == "Disabled")
    )
