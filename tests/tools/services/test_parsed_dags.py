"""`make up` ends when Airflow has read the DAGs, or says which it has not, and why."""

import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from tools.services import airflow_rest, credentials, parsed_dags, records
from tools.services.processes import Leader
from tools.services.records import Record

pytestmark = pytest.mark.unit

STARTED = 1_800_000_000.0


def moment(seconds):
    """A time after the start, as Airflow reports it."""
    return datetime.fromtimestamp(STARTED + seconds, UTC).isoformat().replace("+00:00", "Z")


def read(after=1.0, is_stale=False):
    """Airflow's data on a DAG."""
    return {"last_parsed_time": moment(after), "is_stale": is_stale}


def broken(file, stack_trace, after=1.0):
    return {"filename": file, "stack_trace": stack_trace, "timestamp": moment(after)}


@pytest.fixture
def airflow(layout, monkeypatch):
    """Airflow's responses on DAGs to the administrator, and the number of requests for errors."""
    state = SimpleNamespace(dags={name: read() for name in parsed_dags.DAGS}, errors=[], looks=0)
    password = credentials.ensure(layout)["airflow-admin"]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            right = asked == {"username": "admin", "password": password}
            self.answer({"access_token": "known"} if right else {}, 201 if right else 401)

        def do_GET(self):
            name = self.path.removeprefix("/api/v2/dags/")
            if self.headers["Authorization"] != "Bearer known":
                self.answer({}, 401)
            elif self.path.startswith("/api/v2/importErrors"):
                state.looks += 1
                self.answer({"import_errors": state.errors}, 200)
            else:
                dag = state.dags.get(name)
                self.answer(dag or {}, 200 if dag else 404)

        def answer(self, content, status):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    state.port = server.server_port
    for service in (airflow_rest.API, parsed_dags.READER):
        numbers = {"AIRFLOW__API__PORT": state.port}
        records.save(layout, Record(service, Leader(1, 1, "", ""), numbers, STARTED))
    monkeypatch.setattr(parsed_dags, "LOOK_EVERY_SECONDS", 0.0)
    yield state
    server.shutdown()
    server.server_close()


def test_nothing_is_missing_where_all_have_been_read(airflow, layout):
    assert parsed_dags.wait(layout) == {}


def test_it_waits_until_all_have_been_read(airflow, layout, monkeypatch):
    late = airflow.dags.pop("nightly")

    def sleep(seconds):
        if airflow.looks == 2:
            airflow.dags["nightly"] = late

    monkeypatch.setattr("time.sleep", sleep)
    assert parsed_dags.wait(layout) == {}
    assert airflow.looks == 2


def test_one_that_stays_away_is_named_with_the_reason_and_the_log(airflow, layout, monkeypatch):
    monkeypatch.setattr(parsed_dags, "PATIENCE_SECONDS", 0.0)
    del airflow.dags["nightly"]
    reason = "pipeline.base.errors.InputError: SCHEDULE is '0 25': must be"
    trace = f"Traceback:\n  File nightly.py\n{reason}"
    airflow.errors = [broken("other.py", "OtherError: x"), broken("nightly.py", trace)]
    missing = parsed_dags.wait(layout)
    assert missing == {"nightly": reason}
    said = parsed_dags.describe(layout, missing)
    assert said.startswith("Airflow has not read nightly (pipeline.base.errors.InputError: ")
    assert said.endswith(f"see {layout.logs / 'airflow-dag-processor.log'}")
    assert "\n" not in said


@pytest.mark.parametrize("dag", [read(after=-60.0), read(is_stale=True)])
def test_one_that_was_read_before_and_is_not_now_is_unread(airflow, layout, dag):
    """It was there until `make down`; then its schedule was mistyped."""
    airflow.dags["nightly"] = dag
    assert list(parsed_dags.unread(layout)) == ["nightly"]


def test_an_error_of_an_earlier_start_is_no_reason(airflow, layout):
    del airflow.dags["nightly"]
    airflow.errors = [broken("nightly.py", "InputError: mended since", after=-60.0)]
    assert parsed_dags.unread(layout) == {"nightly": "no import error yet"}


def test_who_is_not_let_in_knows_of_none(airflow, layout):
    secrets = layout.services / "secrets.json"
    passwords = json.loads(secrets.read_text())
    secrets.write_text(json.dumps(passwords | {"airflow-admin": "wrong"}))
    unread = parsed_dags.unread(layout)
    assert list(unread) == [*parsed_dags.DAGS]
    assert "401" in unread["nightly"]


def test_nobody_there_knows_of_none(layout):
    assert list(parsed_dags.unread(layout)) == [*parsed_dags.DAGS]
