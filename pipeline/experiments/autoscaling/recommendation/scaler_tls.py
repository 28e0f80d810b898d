"""TLS between KEDA and the scaler: where its certificates are. Values are in Secrets alone.

Both Secrets have what cert-manager writes. KEDA reads certificates from a TriggerAuthentication,
and ignores them in a trigger's metadata.
"""

from __future__ import annotations

from typing import Any

from algorithms.autoscaling import strategies
from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation.manifests import Target, metadata
from pipeline.experiments.autoscaling.recommendation.scaler_place import scaler_of

CERT, KEY, CA = "tls.crt", "tls.key", "ca.crt"
"""Keys of both Secrets: a certificate, its key, and the authority of the other side."""

_FOLDER = "/etc/groupscale-tls"
_PARAMETERS = {
    strategies.FORMS[0]: {"ca": CA, "cert": CERT, "key": KEY},
    strategies.FORMS[1]: {"caCert": CA, "tlsClientCert": CERT, "tlsClientKey": KEY},
}
_METADATA = {
    strategies.FORMS[0]: {"authMode": "tls"},
    strategies.FORMS[1]: {"enableTLS": "true"},
}


def own_secret(target: Target) -> str:
    """Name of the Secret with the scaler's certificate."""
    return f"{scaler_of(target)}-tls"


def keda_secret(target: Target) -> str:
    """Name of the Secret with KEDA's certificate."""
    return f"{scaler_of(target)}-keda-tls"


def settings() -> dict[str, str]:
    """The scaler's certificates, as its file names them."""
    files = {"cert": CERT, "key": KEY, "client_ca": CA}
    return {name: f"{_FOLDER}/{key}" for name, key in files.items()}


def volumes(target: Target) -> list[dict[str, Any]]:
    """Volumes of the scaler's pod."""
    if not target.scaler.has_tls:
        return []
    return [{"name": "tls", "secret": {"secretName": own_secret(target)}}]


def mounts(target: Target) -> list[dict[str, Any]]:
    """Mounts of `volumes`."""
    if not target.scaler.has_tls:
        return []
    return [{"name": "tls", "mountPath": _FOLDER, "readOnly": True}]


def with_tls(one: Candidate, trigger: dict[str, Any], target: Target) -> dict[str, Any]:
    """A trigger that asks with TLS."""
    return {
        **trigger,
        "metadata": {**trigger["metadata"], **_METADATA[_form(one)]},
        "authenticationRef": {"name": scaler_of(target)},
    }


def trigger_authentication(one: Candidate, target: Target) -> dict[str, Any]:
    """KEDA's certificates for the trigger."""
    secret = keda_secret(target)
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "TriggerAuthentication",
        "metadata": {**metadata(target), "name": scaler_of(target)},
        "spec": {
            "secretTargetRef": [
                {"parameter": parameter, "name": secret, "key": key}
                for parameter, key in _PARAMETERS[_form(one)].items()
            ]
        },
    }


def _form(one: Candidate) -> str:
    return one.strategy.partition(":")[0]
