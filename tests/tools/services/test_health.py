"""A service is healthy when it answers as its users need it to."""

import base64
import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import pytest

from tools.services import credentials, health

pytestmark = pytest.mark.unit


@pytest.fixture
def page():
    """Function that serves what it is given, at any path, and returns the address function."""
    servers, asked = [], {}

    def start(content, path="/"):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.update(self.headers)
                self.send_response(200 if self.path == path else 404)
                self.end_headers()
                self.wfile.write(json.dumps(content).encode())

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        # The worker's own port is what it is known by at the master.
        return lambda name, port: (
            "127.0.0.1",
            4711 if port.variable == "GROUPSCALE_SPARK_WORKER_PORT" else server.server_port,
        )

    start.asked = asked
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def conf(layout):
    """Folder of Spark's settings."""
    return credentials.for_spark(layout, credentials.ensure(layout))


def nowhere(name, port):
    return "127.0.0.1", 1


@pytest.mark.parametrize("name", ["postgres", "mlflow", "spark-worker", "airflow-triggerer"])
def test_nobody_there_is_no_answer(conf, name):
    assert health.problem(name, nowhere, conf).startswith("no response (")


def test_a_page_that_answers_is_healthy_whatever_proxies_are_set(page, conf, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert health.problem("mlflow", page("OK", "/health"), conf) is None
    assert health.problem("mlflow", page("OK", "/elsewhere"), conf) is not None


@pytest.mark.parametrize(
    ("workers", "expected"),
    [
        ([{"port": 4711, "state": "ALIVE"}], None),
        ([{"port": 4711, "state": "DEAD"}], "not registered with the master"),
        ([{"port": 4712, "state": "ALIVE"}], "not registered with the master"),
        ([], "not registered with the master"),
    ],
)
def test_a_worker_is_healthy_when_its_master_knows_it(page, conf, workers, expected):
    address = page({"workers": workers}, "/json/")
    assert health.problem("spark-worker", address, conf) == expected


@pytest.mark.parametrize("name", ["spark-master", "spark-worker"])
def test_pages_of_spark_are_asked_with_a_token_for_a_minute(layout, page, conf, name):
    address = page({"workers": [{"port": 4711, "state": "ALIVE"}]}, "/json/")
    assert health.problem(name, address, conf) is None
    key = base64.urlsafe_b64decode(credentials.ensure(layout)["spark-pages"])
    scheme, _, token = page.asked["Authorization"].partition(" ")
    claims = jwt.decode(token, key, algorithms=["HS256"])
    assert scheme == "Bearer"
    assert 0 < claims["exp"] - time.time() <= 60


def test_without_a_key_spark_is_not_healthy(page, tmp_path):
    address = page({}, "/json/")
    assert "No such file" in health.problem("spark-master", address, tmp_path)
    (tmp_path / "spark-defaults.conf").write_text("spark.authenticate true\n")
    assert "no key for Spark's pages" in health.problem("spark-master", address, tmp_path)


@pytest.mark.parametrize(
    ("status", "seconds_ago", "expected"),
    [
        ("healthy", 1, None),
        ("healthy", 100, "no heartbeat yet"),
        ("unhealthy", 1, "no heartbeat (status unhealthy)"),
    ],
)
def test_a_component_is_healthy_when_it_was_heard_of_since_its_start(
    page, conf, status, seconds_ago, expected
):
    # Made here, not with the parameters: those are as old as the whole test run.
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000000+00:00", time.gmtime(time.time() - seconds_ago))
    content = {"scheduler": {"status": status, "latest_scheduler_heartbeat": at}}
    address = page(content, "/api/v2/monitor/health")
    assert health.problem("airflow-scheduler", address, conf, time.time() - 10) == expected


@pytest.mark.parametrize("content", [{"scheduler": {"status": None}}, {}])
def test_a_component_that_was_never_heard_of_is_not_healthy(page, conf, content):
    address = page(content, "/api/v2/monitor/health")
    said = health.problem("airflow-scheduler", address, conf, time.time() - 10)
    assert said == "no heartbeat (status None)"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(b"R", None), (b"E", "refuses connections"), (b"", "refuses connections")],
)
def test_a_database_is_healthy_when_it_asks_for_a_password(conf, answer, expected):
    asked = []

    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            length = struct.unpack(">I", connection.recv(4))[0]
            asked.append(connection.recv(length - 4))
            connection.sendall(answer)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        number = listener.getsockname()[1]
        assert (
            health.problem("postgres", lambda name, port: ("127.0.0.1", number), conf) == expected
        )
        thread.join()
    assert asked == [struct.pack(">I", 196608) + b"user\0airflow\0database\0airflow\0\0"]
