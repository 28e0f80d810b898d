"""The scale of a StatefulSet, asked of a server that plays the cluster."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from live.kubernetes import stateful_set_scale
from live.kubernetes.stateful_set_scale import ScaleRefused, StatefulSetScale
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit

PATH = "/apis/apps/v1/namespaces/events/statefulsets/orders-consumers/scale"


class Cluster(HTTPServer):
    """Keeps one scale, and what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replicas = 3
        self.answer: tuple[int, bytes] | None = None
        self.asked: list[tuple[str, str, str, str | None, Any]] = []


class Handler(BaseHTTPRequestHandler):
    server: Cluster

    def do_GET(self) -> None:
        self._answer(None)

    def do_PATCH(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.replicas = body["spec"]["replicas"]
        self._answer(body)

    def _answer(self, body: Any) -> None:
        token, kind = self.headers["Authorization"], self.headers["Content-Type"]
        self.server.asked.append((self.command, self.path, token, kind, body))
        spec = {"replicas": self.server.replicas} if self.server.replicas else {}
        whole = json.dumps({"kind": "Scale", "spec": spec}).encode()
        status, text = self.server.answer or (200, whole)
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def account(tmp_path: Path) -> Path:
    (tmp_path / "token").write_text("first\n")
    (tmp_path / "namespace").write_text("events")
    return tmp_path


def scale_of(cluster: Cluster, account: Path) -> StatefulSetScale:
    port = cluster.server_port
    return StatefulSetScale("orders-consumers", "127.0.0.1", port, account, has_tls=False)


def test_it_is_read_and_patched(cluster: Cluster, account: Path) -> None:
    scale = scale_of(cluster, account)
    assert scale.replicas() == 3
    # The cluster replaces tokens.
    (account / "token").write_text("second")
    assert scale.patch(5) == 5
    assert cluster.asked == [
        ("GET", PATH, "Bearer first", None, None),
        (
            *("PATCH", PATH, "Bearer second", "application/merge-patch+json"),
            {"spec": {"replicas": 5}},
        ),
    ]


def test_none_may_be_left_out(cluster: Cluster, account: Path) -> None:
    cluster.replicas = 0
    assert scale_of(cluster, account).replicas() == 0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((403, b"no\nright"), "needs get and patch on statefulsets/scale of this name .no right"),
        ((404, b""), "there is no such StatefulSet"),
        ((500, b"later"), "status 500; the present replicas stay .later"),
        ((200, b"[]"), "the answer has no spec.replicas"),
        ((200, b'{"spec": {"replicas": "3"}}'), "the answer has no spec.replicas"),
        ((200, b'{"spec": {"replicas": -1}}'), "the answer has no spec.replicas"),
        ((200, b"\xff"), "the answer has no spec.replicas"),
    ],
)
def test_a_refusal_is_one_line(
    cluster: Cluster, account: Path, answer: tuple[int, bytes], words: str
) -> None:
    cluster.answer = answer
    with pytest.raises(ScaleRefused, match=f"^GET scale of events/orders-consumers: .*{words}"):
        scale_of(cluster, account).replicas()


def test_a_cluster_that_does_not_answer(account: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_port
    scale = StatefulSetScale("orders-consumers", "127.0.0.1", port, account, has_tls=False)
    with pytest.raises(ScaleRefused, match=r"no answer of 127.0.0.1:.*the present replicas stay"):
        scale.patch(2)


def test_outside_of_a_pod(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(InputError, match=r"KUBERNETES_SERVICE_HOST and .* must be set"):
        stateful_set_scale.of_pod("orders-consumers")
    with pytest.raises(InputError, match="the pod needs its service account's token"):
        StatefulSetScale("orders-consumers", "127.0.0.1", 1, tmp_path)
