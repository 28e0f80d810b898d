"""etcd, Kubernetes' API and controllers, and KEDA, as processes that end with this one.

No node runs: pods are made and stay pending, which is enough to count replicas.
"""

from __future__ import annotations

import base64
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import yaml

from live.kafka.reserved_ports import HOST, reserved
from live.processes import child_processes, process_starter
from live.processes.child_processes import Child
from tests.live.scaler.control_plane.cluster_api import ApiRefused, ClusterApi, named, wait_for
from tests.live.scaler.control_plane.plane_files import KEDA, METRICS, NAME, PlaneFiles, Ports

_STARTED_S = 180.0
_GRACE_S = 5.0
_OF_KEDA = {
    "WATCH_NAMESPACE": "",
    "POD_NAMESPACE": KEDA,
    "KEDA_CLUSTER_OBJECT_NAMESPACE": KEDA,
}


class ControlPlane:
    """Runs from the start on. Tests ask `api`, and end and start KEDA's operator.

    programs: Folder with `plane`, `operator`, `adapter` and `bases`.
    """

    def __init__(self, programs: Path, folder: Path, ports: Ports) -> None:
        self._programs, self._ports = programs, ports
        self._files = PlaneFiles(folder, ports)
        self._children: dict[str, Child] = {}
        self.api = ClusterApi(NAME, ports.api, self._files.client())

    def start(self) -> None:
        """Start all, and wait until KEDA answers the API."""
        self._run("etcd", "plane", "etcd", *self._files.etcd())
        self._wait("etcd", lambda: _accepts(self._ports.etcd))
        self._run("kube-apiserver", "plane", "kube-apiserver", *self._files.apiserver())
        self._wait("kube-apiserver", self._is_ready)
        for name in (KEDA, "shop"):
            self.api.apply(named("v1", "Namespace", name))
        manager = ("kube-controller-manager", *self._files.manager())
        self._run("kube-controller-manager", "plane", *manager)
        self._define()
        self.start_operator()
        self._run("adapter", "adapter", *self._files.adapter())
        self._register()

    def start_operator(self) -> None:
        """Start KEDA's operator, and wait until it is ready."""
        self._run("operator", "operator", *self._files.operator())
        self._wait("operator", lambda: _is_healthy(self._ports.health))

    def kill_operator(self) -> None:
        """End KEDA's operator without any warning."""
        child_processes.kill([self._children.pop("operator")])

    def stop(self) -> None:
        """End all of them."""
        child_processes.stop(reversed(self._children.values()), _GRACE_S)

    def _run(self, name: str, program: str, *words: str) -> None:
        log = self._files.folder / f"{name}.log"
        env = {**os.environ, **_OF_KEDA, "KUBECONFIG": str(self._files.kubeconfig)}
        command = [str(self._programs / program), *words]
        self._children[name] = Child(name, log, process_starter.spawn(command, log, env))

    def _wait(self, name: str, is_ready: Any) -> None:
        child = self._children[name]

        def ready() -> bool:
            assert child.status() is None, f"{name}: {child.log.read_text()[-3000:]}"
            return bool(is_ready())

        wait_for(ready, f"{name}: {child.log}", _STARTED_S)

    def _is_ready(self) -> bool:
        with suppress(OSError, HTTPException, ApiRefused):
            return self.api.text("/readyz") == "ok"
        return False

    def _define(self) -> None:
        """Add KEDA's resource definitions, and wait until the API serves them."""
        for file in sorted((self._programs / "bases").glob("*.yaml")):
            definition = yaml.safe_load(file.read_text())
            self.api.apply(definition)
            self._wait("kube-apiserver", lambda made=definition: self._has(made, "Established"))

    def _register(self) -> None:
        """Have the API ask KEDA for external metrics."""
        service: dict[str, Any] = named("v1", "Service", METRICS)
        service["metadata"]["namespace"] = KEDA
        service["spec"] = {"type": "ExternalName", "externalName": NAME}
        self.api.apply(service)
        group = "external.metrics.k8s.io"
        registered = named("apiregistration.k8s.io/v1", "APIService", f"v1beta1.{group}")
        registered["spec"] = {
            "group": group,
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "caBundle": base64.b64encode(self._files.authority()).decode(),
            "service": {"namespace": KEDA, "name": METRICS, "port": self._ports.metrics},
        }
        self.api.apply(registered)
        self._wait("adapter", lambda: self._has(registered, "Available"))

    def _has(self, document: dict[str, Any], condition: str) -> bool:
        found = self.api.get(document).get("status", {}).get("conditions") or ()
        return any((each["type"], each["status"]) == (condition, "True") for each in found)


@contextmanager
def running(programs: Path, folder: Path) -> Iterator[ControlPlane]:
    """A control plane; its processes and data are gone at the end."""
    with reserved(len(Ports._fields)) as ports:
        plane = ControlPlane(programs, folder, Ports(*ports))
        try:
            plane.start()
            yield plane
        finally:
            plane.stop()
            shutil.rmtree(folder / "etcd", ignore_errors=True)


def _accepts(port: int) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), 1.0):
        return True
    return False


def _is_healthy(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=2.0)
    with suppress(OSError, HTTPException):
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    return False
