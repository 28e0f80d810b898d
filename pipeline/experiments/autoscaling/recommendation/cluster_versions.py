"""Kubernetes and KEDA of the cluster that the files are for, and what needs which version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.autoscaling import candidates, strategies
from algorithms.autoscaling.candidates import Candidate
from pipeline.base.errors import InputError
from pipeline.base.text import quoting
from pipeline.base.text.kubernetes_names import NAMESPACE, check_option

Version = tuple[int, int]

OLDEST_KUBERNETES = (1, 23)
"""The first with ``autoscaling/v2``, and with the names of namespaces as labels."""

OLDEST_KEDA = (2, 17)
"""The first with ``fallback.behavior``: one before lowers the group when the scaler is away."""

EXTERNAL_KEDA = (2, 20)
"""The first that leaves no pod autoscaler on 80 % CPU when a scaler of type external is away."""

ZERO_KEDA = (2, 19)
"""The first whose fallback starts replicas where there are none."""

VALUE_KEDA = (2, 18)
"""The first that accepts a fallback where the metric is of type ``Value``."""

_TOLERANCE_KUBERNETES, _TOLERANCE_KEDA = (1, 35), (2, 18)
"""Where a behaviour may have a tolerance."""

_VERSION = re.compile(r"v?([0-9]{1,4})\.([0-9]{1,4})(?:[.+-][0-9A-Za-z.+-]*)?")


class Cluster(NamedTuple):
    """What is known of a cluster."""

    kubernetes: Version = (1, 33)
    keda: Version = (2, 20)
    keda_namespace: str = "keda"
    """Where KEDA's operator runs."""

    @property
    def has_tolerance(self) -> bool:
        """Whether a ScaledObject may set the tolerance of the pod autoscaler."""
        return self.kubernetes >= _TOLERANCE_KUBERNETES and self.keda >= _TOLERANCE_KEDA


TOLERANCE_NEEDS = "Kubernetes {}.{} and KEDA {}.{}".format(*_TOLERANCE_KUBERNETES, *_TOLERANCE_KEDA)
"""The versions of `Cluster.has_tolerance`, in words."""

DEFAULT = Cluster()


def text(version: Version) -> str:
    """A version as it is written.

    >>> text((1, 33))
    '1.33'
    """
    return ".".join(map(str, version))


def of_options(kubernetes: str, keda: str, keda_namespace: str) -> Cluster:
    """The cluster that the options describe. Raises InputError, which names the option."""
    check_option("keda-namespace", keda_namespace, NAMESPACE, "lowercase letters, digits and -",
                 DEFAULT.keda_namespace)  # fmt: skip
    cluster = Cluster(
        _version("kubernetes", kubernetes, DEFAULT.kubernetes),
        _version("keda", keda, DEFAULT.keda),
        keda_namespace,
    )
    if cluster.kubernetes < OLDEST_KUBERNETES:
        raise InputError(
            f"`--kubernetes` must be at least {text(OLDEST_KUBERNETES)}, the first with "
            f"autoscaling/v2, which KEDA needs (got {text(cluster.kubernetes)})"
        )
    if cluster.keda < OLDEST_KEDA:
        raise InputError(
            f"`--keda` must be at least {text(OLDEST_KEDA)}, the first with fallback.behavior, "
            "without which a group shrinks while the scaler is away (got "
            f"{text(cluster.keda)})"
        )
    return cluster


def recorded(cluster: Cluster) -> dict[str, str]:
    """The versions, which decide what is simulated, for a record."""
    return {"kubernetes": text(cluster.kubernetes), "keda": text(cluster.keda)}


def of_record(record: Mapping[str, Any]) -> Cluster:
    """The cluster of a record; one without versions had the defaults."""
    versions = {**recorded(DEFAULT), **record}
    return of_options(versions["kubernetes"], versions["keda"], DEFAULT.keda_namespace)


def on_cluster(one: Candidate, cluster: Cluster) -> Candidate:
    """A strategy behind KEDA without the tolerance that swallows small steps, where that can be.

    A tolerance that is named stays, and so do all other candidates.
    """
    if not strategies.is_synced(one.strategy) or not cluster.has_tolerance:
        return one
    none = {"tolerance_up": 0, "tolerance_down": 0}
    return candidates.candidate(one.strategy, **{**none, **dict(one.parameters)})


def _version(option: str, value: str, example: Version) -> Version:
    found = _VERSION.fullmatch(value)
    if found is None:
        raise InputError(
            f"`--{option}` must be a version, such as {text(example)} (got {quoting.named(value)})"
        )
    return int(found[1]), int(found[2])
