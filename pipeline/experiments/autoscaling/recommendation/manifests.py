"""What to deploy: KEDA's ScaledObject with its behaviour, or a Deployment's number of replicas.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject, with KEDA's scaler for Apache Kafka, of
``autoscaling/v2`` HorizontalPodAutoscalerBehavior, and of ``apps/v1`` Deployment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from algorithms.assignment import assignors
from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.scaling_policies import Behaviour, check_behaviour
from algorithms.autoscaling.strategy import COUNTING
from algorithms.core.input_errors import UnknownAlgorithmError
from pipeline.base.errors import InputError
from pipeline.base.text import quoting
from pipeline.base.text.kubernetes_names import NAMESPACE, OBJECT, check_option
from pipeline.experiments.autoscaling.recommendation import cluster_versions
from pipeline.experiments.autoscaling.recommendation.cluster_versions import Cluster
from pipeline.experiments.autoscaling.recommendation.consumer_settings import (
    KAFKAS_DEFAULT,
    Consumers,
)
from pipeline.inputs.prometheus import write_rate

SYNC_S = 15.0
"""Time between syncs of the horizontal pod autoscaler. It is set for a whole cluster."""

MAX_WINDOW_S, MAX_PERIOD_S = 3600, 1800
"""Longest windows and periods that Kubernetes allows in a behaviour, s."""

DEFAULT_TOLERANCE = 0.1
"""Tolerance of the horizontal pod autoscaler where a behaviour has none."""

_NEAR = 0.1
"""Share of the sync period that is no difference: steps may not divide it."""

KIP_848_BROKERS = "4.0.0"
"""Oldest brokers with KIP-848; they refuse KEDA's own default of the trigger's version, 1.0.0."""

BYTES = "bytes/s"
"""Unit of recordings whose lag KEDA cannot count."""

_NEEDS_TOPIC = ("limit_to_partitions_with_lag", "ensure_even")
"""Switches that KEDA refuses in a trigger without a topic."""

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_GROUP = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")
_SERVERS = re.compile(r"[A-Za-z0-9.\[\]:_-]+:[0-9]{1,5}(?:,[A-Za-z0-9.\[\]:_-]+:[0-9]{1,5})*")
_URL = re.compile(r"https?://[A-Za-z0-9.\[\]:_-]+(?:/[A-Za-z0-9._~/-]*)?")
_MOST_NAMED = 5
_EXACT = 1e-9
_MAX_NAME = 253 - len("keda-hpa-")
_MAX_SCALED = 63 - len("keda-hpa-")
"""Characters of a ScaledObject's name: KEDA's webhook refuses more."""


class Target(NamedTuple):
    """Names of what is deployed. A name that is not known is None."""

    deployment: str | None = None
    namespace: str | None = None
    """`deployment`, `namespace`: the Deployment whose replicas are the consumers. Without a
    namespace, the current one of the client counts."""
    servers: str | None = None
    """Addresses of brokers, ``HOST:PORT``, separated by commas."""
    group: str | None = None
    topic: str | None = None
    """`group`, `topic`: the consumer group, and the topic; without a topic all topics of the group
    count."""
    recorded: tuple[tuple[str, int], ...] = ()
    """Topics of the recording, each with its partitions; empty where names are not known."""
    unit: str = ""
    """Unit of the recording, such as ``bytes/s``; empty if it is not known."""
    cluster: Cluster = cluster_versions.DEFAULT
    """Where it is deployed."""
    prometheus: str | None = None
    """Address of the Prometheus that KEDA asks, ``http://HOST:PORT``."""
    exporter: str = write_rate.DEFAULT
    """Exporter of the end offsets that it scrapes, one of `write_rate.BY_NAME`."""

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics whose lag is simulated, as far as their names are known."""
        names = tuple(name for name, _ in self.recorded)
        return names if names or self.topic is None else (self.topic,)


PLACEHOLDERS = Target(
    deployment="my-consumer",
    servers="kafka:9092",
    group="my-group",
    topic="my-topic",
    prometheus="http://prometheus-server.monitoring.svc:80",
)
"""Names in manifests where they are not known."""


def check_target(target: Target) -> Target:
    """Return valid names. Raises InputError, which names the option, if one is wrong."""
    check_option("deployment", target.deployment, OBJECT, "lowercase letters, digits, - and .",
                 "my-consumer", _MAX_NAME)  # fmt: skip
    check_option("namespace", target.namespace, NAMESPACE, "lowercase letters, digits and -",
                 "events")  # fmt: skip
    check_option("bootstrap-servers", target.servers, _SERVERS, "HOST:PORT, separated by commas",
                 "kafka:9092", 4096)  # fmt: skip
    check_option("group", target.group, _GROUP, "printable characters", "my-group")
    check_option("topic", target.topic, _TOPIC, "letters, digits, ., _ and -", "my-topic")
    check_option("prometheus", target.prometheus, _URL, "http(s)://HOST:PORT without a login",
                 str(PLACEHOLDERS.prometheus), 2048)  # fmt: skip
    if target.exporter not in write_rate.BY_NAME:
        raise InputError(
            f"`--exporter` must be one of {', '.join(write_rate.BY_NAME)} "
            f"(got {quoting.named(target.exporter)})"
        )
    return target


def of_recording(target: Target, topics: Iterable[tuple[str, int]], unit: str) -> Target:
    """The target, with what the recording says.

    topics: Names and partitions of the topics that are simulated; an unnamed one has the name
        ``""``.
    Raises InputError if ``--topic`` is not what is simulated: an unknown topic, or one of several.
    """
    recorded = tuple((str(name), int(partitions)) for name, partitions, *_ in topics)
    if not all(_TOPIC.fullmatch(name) for name, _ in recorded):
        recorded = ()
    names = [name for name, _ in recorded]
    if target.topic is not None and names and names != [target.topic]:
        shown = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
        if target.topic not in names:
            raise InputError(
                f"`--topic {target.topic}` is not in the recording, which has {shown}; name a "
                "recorded topic, or leave `--topic` out"
            )
        raise InputError(
            f"`--topic {target.topic}` is one of {len(names):,} topics of the recording ({shown}), "
            "and the group is simulated with the lag of all of them; leave `--topic` out, or "
            "record that topic alone"
        )
    return target._replace(recorded=recorded, unit=unit)


def obstacle(
    candidate: Candidate, settings: Mapping[str, Any], target: Target | None = None
) -> str | None:
    """Why a candidate cannot be deployed with Kubernetes and KEDA as they are; None if it can.

    settings: Settings of its simulated group, its own ones included.
    target: What is known of the recording and the group; by default nothing.
    """
    where = Target() if target is None else target
    if candidate.strategy == "constant":
        return None
    is_form = strategies.inner_of(candidate.strategy) is not None
    if not is_form and candidate.strategy != "keda_hpa":
        return _of_ideal(candidate.strategy)
    of_kind = _of_form if is_form else _of_keda
    return _of_name(where) or of_kind(candidate, settings, where)


def _of_name(target: Target) -> str | None:
    """Why no ScaledObject can have the Deployment's name."""
    length = len(target.deployment or "")
    if length <= _MAX_SCALED:
        return None
    return (
        f"needs a ScaledObject with the name of --deployment, of at most {_MAX_SCALED} characters "
        f"(got {length}): give the Deployment a shorter one"
    )


