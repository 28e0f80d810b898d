"""Manifests of a live group: one pod of controller and monitor, and a pod for each consumer.

Fields are those of ``v1`` ConfigMap and Service, and ``apps/v1`` Deployment and StatefulSet; those
of the controller's rights are in `scaling_rights`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from live.kubernetes import group_process, scaling_rights, standing_consumer
from live.live_settings import MEASURED, LiveSettings
from live.processes.local_launcher import CONSUMER

Document = dict[str, Any]

LAUNCH_S = 600.0
"""Time for a pod to be scheduled and its image to be pulled, seconds."""

CLIENT_FILE = "client.properties"
"""Key of the Secret: the client properties file."""

_SETTINGS, _SECRET, _WORK = "/etc/groupscale", "/etc/groupscale-client", "/var/lib/groupscale"
_FILE = f"{_SETTINGS}/settings.json"
_USER = 10001
"""User of the project's image, see docker/Dockerfile."""


@dataclass(frozen=True, slots=True)
class GroupOnKubernetes:
    """What is deployed."""

    settings: LiveSettings
    """Settings of the group; its ``run`` is the name of all objects, too."""
    strategy: str
    """Name of an assignment algorithm."""
    consumers: int
    """Pods of consumers: as many as the strategy may want. Not used if `is_scaled`."""
    image: str
    """Image with the project, and the module."""
    module: str = CONSUMER
    """What consumers run, as ``python -m MODULE SETTINGS.json SLOT INCARNATION``."""
    secret: str | None = None
    """Name of the Secret with the client properties file; None for neither TLS nor SASL."""
    namespace: str | None = None
    """Namespace of the objects; None for the client's current one."""
    is_scaled: bool = False
    """Whether the controller has as many pods of consumers as it uses."""

    @property
    def name(self) -> str:
        """Name of the group."""
        return self.settings.run

    def settings_in_pods(self) -> LiveSettings:
        """Settings as pods see them: with their folders, and without a clock of one machine."""
        return replace(
            self.settings,
            folder=_WORK,
            speeds=MEASURED,
            clock_offset_ns=0,
            launch_s=LAUNCH_S,
            client_file="" if self.secret is None else f"{_SECRET}/{CLIENT_FILE}",
        )


def manifests(group: GroupOnKubernetes) -> list[Document]:
    """All objects of a group, in the order in which they are applied."""
    rights: list[Document] = []
    if group.is_scaled:
        account, consumers = _metadata(group, "controller"), _metadata(group, "consumers")
        rights = scaling_rights.objects(account, consumers["name"])
    return [*rights, _config_map(group), _service(group), _consumers(group), _controller(group)]


def _config_map(group: GroupOnKubernetes) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(group, "settings"),
        "data": {"settings.json": group.settings_in_pods().text},
    }


def _service(group: GroupOnKubernetes) -> Document:
    """The headless service that a StatefulSet names; consumers listen on no port."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(group, "consumers"),
        "spec": {"clusterIP": "None", "selector": _labels(group, "consumers")},
    }


def _consumers(group: GroupOnKubernetes) -> Document:
    pod = {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    command = [standing_consumer.__name__, _FILE, "$(POD)", group.module]
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": _metadata(group, "consumers"),
        "spec": {
            "serviceName": f"{group.name}-consumers",
            # What is not written here, another apply does not change.
            **({} if group.is_scaled else {"replicas": group.consumers}),
            # No consumer waits for another one.
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": _labels(group, "consumers")},
            "template": _template(group, "consumers", command, [pod], "64Mi"),
        },
    }


def _controller(group: GroupOnKubernetes) -> Document:
    command = [group_process.__name__, _FILE, group.strategy]
    if group.is_scaled:
        command.append(f"{group.name}-consumers")
    template = _template(group, "controller", command, [], "512Mi")
    if group.is_scaled:
        account = {"serviceAccountName": f"{group.name}-controller"}
        template["spec"] |= {**account, "automountServiceAccountToken": True}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(group, "controller"),
        "spec": {
            "replicas": 1,
            # A second controller would fence the first one.
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": _labels(group, "controller")},
            "template": template,
        },
    }


def _template(
    group: GroupOnKubernetes,
    part: str,
    command: Iterable[str],
    variables: list[Document],
    memory: str,
) -> dict[str, Document]:
    cache = {"name": "GROUPSCALE_NUMBA_CACHE", "value": f"{_WORK}/kernels"}
    mounts: list[Document] = [
        _mount("settings", _SETTINGS),
        {"name": "work", "mountPath": _WORK},
    ]
    container = {
        "name": part,
        "image": group.image,
        "command": ["python", "-m", *command],
        "env": [*variables, cache],
        "resources": {"requests": {"cpu": "50m", "memory": memory}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": mounts,
    }
    volumes: list[Document] = [
        {"name": "settings", "configMap": {"name": f"{group.name}-settings"}},
        {"name": "work", "emptyDir": {}},
    ]
    if group.secret is not None:
        mounts.append(_mount("client", _SECRET))
        # Only the pod's own group may read it.
        secret = {"secretName": group.secret, "defaultMode": 0o440}
        volumes.append({"name": "client", "secret": secret})
    return {
        "metadata": {"labels": _labels(group, part)},
        "spec": {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 30,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": _USER,
                "runAsGroup": _USER,
                "fsGroup": _USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [container],
            "volumes": volumes,
        },
    }


def _mount(volume: str, path: str) -> Document:
    return {"name": volume, "mountPath": path, "readOnly": True}


def _metadata(group: GroupOnKubernetes, part: str) -> Document:
    name = {"name": f"{group.name}-{part}", "labels": _labels(group, part)}
    return name if group.namespace is None else {**name, "namespace": group.namespace}


def _labels(group: GroupOnKubernetes, part: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": "groupscale",
        "app.kubernetes.io/instance": group.name,
        "app.kubernetes.io/component": part,
    }
