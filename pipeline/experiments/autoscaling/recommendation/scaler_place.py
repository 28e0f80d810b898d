"""Where a scaler is: the names that its files share, and its ports."""

from __future__ import annotations

import hashlib
import re

from pipeline.base.text.kubernetes_names import LABEL
from pipeline.experiments.autoscaling.recommendation.manifests import PLACEHOLDERS, Target

CONFIG = "scaler.yaml"
"""File of its configuration."""

ANSWERS, HEALTH, GRPC = 6000, 8080, 6001

_SUFFIX = "-scaler"
_MOST = 63
"""Characters of a Service's name, which is a label that begins with a letter."""

_OF_SERVICE = re.compile(f"(?=[a-z]){LABEL}")
_DIGEST = 6


def place(target: Target) -> tuple[str, str]:
    """Namespace and name of the Deployment that it scales."""
    return target.namespace or "default", target.deployment or str(PLACEHOLDERS.deployment)


def scaler_of(target: Target) -> str:
    """Name of the scaler."""
    return scaler_name(place(target)[1])


def host(target: Target) -> str:
    """Where KEDA asks; the scaler's certificate must be of this name."""
    return f"{scaler_of(target)}.{place(target)[0]}.svc"


def scaler_name(deployment: str) -> str:
    """Name of a Deployment's scaler, and of all its objects.

    deployment: At most 54 characters, as ScaledObjects have.

    A name that no Service can have is changed, and tells its origin by a digest.

    >>> scaler_name("billing"), scaler_name("billing.eu")
    ('billing-scaler', 'billing-eu-600abb-scaler')
    """
    name = f"{deployment}{_SUFFIX}"
    if len(name) <= _MOST and _OF_SERVICE.fullmatch(name):
        return name
    digest = hashlib.sha256(deployment.encode()).hexdigest()[:_DIGEST]
    stem = re.sub("^(?![a-z])", "s-", deployment.replace(".", "-"))
    return f"{stem[: _MOST - len(_SUFFIX) - _DIGEST - 1]}-{digest}{_SUFFIX}"
