"""What lets a controller's pod scale one StatefulSet, and nothing else.

Fields are those of ``v1`` ServiceAccount, and ``rbac.authorization.k8s.io/v1`` Role and
RoleBinding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_GROUP = "rbac.authorization.k8s.io"


def objects(metadata: Mapping[str, Any], stateful_set: str) -> list[dict[str, Any]]:
    """Service account, its role and their binding, which all have the same metadata."""
    name = metadata["name"]
    subject = {"kind": "ServiceAccount", "name": name}
    if "namespace" in metadata:
        subject["namespace"] = metadata["namespace"]
    rule = {
        "apiGroups": ["apps"],
        "resources": ["statefulsets/scale"],
        "resourceNames": [stateful_set],
        "verbs": ["get", "patch"],
    }
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": dict(metadata)},
        {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "Role",
            "metadata": dict(metadata),
            "rules": [rule],
        },
        {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "RoleBinding",
            "metadata": dict(metadata),
            "roleRef": {"apiGroup": _GROUP, "kind": "Role", "name": name},
            "subjects": [subject],
        },
    ]
