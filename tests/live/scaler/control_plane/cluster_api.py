"""Asks the API of a cluster: applies, reads, watches and deletes objects."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from http.client import HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlencode

Object = dict[str, Any]

_PLURALS = {"NetworkPolicy": "networkpolicies"}
_WITHOUT_NAMESPACE = ("Namespace", "CustomResourceDefinition", "APIService")
_APPLY, _MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
_TIMEOUT_S = 30.0
_WATCH_S = 3600


class ApiRefused(Exception):
    """The API's reason, with its status."""


class ClusterApi:
    """Objects of a cluster; a namespace is that of the object, else `shop`."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext) -> None:
        self._host, self._port, self._context = host, port, context

    def text(self, path: str) -> str:
        """Content at a path. Raises ApiRefused, and OSError without an answer."""
        return self._ask("GET", path)

    def apply(self, document: Mapping[str, Any], *, is_dry: bool = False) -> Object:
        """Make or change an object, as ``kubectl apply --server-side`` does with strict validation.

        is_dry: Only check it.
        """
        query = {"fieldManager": "test", "force": "true", "fieldValidation": "Strict"}
        if is_dry:
            query["dryRun"] = "All"
        path = f"{_path(document)}?{urlencode(query)}"
        return self._json("PATCH", path, json.dumps(document), _APPLY)

    def change(self, document: Mapping[str, Any], change: Mapping[str, Any]) -> Object:
        """Merge a change into an object; a value None removes a field."""
        return self._json("PATCH", _path(document), json.dumps(change), _MERGE)

    def get(self, document: Mapping[str, Any]) -> Object:
        """The object as it is now."""
        return self._json("GET", _path(document))

    def exists(self, document: Mapping[str, Any]) -> bool:
        """Whether an object of this kind and name is there."""
        try:
            self.get(document)
        except ApiRefused as error:
            if not str(error).startswith("404"):
                raise
            return False
        return True

    def delete(self, document: Mapping[str, Any], how: str = "Background") -> None:
        """Delete an object, and wait until it is gone.

        how: ``Foreground`` waits until what it owns is gone too.
        """
        if self.exists(document):
            self._json("DELETE", f"{_path(document)}?propagationPolicy={how}")
        wait_for(lambda: not self.exists(document), f"{_path(document)} is still there")

    def events(self, uid: str) -> list[str]:
        """Reasons and texts of the events of an object in `shop`."""
        query = urlencode({"fieldSelector": f"involvedObject.uid={uid}"})
        items = self._json("GET", f"/api/v1/namespaces/shop/events?{query}")["items"]
        return [f"{each['reason']}: {each['message']}" for each in items]

    def watch(self, document: Mapping[str, Any], changed: Callable[[Object], None]) -> None:
        """Call a function, in a thread, with each state that the object has from now on."""
        place, _, name = _path(document).rpartition("/")
        query = {"watch": 1, "fieldSelector": f"metadata.name={name}", "timeoutSeconds": _WATCH_S}
        connection = HTTPSConnection(self._host, self._port, context=self._context)
        connection.request("GET", f"{place}?{urlencode(query)}")
        answer = connection.getresponse()

        def read() -> None:
            # Until the cluster ends.
            with closing(connection), suppress(OSError, HTTPException):
                for line in answer:
                    event = json.loads(line)
                    if event["type"] in ("ADDED", "MODIFIED"):
                        changed(event["object"])

        threading.Thread(target=read, daemon=True).start()

    def _json(self, method: str, path: str, body: str | None = None, kind: str = "") -> Object:
        return dict(json.loads(self._ask(method, path, body, kind)))

    def _ask(self, method: str, path: str, body: str | None = None, kind: str = "") -> str:
        connection = HTTPSConnection(
            self._host, self._port, timeout=_TIMEOUT_S, context=self._context
        )
        try:
            connection.request(method, path, body, {"Content-Type": kind} if kind else {})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status >= 300:
            raise ApiRefused(f"{answer.status} {text}")
        return text


def named(api_version: str, kind: str, name: str) -> Object:
    """An object with nothing but its name."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}


def wait_for(condition: Callable[[], bool], message: str, within_s: float = 60.0) -> None:
    """Wait until a condition holds."""
    until = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < until, message
        time.sleep(0.1)


def _path(document: Mapping[str, Any]) -> str:
    version, kind, metadata = document["apiVersion"], document["kind"], document["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    plural = _PLURALS.get(kind, f"{kind.lower()}s")
    place = "" if kind in _WITHOUT_NAMESPACE else f"/namespaces/{metadata.get('namespace', 'shop')}"
    return f"{root}{place}/{plural}/{metadata['name']}"
