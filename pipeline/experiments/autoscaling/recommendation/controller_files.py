"""Files that run a recommended strategy under our controller, which scales its StatefulSet.

The objects are those of `live.kubernetes.group_manifests`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from algorithms.autoscaling import strategies
from algorithms.autoscaling.candidates import Candidate, candidate
from live.live_settings import LiveSettings
from live.protocol.loss_settings import MOST_CONSUMERS
from live.user_cluster.controlled_strategy import BY_RATES, endless
from pipeline.experiments.autoscaling.recommendation.manifests import (
    PLACEHOLDERS,
    Target,
    arguments_of,
)
from pipeline.inputs.traces import BYTES

OBJECTS = "controller.yaml"

IMAGE, MODULE = "registry.example/groupscale:1", "my_consumer"
"""Placeholders: an image of docker/Dockerfile with the user's module."""

MOST_PARTITIONS, RATES = 200, (1e3, 4e7)
"""What a live group has at most, and what its consumers process, bytes/s."""

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
_NEAR = 0.1


def obstacle(one: Candidate, settings: Mapping[str, Any], target: Target) -> str | None:
    """Why the controller cannot do what was simulated; None if it can."""
    counting = (strategies.inner_of(one.strategy) or "").removesuffix(strategies.PLACEMENT)
    least, most = RATES
    topics, partitions = max(len(target.topics), target.unnamed), sum(n for _, n in target.recorded)
    broken = (
        (target.unit != BYTES, "a recording in bytes/s, since the controller measures bytes"),
        (counting not in BY_RATES, f"a strategy that decides on rates, of {', '.join(BY_RATES)}"),
        (topics > 1, "one topic, which the controller's group has"),
        (partitions > MOST_PARTITIONS, f"at most {MOST_PARTITIONS} partitions"),
        (
            settings.get("max_replicas", 0) > MOST_CONSUMERS,
            f"at most {MOST_CONSUMERS} replicas: give max_replicas",
        ),
        (
            not least <= settings.get("mu", 0.0) <= most,
            f"consumers of {least:,.0f} to {most:,.0f} bytes/s",
        ),
        (
            not _NAME.fullmatch(_name(target)),
            "a --deployment of at most 40 lowercase letters, digits and -",
        ),
        (bool(settings.get("cooldown_s")), "no cooldown, which the controller does not have"),
        (not _looks_in_time(one, settings), "shorter steps than its look_s"),
    )
    return next((f"needs {what}" for is_so, what in broken if is_so), None)


def objects(
    one: Candidate,
    settings: Mapping[str, Any],
    target: Target,
    partitions: int,
    peak: float,
) -> list[dict[str, Any]]:
    """Objects of the group.

    peak: Most replicas that the recording needs: the group begins with them.
    """
    # It loads Kafka's client, which no other answer needs.
    from live.kubernetes.group_manifests import GroupOnKubernetes, manifests

    live = LiveSettings(
        run=_name(target),
        bootstrap=target.servers or str(PLACEHOLDERS.servers),
        folder="",
        partitions=partitions,
        capacity=settings["mu"],
        consumer_rate=settings["mu"],
        iteration_s=1.0,
        iterations=1,
        record_bytes=0,
    )
    group = GroupOnKubernetes(
        endless(live),
        strategy(one, settings, partitions, peak),
        0,
        IMAGE,
        MODULE,
        namespace=target.namespace,
        is_scaled=True,
    )
    return manifests(group)


def strategy(one: Candidate, settings: Mapping[str, Any], partitions: int, peak: float) -> str:
    """The strategy as the controller's command has it, with the bounds of its group."""
    most = min(int(settings["max_replicas"]), partitions, MOST_CONSUMERS)
    least = min(max(int(settings["min_replicas"]), 1), most)
    first = min(max(math.ceil(peak), least), most)
    bounds = {"min_replicas": least, "max_replicas": most, "initial_replicas": first}
    return candidate(one.strategy, **one.arguments, **bounds).label


def readme(one: Candidate, target: Target) -> str:
    """How to go live with the files, and back."""
    return _README.format(
        strategy=one.label,
        name=_name(target),
        namespace=target.namespace or "default",
        image=IMAGE,
        module=MODULE,
    )


def _name(target: Target) -> str:
    return target.deployment or str(PLACEHOLDERS.deployment)


def _looks_in_time(one: Candidate, settings: Mapping[str, Any]) -> bool:
    """Whether looks are as far apart as simulated: they wait for a decision of the group."""
    look_s = arguments_of(one)["look_s"]
    decision_s = settings.get("decision_s", 1.0)
    simulated_s = math.ceil(look_s / decision_s - 1e-9) * decision_s
    return bool(abs(simulated_s - look_s) <= _NEAR * look_s)


_README = """\
# {strategy} for {name}

`controller.yaml` runs our controller and consumers of your own processing. The controller decides
how many consumers there are, which partitions each has, and scales the StatefulSet
`{name}-consumers` itself. No pod autoscaler and no ScaledObject may name it.

Going live
1. Write your processing as a module with `process(records)`, as docs/live-consumer.md says. Build
   the image of docker/Dockerfile with it, push it, and replace `{image}`
   and `{module}` in controller.yaml.
2. Consumers read topic `gs.{name}.data` from its beginning, with offsets of the controller's own.
   Have producers write there.
3. For TLS and SASL, `groupscale live manifests --secret` shows what to mount.
4. `kubectl apply --filename controller.yaml --namespace {namespace}`
5. `kubectl logs deployment/{name}-controller --namespace {namespace}` shows a line for each
   number of replicas. Slots get pods at once; pods go when their slots have been empty for 5 s.

If the controller is away, consumers go on with the partitions that they have. A new one goes on
where it ended. Kubernetes replaces the pod of a lost node only when the node is deleted: delete it.

Going back
Let producers write to the old topic, wait until nothing waits in `gs.{name}.data`, start the old
consumers, then `kubectl delete --filename controller.yaml --namespace {namespace}`.
"""
