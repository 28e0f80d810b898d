"""ScaledObject of ``keda_time_lag``: an exporter's time lag, and a target of type ``Value``.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject with the trigger ``prometheus``. Nothing of
ours runs in the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation import guarded_object
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.manifests import (
    PLACEHOLDERS,
    Target,
    arguments_of,
    max_replicas,
)
from pipeline.inputs.prometheus import exported_time_lag

STRATEGY = "keda_time_lag"


def scaled_object(
    one: Candidate,
    settings: Mapping[str, Any],
    target: Target,
    consumers: Consumers,
    partitions: int,
    peak: float,
) -> dict[str, Any]:
    """ScaledObject that scales by the time lag of a group.

    partitions: Partitions of all topics.
    peak: As in `guarded_object`.
    """
    arguments = arguments_of(one)
    most = max_replicas(settings, target, consumers, partitions)
    group, topics = target.group or PLACEHOLDERS.group, target.topics or (PLACEHOLDERS.topic,)
    trigger = {
        "type": "prometheus",
        "name": "lag_s",
        # A time lag is not shared by replicas: AverageValue would divide it by their number.
        "metricType": "Value",
        "metadata": {
            "serverAddress": target.prometheus or PLACEHOLDERS.prometheus,
            "query": exported_time_lag.greatest(str(group), [*map(str, topics)], partitions),
            "threshold": np.format_float_positional(arguments["target_s"], trim="-"),
            # By default, KEDA takes a missing result as 0 and shrinks the group without an error.
            "ignoreNullValues": "false",
        },
    }
    return guarded_object.guarded(arguments, settings, target, most, peak, trigger)
