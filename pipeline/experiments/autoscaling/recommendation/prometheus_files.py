"""ScaledObject of ``keda_prometheus``: a query, and a table of thresholds as a formula.

Fields are those of ``keda.sh/v1alpha1`` ScaledObject with the trigger ``prometheus``. Nothing of
ours runs in the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from algorithms.autoscaling import count_thresholds
from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Floats
from algorithms.simulation.group_settings import group_of
from pipeline.experiments.autoscaling.recommendation import guarded_object, recommendation_question
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.manifests import (
    PLACEHOLDERS,
    Target,
    arguments_of,
    max_members,
    max_replicas,
    replicas_of,
)
from pipeline.inputs.prometheus import write_rate

_RATE = "m"
"""Name of the trigger, which is a word of the formula."""


def scaled_object(
    one: Candidate,
    settings: Mapping[str, Any],
    target: Target,
    consumers: Consumers,
    shares: Sequence[float],
    peak: float,
) -> dict[str, Any]:
    """ScaledObject that scales by the greatest recent rate of a topic.

    shares: Share of each partition of all events.
    peak: As in `guarded_object`.
    """
    arguments = arguments_of(one)
    most = max_replicas(settings, target, consumers, len(shares))
    each = target.members_per_replica
    members = max_members(settings, target, consumers, len(shares))
    table = _table(settings, shares, arguments["h"], members)[each - 1 :: each]
    trigger = _trigger(arguments, target, len(shares))
    document = guarded_object.guarded(arguments, settings, target, most, peak, trigger)
    document["spec"]["advanced"]["scalingModifiers"] = {
        "formula": formula(table, replicas_of(max(settings["min_replicas"], 1), target)),
        # Never another target: KEDA writes a changed one only when it reconciles.
        "target": "1",
        "metricType": "AverageValue",
    }
    return document


def formula(table: Floats, least: int) -> str:
    """Expression for the replicas that a rate ``m`` needs: of equal rates, the last count.

    table: float64[n - 1], ascending: rates above which more than 1, 2, … replicas are needed.
    least: Replicas at the lowest rates, at least 1.

    >>> formula(np.array([100.0, 180.5, 300.0, 300.0]), 2)
    'm > 300 ? 5 : m > 180.5 ? 3 : 2'
    """
    counts = {float(rate): n for n, rate in enumerate(table, start=2) if n > least}
    branches = [
        f"{_RATE} > {np.format_float_positional(rate, trim='-')} ? {n}"
        for rate, n in reversed(counts.items())
    ]
    return " : ".join([*branches, str(least)])


def _table(settings: Mapping[str, Any], shares: Sequence[float], h: float, most: int) -> Floats:
    weights = np.asarray(shares, np.float64)
    completed = recommendation_question.completed(settings, weights.size)
    group = group_of(completed, weights)
    return count_thresholds.thresholds(weights, completed.assignor, group.capacity, h, most)


def _trigger(arguments: Mapping[str, Any], target: Target, partitions: int) -> dict[str, Any]:
    topic = target.topics[0] if target.topics else str(PLACEHOLDERS.topic)
    window_s, scrape_s = arguments["window_s"], arguments["scrape_s"]
    now = write_rate.rate(topic, partitions, target.exporter, window_s, scrape_s)
    return {
        "type": "prometheus",
        "name": _RATE,
        "metricType": "AverageValue",
        "metadata": {
            "serverAddress": target.prometheus or PLACEHOLDERS.prometheus,
            "query": write_rate.greatest(now, arguments["hold"], scrape_s),
            # The formula decides; KEDA wants one all the same.
            "threshold": "1",
            # By default, KEDA takes a missing result as 0 and shrinks the group without an error.
            "ignoreNullValues": "false",
        },
    }