def _of_keda(candidate: Candidate, settings: Mapping[str, Any], target: Target) -> str | None:
    """Why KEDA's own trigger cannot do what was simulated."""
    if target.unit == BYTES:
        return (
            "needs a recording in messages/s, since KEDA's lagThreshold counts messages and this "
            "one is in bytes/s: record offsets or messages/s"
        )
    if abs(settings["decision_s"] - SYNC_S) > _NEAR * SYNC_S:
        return f"needs another sync period than {SYNC_S:g} s, which is set for a whole cluster"
    if settings.get("cooldown_s"):
        return "needs a cooldown, which the pod autoscaler does not have"
    arguments = keda_arguments(candidate)
    if needed := _topic_needed(arguments, target):
        return needed
    for name in ("scale_up", "scale_down"):
        behaviour = check_behaviour(name, arguments[name], float("inf"))
        if not _is_expressible(behaviour):
            return f"needs a {name} that Kubernetes does not accept"
    whole = all(float(arguments[name]).is_integer() for name in ("polling_s", "idle_s"))
    return None if whole else "needs fractions of a second, which KEDA does not have"


def _of_form(candidate: Candidate, settings: Mapping[str, Any], target: Target) -> str | None:
    """Why a strategy cannot run behind KEDA."""
    arguments = {**registry.get(candidate.strategy).arguments, **candidate.arguments}
    sync_s, decision_s = arguments["sync_s"], settings["decision_s"]
    # The simulated sync waits for a decision of the group.
    simulated_s = math.ceil(sync_s / decision_s - _EXACT) * decision_s
    if abs(simulated_s - SYNC_S) > _NEAR * SYNC_S:
        return f"needs another sync period than {SYNC_S:g} s, which is set for a whole cluster"
    if settings.get("cooldown_s"):
        return "needs a cooldown, which the pod autoscaler does not have"
    if target.unit == BYTES:
        return "needs a recording in messages/s, since the scaler counts offsets"
    if len(target.topics) > 1:
        return "needs a scaler that reads several topics for one group, which ours does not"
    if settings.get("assignor") == "kip169":
        return "needs another assignor than kip169, which the scaler does not know"
    return _too_old(candidate, arguments, target.cluster)


