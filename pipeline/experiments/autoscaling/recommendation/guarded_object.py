"""ScaledObject that keeps its group as it is, or larger, while its trigger has no answer.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pipeline.experiments.autoscaling.recommendation.manifests import Target, behaviour, metadata

_FAILURES, _POLLING_S = 8, 30
"""Fallback starts after about 90 s: neither a start of who is asked nor its move to another node
sets it off."""


def guarded(
    arguments: Mapping[str, Any],
    settings: Mapping[str, Any],
    target: Target,
    most: int,
    peak: float,
    trigger: Mapping[str, Any],
) -> dict[str, Any]:
    """A ScaledObject with one trigger.

    arguments: With the behaviour and tolerance of both directions.
    most: Most replicas.
    peak: Most replicas in the simulation: what the fallback raises the group to.
    """
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
            "pollingInterval": _POLLING_S,
            "minReplicaCount": max(settings["min_replicas"], 1),
            "maxReplicaCount": most,
            "fallback": {
                "failureThreshold": _FAILURES,
                "replicas": max(1, math.ceil(peak)),
                "behavior": "currentReplicasIfHigher",
            },
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(arguments)}},
            "triggers": [trigger],
        },
    }
