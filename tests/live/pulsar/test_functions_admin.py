"""Requests to Pulsar's administration, against a server that answers what a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from live.pulsar import pulsar_login
from live.pulsar.functions_admin import (
    FunctionFailed,
    FunctionMissing,
    FunctionsAdmin,
    FunctionSpec,
    UserSums,
)

pytestmark = pytest.mark.unit

SPEC = FunctionSpec("r1-a", 1, "r1-in", "r1-a-out", 7, "atmost_once", "interruptible", 64)
JAR = Path("/cache/function s.jar")
FUNCTIONS = "/admin/v3/functions/public/default"


class Server(HTTPServer):
    """Keeps what was asked; answers by path, 404 for others, and 401 without the token."""

    def __init__(self, token_file: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, tuple[int, object]] = {}
        self.asked: list[tuple[str, str, bytes]] = []
        self.token_file = token_file

    def admin(self) -> FunctionsAdmin:
        return FunctionsAdmin(f"http://127.0.0.1:{self.server_port}/admin", self.token_file)


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, body))
        status, content = self.server.answers.get(self.path, (404, {"reason": "not found"}))
        if self.headers["Authorization"] != f"Bearer {self.server.token_file.read_text()}":
            status, content = 401, {"reason": "Unauthorized"}
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    """The token of a login."""
    pulsar_login.write(tmp_path)
    return pulsar_login.token_file(tmp_path)


@pytest.fixture
def server(token_file: Path) -> Iterator[Server]:
    with Server(token_file) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_requests_for_a_function_name_its_jar(server: Server) -> None:
    server.answers["/admin/v3/functions/public/default/r1-a"] = (200, {})
    admin = server.admin()
    admin.create(SPEC, JAR, 3)
    admin.resize(SPEC, JAR, 3)
    (method, _, body), (changes, _, change) = server.asked
    assert (method, changes) == ("POST", "PUT")
    for sent in (body, change):
        assert sent.count(b'name="') == 2
        assert b'name="url"\r\n\r\nfile:///cache/function%20s.jar\r\n' in sent
    config = json.loads(body.partition(b"\r\n\r\n")[2].partition(b"\r\n--")[0])
    assert config["parallelism"] == 3
    assert config["processingGuarantees"] == "ATMOST_ONCE"
    assert config["userConfig"] == {"place": "1", "hold": "interruptible", "width": "64"}
    # What comes before an instance has subscribed is its own too.
    assert config["subscriptionPosition"] == "Earliest"
    # What waits for a function stays when somebody deletes it.
    assert config["cleanupSubscription"] is False
    (topic,) = config["inputSpecs"].values()
    assert topic == {"receiverQueueSize": 7}
    # Without it, the first change would differ in it, and restart every instance.
    assert "producerConfig" in config


def test_a_refusal_has_pulsars_reason(server: Server) -> None:
    path = "/admin/v3/functions/public/default/r1-a"
    server.answers[path] = (400, {"reason": "Update contains no change"})
    server.answers[FUNCTIONS] = (200, ["r1-a"])
    with pytest.raises(FunctionFailed, match=r"refuses PUT .*Update contains no change"):
        server.admin().resize(SPEC, JAR, 3)


def test_a_function_that_is_gone_is_named_whatever_the_status(server: Server) -> None:
    server.answers[FUNCTIONS] = (200, ["other"])
    server.answers[f"{FUNCTIONS}/r1-a"] = (400, {"reason": "Function r1-a doesn't exist"})
    admin = server.admin()
    for ask in (lambda: admin.resize(SPEC, JAR, 3), lambda: admin.sums("r1-a")):
        with pytest.raises(FunctionMissing, match="Pulsar has no function r1-a"):
            ask()


def test_a_pulsar_that_is_gone_is_one_line(token_file: Path) -> None:
    admin = FunctionsAdmin("http://127.0.0.1:9/admin", token_file)
    for ask in (admin.names, lambda: admin.instances("r1-a")):
        with pytest.raises(FunctionFailed, match="Pulsar does not answer GET"):
            ask()


def test_instances_asked_for(server: Server) -> None:
    server.answers[f"{FUNCTIONS}/r1-a"] = (200, {"parallelism": 4})
    assert server.admin().instances("r1-a") == 4


def test_sums_of_what_instances_record(server: Server) -> None:
    metrics = {"service": (4, 2.0, 1.5), "gap": (3, 6.0, 14.0)}
    user = {
        f"user_metric_{name}{end}": value
        for name, (count, total, squares) in metrics.items()
        for end, value in (("_count", count), ("_sum", total), ("_squared_sum", squares))
    }
    instances = [{"metrics": {"userMetrics": user}}, {"metrics": None}]
    server.answers["/admin/v3/functions/public/default/r1-a/stats"] = (
        200,
        {"instances": instances},
    )
    first, second = server.admin().sums("r1-a")
    assert first == {"service": UserSums(4, 2.0, 1.5), "gap": UserSums(3, 6.0, 14.0)}
    assert second["service"] == UserSums(0, 0, 0)


def test_messages_of_a_topic_and_a_topic_that_does_not_exist_yet(server: Server) -> None:
    server.answers["/admin/v2/persistent/public/default/r1-in/stats"] = (
        200,
        {"msgInCounter": 12, "subscriptions": {"a": {"msgBacklog": 3}, "b": {"msgBacklog": 4}}},
    )
    admin = server.admin()
    assert admin.published("r1-in") == 12
    assert admin.published("other") == 0
    assert admin.waiting("r1-in") == 7
    assert admin.waiting("other") == 0


def test_the_ends_of_a_function_are_its_topics(server: Server) -> None:
    config = {
        "inputSpecs": {"persistent://public/default/r1-in": {}},
        "output": "persistent://public/default/r1-a-out",
    }
    server.answers["/admin/v3/functions/public/default/r1-a"] = (200, config)
    assert server.admin().ends("r1-a") == (["r1-in"], "r1-a-out")