def _too_old(candidate: Candidate, arguments: Mapping[str, Any], cluster: Cluster) -> str | None:
    """What the cluster's versions lack for a strategy behind KEDA."""
    is_external = candidate.strategy.startswith(f"{strategies.FORMS[1]}:")
    if is_external and cluster.keda < cluster_versions.EXTERNAL_KEDA:
        least = cluster_versions.text(cluster_versions.EXTERNAL_KEDA)
        return f"needs KEDA {least}: one before scales by CPU while the scaler is away"
    tolerances = {arguments["tolerance_up"], arguments["tolerance_down"]}
    if tolerances != {DEFAULT_TOLERANCE} and not cluster.has_tolerance:
        return f"needs {cluster_versions.TOLERANCE_NEEDS} for its tolerance"
    return None


def _of_ideal(name: str) -> str:
    """What a strategy needs that is no form: one through KEDA where it decides on a count."""
    form = f"{strategies.FORMS[0]}:{name}"
    try:
        is_form = registry.get(form).family == COUNTING
    except UnknownAlgorithmError:
        is_form = False
    if not is_form:
        return "needs a controller that runs this strategy"
    return f"is the ideal form, without a pod autoscaler: what can be deployed is {form}"


def _topic_needed(arguments: Mapping[str, Any], target: Target) -> str | None:
    """Why a trigger must name a topic that is not known; None if it need not, or it is known."""
    n_topics = len(target.topics)
    if is_per_topic(arguments):
        return None if n_topics else "needs names of topics, which the recording does not have"
    switch = next((name for name in _NEEDS_TOPIC if arguments[name]), None)
    if switch is None or n_topics == 1:
        return None
    if n_topics > 1:
        return f"needs a trigger for each topic, since KEDA refuses {switch} for several topics"
    return f"needs --topic, without which KEDA refuses {switch}"


def is_per_topic(arguments: Mapping[str, Any]) -> bool:
    """Whether each topic has a trigger of its own."""
    return bool(arguments.get("per_topic", False))


