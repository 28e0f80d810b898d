"""A service is healthy when it answers as its users need it to."""

import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tools.services import health

pytestmark = pytest.mark.unit


@pytest.fixture
def page():
    """Function that serves what it is given, at any path, and returns the address function."""
    servers = []

    def start(content, path="/"):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == path else 404)
                self.end_headers()
                self.wfile.write(json.dumps(content).encode())

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return lambda name, port: ("127.0.0.1", server.server_port)

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def nowhere(name, port):
    return "127.0.0.1", 1


@pytest.mark.parametrize("name", ["postgres", "mlflow", "spark-connect", "airflow-triggerer"])
def test_nobody_there_is_no_answer(name):
    assert health.problem(name, nowhere).startswith("no response (")


def test_a_page_that_answers_is_healthy_whatever_proxies_are_set(page, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert health.problem("mlflow", page("OK", "/health")) is None
    assert health.problem("mlflow", page("OK", "/elsewhere")) is not None


@pytest.mark.parametrize(
    ("status", "seconds_ago", "expected"),
    [
        ("healthy", 1, None),
        ("healthy", 100, "no heartbeat yet"),
        ("unhealthy", 1, "no heartbeat (status unhealthy)"),
    ],
)
def test_a_component_is_healthy_when_it_was_heard_of_since_its_start(
    page, status, seconds_ago, expected
):
    # Made here, not with the parameters: those are as old as the whole test run.
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000000+00:00", time.gmtime(time.time() - seconds_ago))
    content = {"scheduler": {"status": status, "latest_scheduler_heartbeat": at}}
    address = page(content, "/api/v2/monitor/health")
    assert health.problem("airflow-scheduler", address, time.time() - 10) == expected


@pytest.mark.parametrize("content", [{"scheduler": {"status": None}}, {}])
def test_a_component_that_was_never_heard_of_is_not_healthy(page, content):
    address = page(content, "/api/v2/monitor/health")
    said = health.problem("airflow-scheduler", address, time.time() - 10)
    assert said == "no heartbeat (status None)"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(b"R", None), (b"E", "refuses connections"), (b"", "refuses connections")],
)
def test_a_database_is_healthy_when_it_asks_for_a_password(answer, expected):
    asked = []

    def serve(connection):
        length = struct.unpack(">I", connection.recv(4))[0]
        asked.append(connection.recv(length - 4))
        connection.sendall(answer)

    assert of_a_server("postgres", serve) == expected
    assert asked == [struct.pack(">I", 196608) + b"user\0airflow\0database\0airflow\0\0"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"\0\0\0\4\0\0\0\0\0", None),
        (b"HTTP/1.1 400 Bad Request", "does not speak HTTP/2"),
        (b"", "does not speak HTTP/2"),
    ],
)
def test_a_server_of_spark_is_healthy_when_it_answers_as_http_2(answer, expected):
    asked = []

    def serve(connection):
        asked.append(connection.recv(1024))
        connection.sendall(answer)

    assert of_a_server("spark-connect", serve) == expected
    assert asked[0].startswith(b"PRI * HTTP/2.0")


def of_a_server(name, serve):
    """Problem of a service that serves one connection."""

    def accept(listener):
        connection, _ = listener.accept()
        with connection:
            serve(connection)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=accept, args=(listener,))
        thread.start()
        number = listener.getsockname()[1]
        problem = health.problem(name, lambda name, port: ("127.0.0.1", number))
        thread.join()
    return problem
