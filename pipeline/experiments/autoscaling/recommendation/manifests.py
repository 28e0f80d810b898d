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
from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.scaling_policies import check_behaviour
from pipeline.base.errors import InputError
from pipeline.base.text import quoting
from pipeline.base.text.kubernetes_names import NAMESPACE, OBJECT, check_option
from pipeline.experiments.autoscaling.recommendation import cluster_versions, scaler_options
from pipeline.experiments.autoscaling.recommendation.cluster_versions import Cluster
from pipeline.experiments.autoscaling.recommendation.consumer_settings import (
    KAFKAS_DEFAULT,
    Consumers,
)
from pipeline.experiments.autoscaling.recommendation.scaler_options import ScalerOptions
from pipeline.inputs.prometheus import write_rate

DEFAULT_TOLERANCE = 0.1
"""Tolerance of the horizontal pod autoscaler where a behaviour has none."""

KIP_848_BROKERS = "4.0.0"
"""Oldest brokers with KIP-848; they refuse KEDA's own default of the trigger's version, 1.0.0."""

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_GROUP = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")
_PORT = "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
_SERVER = rf"[A-Za-z0-9.\[\]:_-]+:{_PORT}"
_SERVERS = re.compile(f"{_SERVER}(?:,{_SERVER})*")
_URL = re.compile(r"https?://[A-Za-z0-9.\[\]:_-]+(?:/[A-Za-z0-9._~/-]*)?")
_MOST_NAMED = 5
_MAX_NAME = 253 - len("keda-hpa-")


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
    unnamed: int = 0
    """Number of topics of a recording where names are not known."""
    unit: str = ""
    """Unit of the recording, such as ``bytes/s``; empty if it is not known."""
    cluster: Cluster = cluster_versions.DEFAULT
    """Where it is deployed."""
    scaler: ScalerOptions = scaler_options.DEFAULT
    """How a scaler runs, if what is deployed needs one."""
    prometheus: str | None = None
    """Address of the Prometheus that KEDA asks, ``http://HOST:PORT``."""
    exporter: str = write_rate.DEFAULT
    """Exporter of the end offsets that it scrapes, one of `write_rate.BY_NAME`."""
    members_per_replica: int = 1
    """Members of the group in each replica: simulations count members."""
    growth: tuple[tuple[str, float], ...] = ()
    """By assignor, how much the shares of the recording change; see `share_growth`."""

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
    unnamed = 0
    if not all(_TOPIC.fullmatch(name) for name, _ in recorded):
        recorded, unnamed = (), len(recorded)
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
    return target._replace(recorded=recorded, unnamed=unnamed, unit=unit)


def is_per_topic(arguments: Mapping[str, Any]) -> bool:
    """Whether each topic has a trigger of its own."""
    return bool(arguments.get("per_topic", False))


def arguments_of(candidate: Candidate) -> dict[str, Any]:
    """All arguments of a candidate's strategy, with their defaults."""
    return {**registry.get(candidate.strategy).arguments, **candidate.arguments}


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
            "minReplicaCount": replicas_of(settings["min_replicas"], target),
            "maxReplicaCount": max_replicas(settings, target, consumers, partitions),
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(arguments)}},
            "triggers": [
                {"type": "kafka", "metadata": _trigger(arguments, target, topic, consumers)}
                for topic in trigger_topics(arguments, target)
            ],
        },
    }


def replicas_of(members: float, target: Target) -> int:
    """Replicas that have so many members at least."""
    return math.ceil(members / target.members_per_replica)


def max_replicas(
    settings: Mapping[str, Any], target: Target, consumers: Consumers, partitions: int | None
) -> int:
    """The most replicas that are of use: further ones get no partition from the assignor."""
    return replicas_of(max_members(settings, target, consumers, partitions), target)


def max_members(
    settings: Mapping[str, Any], target: Target, consumers: Consumers, partitions: int | None
) -> int:
    """The most members that are of use."""
    sizes = [size for _, size in target.recorded] or [partitions or settings["max_replicas"]]
    useful = assignors.most_useful(consumers.assignor, sizes)
    most: int = max(min(settings["max_replicas"], useful), settings["min_replicas"], 1)
    return most


def trigger_topics(arguments: Mapping[str, Any], target: Target) -> tuple[str | None, ...]:
    """Topic of each trigger; None for one that counts all topics of the group."""
    if is_per_topic(arguments):
        return target.topics
    return target.topics if len(target.topics) == 1 else (None,)


def deployment_patch(members: int, target: Target) -> dict[str, Any]:
    """Patch of a Deployment that sets its number of replicas."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(target),
        "spec": {"replicas": replicas_of(members, target)},
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
        "lagThreshold": str(arguments["threshold"] * target.members_per_replica),
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
