"""ScaledObject that keeps its group as it is, or larger, while its trigger has no answer.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.autoscaling.blind_answers import FAILURE_THRESHOLD, POLLING_S
from pipeline.experiments.autoscaling.recommendation.manifests import (
    Target,
    behaviour,
    metadata,
    replicas_of,
)


def guarded(
    arguments: Mapping[str, Any],
    settings: Mapping[str, Any],
    target: Target,
    most: int,
    peak: float,
    trigger: Mapping[str, Any],
) -> dict[str, Any]:
    """A ScaledObject with one trigger.

    arguments: With the behaviour and tolerance of both directions, and KEDA's times where the group
        may be scaled to zero.
    most: Most replicas.
    peak: Most members in the simulation: what the fallback raises the group to.
    """
    least, polling_s = replicas_of(max(settings["min_replicas"], 1), target), POLLING_S
    cooldown: dict[str, int] = {}
    if is_to_zero(arguments, settings):
        least, polling_s = 0, arguments["polling_s"]
        cooldown = {"cooldownPeriod": int(arguments["idle_s"])}
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata(target),
        "spec": {
            "scaleTargetRef": {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "name": metadata(target)["name"],
            },
            "pollingInterval": int(polling_s),
            **cooldown,
            "minReplicaCount": least,
            "maxReplicaCount": most,
            "fallback": {
                "failureThreshold": FAILURE_THRESHOLD,
                "replicas": max(1, replicas_of(peak, target)),
                "behavior": "currentReplicasIfHigher",
            },
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(arguments)}},
            "triggers": [trigger],
        },
    }


def is_to_zero(arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether an idle group has no replicas: only the scaler can say that it is idle."""
    return "idle_s" in arguments and settings.get("min_replicas") == 0
