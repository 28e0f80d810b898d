"""ScaledObject that keeps its group as it is, or larger, while its trigger has no answer.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from live.groups.keda_player import FAILURE_THRESHOLD, POLLING_S
from pipeline.experiments.autoscaling.recommendation.manifests import Target, behaviour, metadata


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
            "pollingInterval": int(POLLING_S),
            "minReplicaCount": max(settings["min_replicas"], 1),
            "maxReplicaCount": most,
            "fallback": {
                "failureThreshold": FAILURE_THRESHOLD,
                "replicas": max(1, math.ceil(peak)),
                "behavior": "currentReplicasIfHigher",
            },
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(arguments)}},
            "triggers": [trigger],
        },
    }
