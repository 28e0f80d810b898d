"""Why a simulated candidate cannot be deployed with Kubernetes and KEDA as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.scaling_policies import Behaviour, check_behaviour
from algorithms.autoscaling.strategy import COUNTING
from algorithms.core.input_errors import UnknownAlgorithmError
from pipeline.experiments.autoscaling.recommendation import (
    cluster_versions,
    controller_files,
    time_lag_files,
)
from pipeline.experiments.autoscaling.recommendation.cluster_versions import Cluster
from pipeline.experiments.autoscaling.recommendation.guarded_object import is_to_zero
from pipeline.experiments.autoscaling.recommendation.manifests import (
    DEFAULT_TOLERANCE,
    Target,
    arguments_of,
    is_per_topic,
    keda_arguments,
)
from pipeline.inputs.traces import BYTES

SYNC_S = 15.0
"""Time between syncs of the horizontal pod autoscaler. It is set for a whole cluster."""

MAX_WINDOW_S, MAX_PERIOD_S = 3600, 1800
"""Longest windows and periods that Kubernetes allows in a behaviour, s."""

_NEAR = 0.1
"""Share of the sync period that is no difference: steps may not divide it."""

_NEEDS_TOPIC = ("limit_to_partitions_with_lag", "ensure_even")
"""Switches that KEDA refuses in a trigger without a topic."""

_UNNAMED = "needs names of topics, which the recording does not have"
_FRACTIONS = "needs fractions of a second, which KEDA does not have"
_EXACT = 1e-9
_MAX_SCALED = 63 - len("keda-hpa-")
"""Characters of a ScaledObject's name: KEDA's webhook refuses more."""


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
    if strategies.is_controlled(candidate.strategy):
        return controller_files.obstacle(candidate, settings, where)
    is_form = strategies.inner_of(candidate.strategy) is not None
    of_kind = _of_form if is_form else _OF_KEDA.get(candidate.strategy)
    if of_kind is None:
        return _of_ideal(candidate.strategy)
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
    if needed := _of_sync_period(settings["decision_s"], settings):
        return needed
    arguments = keda_arguments(candidate)
    if needed := _topic_needed(arguments, target):
        return needed
    if needed := _behaviour_needed(arguments):
        return needed
    return None if _are_whole(arguments) else _FRACTIONS


def _are_whole(arguments: Mapping[str, Any]) -> bool:
    """Whether KEDA's own times are whole seconds."""
    polling_s, idle_s = float(arguments["polling_s"]), float(arguments["idle_s"])
    return polling_s.is_integer() and idle_s.is_integer()


def _of_form(candidate: Candidate, settings: Mapping[str, Any], target: Target) -> str | None:
    """Why a strategy cannot run behind KEDA."""
    arguments = arguments_of(candidate)
    if needed := _of_syncs(arguments, settings):
        return needed
    if target.unit == BYTES:
        return "needs a recording in messages/s, since the scaler counts offsets"
    if target.unnamed > 1:
        return _UNNAMED
    if settings.get("assignor") == "kip169":
        return "needs another assignor than kip169, which the scaler does not know"
    if is_to_zero(arguments, settings):
        if not _are_whole(arguments):
            return _FRACTIONS
        if target.cluster.keda < cluster_versions.ZERO_KEDA:
            least = cluster_versions.text(cluster_versions.ZERO_KEDA)
            return f"needs KEDA {least}: one before leaves an empty group so without the scaler"
    return _too_old(candidate, arguments, target.cluster)


def _of_syncs(arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> str | None:
    """Why the pod autoscaler cannot pass a count on as it was simulated."""
    sync_s, decision_s = arguments["sync_s"], settings["decision_s"]
    # The simulated sync waits for a decision of the group.
    simulated_s = math.ceil(sync_s / decision_s - _EXACT) * decision_s
    return _of_sync_period(simulated_s, settings) or _behaviour_needed(arguments)


def _of_sync_period(simulated_s: float, settings: Mapping[str, Any]) -> str | None:
    """Why the pod autoscaler does not sync as it was simulated."""
    if abs(simulated_s - SYNC_S) > _NEAR * SYNC_S:
        return f"needs another sync period than {SYNC_S:g} s, which is set for a whole cluster"
    if settings.get("cooldown_s"):
        return "needs a cooldown, which the pod autoscaler does not have"
    return None


def _behaviour_needed(arguments: Mapping[str, Any]) -> str | None:
    for name in ("scale_up", "scale_down"):
        if not _is_expressible(check_behaviour(name, arguments[name], float("inf"))):
            return f"needs a {name} that Kubernetes does not accept"
    return None


def _of_prometheus(candidate: Candidate, settings: Mapping[str, Any], target: Target) -> str | None:
    """Why a query and a table of thresholds cannot do what was simulated."""
    arguments = arguments_of(candidate)
    if needed := _of_syncs(arguments, settings):
        return needed
    if target.unit == BYTES:
        return "needs a recording in messages/s, since the query counts offsets"
    if max(len(target.topics), target.unnamed) > 1:
        return "needs one topic, since its query has the rate of one"
    scrapes = arguments["window_s"] / arguments["scrape_s"]
    if abs(scrapes - round(scrapes)) > _EXACT * scrapes:
        return "needs a window_s that is a multiple of scrape_s"
    growth, h = dict(target.growth).get(settings.get("assignor", ""), 0.0), arguments["h"]
    if growth > h:
        return (
            "needs shares that stay: in parts of the recording, the fullest member has "
            f"{growth:.3g} times its mean share, more than h={h:g}"
        )
    return _too_old(candidate, arguments, target.cluster)


def _of_time_lag(candidate: Candidate, settings: Mapping[str, Any], target: Target) -> str | None:
    """Why a trigger on an exporter's time lag cannot do what was simulated."""
    arguments = arguments_of(candidate)
    if needed := _of_sync_period(settings["decision_s"], settings):
        return needed
    if needed := _behaviour_needed(arguments):
        return needed
    if target.unnamed > 1:
        return _UNNAMED
    if target.cluster.keda < cluster_versions.VALUE_KEDA:
        least = cluster_versions.text(cluster_versions.VALUE_KEDA)
        return f"needs KEDA {least}: one before refuses a fallback for a metric of type Value"
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
        return None if n_topics else _UNNAMED
    switch = next((name for name in _NEEDS_TOPIC if arguments[name]), None)
    if switch is None or n_topics == 1:
        return None
    if n_topics > 1:
        return f"needs a trigger for each topic, since KEDA refuses {switch} for several topics"
    return f"needs --topic, without which KEDA refuses {switch}"


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


_OF_KEDA = {
    "keda_hpa": _of_keda,
    "keda_prometheus": _of_prometheus,
    time_lag_files.STRATEGY: _of_time_lag,
}
"""By strategy that is KEDA with a trigger of its own."""
