"""The subresource ``scale`` of a StatefulSet, as a pod with a service account reads and patches it.

Of the group ``autoscaling/v1``; the Role needs `get` and `patch` on ``statefulsets/scale``.
"""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any

from pipeline.base.errors import InputError, StageError

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod has its token, the cluster's authority and its namespace."""

TIMEOUT_S = 5.0

_MOST_READ = 1_000_000
_MOST_SHOWN = 200
_MERGE = "application/merge-patch+json"


class ScaleRefused(StageError):
    """The cluster did not answer, or refused."""


class StatefulSetScale:
    """Reads and patches the replicas of one StatefulSet.

    host, port: Address of the cluster.
    account: Folder with ``token``, ``namespace`` and, with TLS, ``ca.crt``. A token is read again
        for each request, since the cluster replaces it.
    has_tls: False only in tests, which play the cluster.
    """

    def __init__(
        self,
        name: str,
        host: str,
        port: int,
        account: Path = ACCOUNT,
        *,
        has_tls: bool = True,
    ) -> None:
        self._host, self._port, self._account = host, port, account
        namespace = _read(account / "namespace")
        self.name = f"{namespace}/{name}"
        self._path = f"/apis/apps/v1/namespaces/{namespace}/statefulsets/{name}/scale"
        self._tls = None
        if has_tls:
            self._tls = ssl.create_default_context(cafile=str(account / "ca.crt"))

    def replicas(self) -> int:
        """Replicas that are asked for. Raises ScaleRefused."""
        return self._asked("GET", None)

    def patch(self, replicas: int) -> int:
        """Ask for replicas; returns what is asked for then. Raises ScaleRefused."""
        return self._asked("PATCH", {"spec": {"replicas": replicas}})

    def _asked(self, method: str, content: Mapping[str, Any] | None) -> int:
        body = None if content is None else json.dumps(content)
        headers = {
            "Authorization": f"Bearer {_read(self._account / 'token')}",
            "Accept": "application/json",
            **({} if body is None else {"Content-Type": _MERGE}),
        }
        connection = self._connection()
        try:
            connection.request(method, self._path, body, headers)
            answer = connection.getresponse()
            status, text = answer.status, answer.read(_MOST_READ)
        except (OSError, HTTPException) as error:
            raise ScaleRefused(
                f"{method} scale of {self.name}: no answer of {self._host}:{self._port} ({error}); "
                "the present replicas stay"
            ) from None
        finally:
            connection.close()
        if status != 200:
            raise ScaleRefused(self._refusal(method, status, text))
        return self._replicas_of(method, text)

    def _connection(self) -> HTTPConnection:
        if self._tls is None:
            return HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)
        return HTTPSConnection(self._host, self._port, timeout=TIMEOUT_S, context=self._tls)

    def _refusal(self, method: str, status: int, text: bytes) -> str:
        said = text[:_MOST_SHOWN].decode("utf-8", "replace").replace("\n", " ")
        remedy = {
            401: "the service account's token is not accepted",
            403: "the Role needs get and patch on statefulsets/scale of this name",
            404: "there is no such StatefulSet",
        }.get(status, "the present replicas stay")
        return f"{method} scale of {self.name}: status {status}; {remedy} ({said})"

    def _replicas_of(self, method: str, text: bytes) -> int:
        try:
            # A count of 0 may be left out.
            replicas = json.loads(text)["spec"].get("replicas", 0)
        except (ValueError, KeyError, AttributeError, TypeError):
            replicas = None
        if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 0:
            raise ScaleRefused(f"{method} scale of {self.name}: the answer has no spec.replicas")
        return replicas


def of_pod(name: str) -> StatefulSetScale:
    """The scale of a StatefulSet in this pod's namespace. Raises InputError outside of a pod."""
    host, port = (os.environ.get(f"KUBERNETES_SERVICE_{what}", "") for what in ("HOST", "PORT"))
    if not host or not port.isdecimal():
        raise InputError(
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set, as in a pod "
            f"(got {host!r} and {port!r})"
        )
    return StatefulSetScale(name, host, int(port))


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError as error:
        raise InputError(
            f"{file}: cannot be read ({error.strerror}); the pod needs its service account's token"
        ) from None