def keda_arguments(candidate: Candidate) -> dict[str, Any]:
    """All arguments of a candidate of KEDA, with their defaults."""
    return {**registry.get("keda_hpa").arguments, **candidate.arguments}


def scaled_object(
    candidate: Candidate,
    settings: Mapping[str, Any],
    target: Target,
    consumers: Consumers = KAFKAS_DEFAULT,
    partitions: int | None = None,
) -> dict[str, Any]:
    """KEDA's ScaledObject that does what a simulated candidate of KEDA does.

    candidate: A candidate of ``keda_hpa`` without an `obstacle`.
    settings: Settings of its simulated group, with ``min_replicas`` and ``max_replicas``.
    target: Names; `PLACEHOLDERS` where they are not known.
    consumers: How they share partitions, which bounds the replicas that can be of use.
    partitions: Number of partitions of a recording without names of topics; None leaves the bound
        to the settings.
    """
    arguments = keda_arguments(candidate)
    name = target.deployment or PLACEHOLDERS.deployment
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata(target),
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
            "pollingInterval": int(arguments["polling_s"]),
            "cooldownPeriod": int(arguments["idle_s"]),
            "minReplicaCount": settings["min_replicas"],
            "maxReplicaCount": max_replicas(settings, target, consumers, partitions),
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(arguments)}},
            "triggers": [
                {"type": "kafka", "metadata": _trigger(arguments, target, topic, consumers)}
                for topic in trigger_topics(arguments, target)
            ],
        },
    }


def max_replicas(
    settings: Mapping[str, Any], target: Target, consumers: Consumers, partitions: int | None
) -> int:
    """The most replicas that are of use: further ones get no partition from the assignor."""
    sizes = [size for _, size in target.recorded] or [partitions or settings["max_replicas"]]
    useful = assignors.most_useful(consumers.assignor, sizes)
    most: int = max(min(settings["max_replicas"], useful), settings["min_replicas"], 1)
    return most


def trigger_topics(arguments: Mapping[str, Any], target: Target) -> tuple[str | None, ...]:
    """Topic of each trigger; None for one that counts all topics of the group."""
    if is_per_topic(arguments):
        return target.topics
    return target.topics if len(target.topics) == 1 else (None,)


def deployment_patch(replicas: int, target: Target) -> dict[str, Any]:
    """Patch of a Deployment that sets its number of replicas."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(target),
        "spec": {"replicas": replicas},
    }


def metadata(target: Target) -> dict[str, str]:
    """Name and, if it is known, namespace."""
    name = {"name": target.deployment or PLACEHOLDERS.deployment or ""}
    return name if target.namespace is None else {**name, "namespace": target.namespace}


def _trigger(
    arguments: Mapping[str, Any], target: Target, topic: str | None, consumers: Consumers
) -> dict[str, str]:
    """Metadata of a trigger: KEDA takes texts only."""
    named = {} if topic is None else {"topic": topic}
    version = {"version": KIP_848_BROKERS} if consumers.is_kip848 else {}
    switches = {
        "allowIdleConsumers": arguments["allow_idle"],
        "limitToPartitionsWithLag": arguments["limit_to_partitions_with_lag"],
        "ensureEvenDistributionOfPartitions": arguments["ensure_even"],
        "excludePersistentLag": arguments["exclude_persistent_lag"],
    }
    return {
        "bootstrapServers": target.servers or PLACEHOLDERS.servers or "",
        "consumerGroup": target.group or PLACEHOLDERS.group or "",
        **named,
        **version,
        "lagThreshold": str(arguments["threshold"]),
        "activationLagThreshold": str(arguments["activation"]),
        **{name: str(value).lower() for name, value in switches.items()},
    }


def behaviour(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Behaviour of both directions, of a strategy's arguments."""
    return {
        "scaleUp": _rules(arguments["scale_up"], arguments["tolerance_up"]),
        "scaleDown": _rules(arguments["scale_down"], arguments["tolerance_down"]),
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
