"""`make up` ends when Airflow knows the DAGs, or says that it does not."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from tools.up import dags

pytestmark = pytest.mark.unit


@pytest.fixture
def airflow(tmp_path):
    """Function that serves DAGs to the administrator and returns the installation."""
    servers = []

    def start(*answers):
        left = [*answers]

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                right = asked == {"username": "admin", "password": "right"}
                self.answer({"access_token": "known"} if right else {}, 201 if right else 401)

            def do_GET(self):
                if self.headers["Authorization"] != "Bearer known":
                    self.answer({}, 401)
                    return
                names = left.pop(0) if len(left) > 1 else left[0]
                self.answer({"dags": [{"dag_id": name} for name in names]}, 200)

            def answer(self, content, status):
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(content).encode())

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return SimpleNamespace(
            ports={"AIRFLOW__API__PORT": server.server_port},
            secrets={"airflow-admin": "right"},
            layout=SimpleNamespace(logs=tmp_path),
        )

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_it_waits_until_all_are_there(airflow, monkeypatch):
    monkeypatch.setattr(dags, "LOOK_EVERY_SECONDS", 0.0)
    assert dags.wait(airflow([], ["nightly"], ["nightly", "benchmark", "another"]))


def test_one_that_stays_away_is_named_with_the_log(airflow, capsys):
    made = airflow(["nightly"])
    assert not dags.wait(made, patience=0.0)
    said = capsys.readouterr()
    assert "benchmark" in said.out + said.err
    assert str(made.layout.logs / "airflow-dag-processor.log") in said.out + said.err


def test_who_is_not_let_in_knows_of_none(airflow):
    made = airflow(["nightly", "benchmark"])
    made.secrets["airflow-admin"] = "wrong"
    assert list(dags.unread(made)) == ["benchmark", "nightly"]


def test_nobody_there_knows_of_none(airflow):
    made = airflow([])
    made.ports["AIRFLOW__API__PORT"] = 1
    assert list(dags.unread(made)) == ["benchmark", "nightly"]


def test_the_names_are_those_of_the_files():
    """A DAG of the project is a file that is named like it."""
    from tools import layout

    folder = layout.here().root / "dags"
    found = {file.stem for file in folder.glob("*.py") if "dag_id=" in file.read_text()}
    assert found == set(dags.DAGS)
