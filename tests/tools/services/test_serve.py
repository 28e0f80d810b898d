"""Services start together, answer on this machine alone, and end together."""

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from tools.console import SetupError
from tools.services import foreground, serve

pytestmark = pytest.mark.unit

ENV = {"PATH": "/usr/bin:/bin"}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Look often, and leave signal handlers as they were."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(foreground, "LOOK_EVERY_SECONDS", 0.02)
    yield
    signal.signal(signal.SIGTERM, before)


def sleeper(folder, name):
    return ["sh", "-c", f"echo $$ > '{folder}/{name}.pid'; echo hello; exec sleep 60"]


def wait_for(*files):
    end = time.monotonic() + 20
    while not all(file.exists() and file.read_text() for file in files):
        assert time.monotonic() < end
        time.sleep(0.01)


def is_running(file):
    try:
        os.kill(int(file.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def test_when_one_ends_the_others_are_ended(tmp_path):
    pid = tmp_path / "a.pid"
    short = ["sh", "-c", f"while [ ! -s '{pid}' ]; do sleep 0.01; done; exit 3"]
    commands = {"a": sleeper(tmp_path, "a"), "b": short}
    with pytest.raises(SetupError, match=r"^b .* 3; see .*b\.log"):
        foreground.run_together(commands, ENV, tmp_path / "logs", lambda: False, "")
    assert not is_running(pid)
    assert (tmp_path / "logs" / "a.log").read_text() == "hello\n"


def test_being_asked_to_end_ends_all(tmp_path, capsys):
    pids = [tmp_path / "a.pid", tmp_path / "b.pid"]

    def is_ready():
        return all(pid.exists() and pid.read_text() for pid in pids)

    def ask():
        wait_for(*pids)
        os.kill(os.getpid(), signal.SIGTERM)

    commands = {name: sleeper(tmp_path, name) for name in ("a", "b")}
    threading.Timer(0.1, ask).start()
    foreground.run_together(commands, ENV, tmp_path, is_ready, "it is ready")
    assert [is_running(pid) for pid in pids] == [False, False]
    assert capsys.readouterr().err.endswith("\nStopping\n")


def test_one_that_does_not_want_to_end_is_made_to(tmp_path, monkeypatch):
    monkeypatch.setattr(foreground, "GRACE_SECONDS", 0.1)
    script = f"trap '' TERM; echo $$ > '{tmp_path}/a.pid'; while :; do sleep 0.1; done"
    process = subprocess.Popen(["sh", "-c", script])
    wait_for(tmp_path / "a.pid")
    foreground._end([process])
    assert process.returncode == -signal.SIGKILL


@pytest.fixture
def page():
    """Function that serves a text on the loopback address and returns the address."""
    servers = []

    def start(text):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


HEALTHY = '"scheduler": {"status": "healthy"}, "triggerer": {"status": "healthy"}'


def test_airflow_is_ready_when_all_its_processes_are(page, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    ready = f'{{{HEALTHY}, "dag_processor": {{"status": "healthy"}}}}'
    starting = f'{{{HEALTHY}, "dag_processor": {{"status": null}}}}'
    assert serve._is_healthy(page(ready))
    assert not serve._is_healthy(page(starting))
    assert not serve._is_healthy(page("{}"))


def test_a_page_that_is_not_there_is_not_ready():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert serve._get(f"http://127.0.0.1:{port}/") is None


def test_a_port_in_use_names_the_variable():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=f"mlflow: port {port} .* is in use .* MLFLOW_PORT="):
            serve._free_port("mlflow", "MLFLOW_PORT", str(port))


@pytest.mark.parametrize("text", ["eighty", "70000", "-1", ""])
def test_what_is_no_port_is_said(text):
    with pytest.raises(SetupError, match="_PORT` must be a port"):
        serve._free_port("mlflow", "MLFLOW_PORT", text)


def test_hosts_that_are_none_are_said_before_anything_starts(layout, monkeypatch):
    monkeypatch.setattr(serve, "_free_port", lambda *arguments: 1234)
    env = {"AIRFLOW__API__PORT": "1234", "GROUPSCALE_ALLOWED_HOSTS": "https://a.example"}
    with pytest.raises(SetupError, match=r"`GROUPSCALE_ALLOWED_HOSTS` .*'https://a\.example'"):
        serve.airflow(layout, env)


def test_nothing_is_told_to_listen_beyond_this_machine(layout, monkeypatch):
    started = {}

    def note(commands, env, logs, is_ready, when_ready):
        started.update(commands)

    monkeypatch.setattr(serve, "run_together", note)
    monkeypatch.setattr(serve, "_free_port", lambda *arguments: 1234)
    env = {"AIRFLOW__API__PORT": "1234", "MLFLOW_TRACKING_URI": "sqlite:////runs/x.db"}
    serve.airflow(layout, env)
    serve.mlflow(layout, env)
    lines = [" ".join(command) for command in started.values()]
    assert [line for line in lines if re.search(r"scheduler|triggerer", line)] == [
        line for line in lines if "--skip-serve-logs" in line
    ]
    assert "--host 127.0.0.1" in " ".join(started["mlflow"])
    assert "--app-name basic-auth" in " ".join(started["mlflow"])
    assert sys.executable not in " ".join(lines)


@pytest.fixture
def mlflow(layout, monkeypatch):
    """Function that starts MLflow for an environment; returns what is started, and how."""
    started = SimpleNamespace()

    def note(commands, env, logs, is_ready, when_ready):
        started.words, started.env, started.ready = commands["mlflow"], env, when_ready

    monkeypatch.setattr(serve, "run_together", note)
    monkeypatch.setattr(serve, "_free_port", lambda *arguments: 1234)

    def start(**env):
        serve.mlflow(layout, env)
        return started

    return start


def test_the_server_of_the_command_line_s_runs_asks_for_a_password(layout, mlflow):
    command = mlflow(MLFLOW_TRACKING_URI="sqlite:////some/where/runs.db", AIRFLOW_X="secret")
    users = layout.mlflow / "users.ini"
    assert command.env["MLFLOW_AUTH_CONFIG_PATH"] == str(users)
    assert f"database_uri = sqlite:///{layout.mlflow / 'users.db'}\n" in users.read_text()
    modes = [stat.S_IMODE(f.stat().st_mode) for f in (users, layout.mlflow / "users.db")]
    assert modes == [0o600] * 2
    # The command line stores artifacts next to the runs; no others are served.
    place = command.words[command.words.index("--artifacts-destination") + 1]
    assert place == "/some/where/artifacts"
    assert "--default-artifact-root" not in command.words
    password = (layout.services / "mlflow-password").read_text().strip()
    assert password not in " ".join(command.words) + command.ready + " ".join(command.env.values())
    assert f"user admin, password in {layout.services / 'mlflow-password'}" in command.ready
    assert "AIRFLOW_X" not in command.env
    assert "MLFLOW_TRACKING_URI" not in command.env


def test_pages_of_runs_that_a_server_keeps_are_that_server_s(mlflow):
    said = r"`MLFLOW_TRACKING_URI` must be sqlite:///FILE .*got 'http://127.0.0.1:5000'"
    with pytest.raises(SetupError, match=said):
        mlflow(MLFLOW_TRACKING_URI="http://me:secret@127.0.0.1:5000")
