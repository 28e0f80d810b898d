"""Files that run a recommended strategy behind KEDA: ScaledObject, and the scaler that it asks.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject with the triggers ``metrics-api`` and
``external``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.setting import declared
from algorithms.simulation.group_settings import GroupSettings
from live.scaler.idle_settings import LATEST
from pipeline.experiments.autoscaling.recommendation import guarded_object, scaler_tls
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.manifests import (
    PLACEHOLDERS,
    Target,
    arguments_of,
    max_replicas,
    replicas_of,
)
from pipeline.experiments.autoscaling.recommendation.scaler_place import (
    ANSWERS,
    CONFIG,
    GRPC,
    host,
    place,
    scaler_of,
)

OBJECTS = "scaler-objects.yaml"
KUSTOMIZATION, README = "kustomization.yaml", "README.md"

_EXTERNAL = strategies.FORMS[1]
_ELSEWHERE = ("mu", "min_replicas", "max_replicas", "step_s", "decision_s")


def scaler_config(
    one: Candidate, settings: Mapping[str, Any], target: Target, most: int
) -> dict[str, Any]:
    """Configuration of `groupscale scaler` for one group."""
    namespace, name = place(target)
    topics, group = target.topics or ("my-topic",), target.group or PLACEHOLDERS.group
    arguments = arguments_of(one)
    return {
        "bootstrap": target.servers or PLACEHOLDERS.servers,
        "history": "/var/lib/groupscale/history.json",
        "look_s": arguments["look_s"],
        **({"tls": scaler_tls.settings()} if target.scaler.has_tls else {}),
        "allow": {namespace: {"groups": [group], "topics": list(topics)}},
        "scale": {
            f"{namespace}/{name}": {
                **({"topics": list(topics)} if len(topics) > 1 else {"topic": topics[0]}),
                "group": group,
                "strategy": inner_text(one, settings),
                "mu": settings["mu"] * target.members_per_replica,
                "min_replicas": replicas_of(settings["min_replicas"], target),
                "max_replicas": most,
                "members_per_replica": target.members_per_replica,
                **_idle_keys(arguments, settings),
            }
        },
    }


def _idle_keys(arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """When a group that is scaled to zero is idle."""
    if not guarded_object.is_to_zero(arguments, settings):
        return {}
    return {
        "activation": arguments["activation"],
        "cooldown_s": arguments["quiet_s"],
        # What members do is not known; with Kafka's default, no record can be skipped.
        "offset_reset": LATEST,
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
    arguments = arguments_of(one)
    most = max_replicas(settings, target, consumers, partitions)
    trigger = _trigger(one, target)
    return guarded_object.guarded(arguments, settings, target, most, peak, trigger)


def _trigger(one: Candidate, target: Target) -> dict[str, Any]:
    namespace, name = place(target)
    has_tls = target.scaler.has_tls
    if one.strategy.startswith(f"{_EXTERNAL}:"):
        kind, asked = "external", {"scalerAddress": f"{host(target)}:{GRPC}"}
    else:
        scheme = "https" if has_tls else "http"
        kind = "metrics-api"
        asked = {
            "url": f"{scheme}://{host(target)}:{ANSWERS}/v1/{namespace}/{name}",
            "valueLocation": "replicas",
            # Never another target: KEDA writes a changed one only when it reconciles.
            "targetValue": "1",
        }
    trigger = {"type": kind, "metricType": "AverageValue", "metadata": asked}
    return scaler_tls.with_tls(one, trigger, target) if has_tls else trigger


def kustomization(target: Target) -> dict[str, Any]:
    """What ``kubectl apply -k`` applies."""
    place = {} if target.namespace is None else {"namespace": target.namespace}
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        **place,
        "resources": [OBJECTS, "scaledobject.yaml"],
        "configMapGenerator": [{"name": scaler_of(target), "files": [CONFIG]}],
    }
