"""Alerts under Airflow's own scheduler, DAG processor and triggerer, to a local webhook."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from types import SimpleNamespace

import pytest

from tests import servers
from tests.services import other_sites
from tools import environment
from tools.layout import Layout, here
from tools.services import serve
from tools.services.service_topology import ADMIN
from tools.setup import databases

pytestmark = [pytest.mark.services, pytest.mark.airflow, pytest.mark.slow]

PATIENCE_SECONDS = 600


class Isolated(Layout):
    """The repository with its state somewhere else."""

    @property
    def state(self):
        return self.elsewhere


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, processes):
    end = time.monotonic() + PATIENCE_SECONDS
    while not (answer := condition()):
        assert [process.poll() for process in processes] == [None] * len(processes)
        assert time.monotonic() < end
        time.sleep(0.5)
    return answer


@pytest.fixture(scope="module")
def airflow(tmp_path_factory):
    """A running Airflow with a webhook as its connection; a night is late after a second."""
    layout = Isolated(here().root)
    object.__setattr__(layout, "elsewhere", tmp_path_factory.mktemp("state"))
    port = free_port()
    with pytest.MonkeyPatch.context() as patch, servers.webhook() as hook:
        patch.setenv("AIRFLOW__API__PORT", str(port))
        # `make` has set them for the usual port.
        patch.delenv("AIRFLOW__API__BASE_URL", raising=False)
        patch.delenv("AIRFLOW__CORE__EXECUTION_API_SERVER_URL", raising=False)
        patch.setenv("no_proxy", "127.0.0.1")
        env = environment.variables(layout) | {
            "GROUPSCALE_WAREHOUSE": str(layout.elsewhere / "warehouse"),
            "GROUPSCALE_DEADLINE_HOURS": "0.0003",
            "AIRFLOW_CONN_GROUPSCALE_ALERTS": hook.url,
        }
        databases.ensure(layout, env)
        processes = [start(layout, env, name, words) for name, words in serve.AIRFLOW.items()]
        try:
            page = f"http://127.0.0.1:{port}"
            health = f"{page}/api/v2/monitor/health"
            wait_for(lambda: serve._is_healthy(health), processes)
            yield SimpleNamespace(
                page=page,
                processes=processes,
                hook=hook,
                logs=layout.elsewhere / "logs",
                login={"username": ADMIN, "password": password_of(layout)},
            )
        finally:
            end(processes)


def password_of(layout):
    return json.loads(layout.airflow_passwords.read_text())[ADMIN]


def start(layout, env, name, words):
    layout.logs.mkdir(parents=True, exist_ok=True)
    with (layout.logs / f"{name}.log").open("wb") as log:
        command = [str(layout.python), "-m", "airflow", *words]
        return subprocess.Popen(command, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def end(processes):
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def call(airflow, path, content=None):
    """What Airflow's API answers."""
    token = None
    if path != "/auth/token":
        token = call(airflow, "/auth/token", airflow.login)["access_token"]
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(airflow.page + path, body, headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        return json.load(answer)


def trigger(airflow, dag, **conf):
    """Start a DAG run and return its id, as soon as the DAG is known."""

    def is_known():
        try:
            return call(airflow, f"/api/v2/dags/{dag}")
        except urllib.error.HTTPError:
            return None

    wait_for(is_known, airflow.processes)
    content = {"logical_date": None, "conf": conf}
    return call(airflow, f"/api/v2/dags/{dag}/dagRuns", content)["dag_run_id"]


def messages(airflow, dag_run_id):
    return [p.content for p in airflow.hook.posts if p.content["dag_run_id"] == dag_run_id]


def test_a_night_that_is_late_is_told_by_the_triggerer(airflow):
    # The DAG is paused: its run stays queued.
    run = trigger(airflow, "nightly")
    (message,) = wait_for(lambda: messages(airflow, run), airflow.processes)
    assert (message["event"], message["dag_id"]) == ("late", "nightly")
    assert "still queued" in message["cause"]


def test_a_wrong_configuration_is_told_once_and_not_tried_again(airflow):
    run = trigger(airflow, "benchmark", set=["capacity=-1"])
    (message,) = wait_for(lambda: messages(airflow, run), airflow.processes)
    assert message["event"] == "failed"
    assert message["tasks"] == ["begin"]
    assert "`capacity` must be " in message["cause"]
    assert "(got -1)" in message["cause"]
    assert message["log_url"].startswith(airflow.page)
    tasks = call(airflow, f"/api/v2/dags/benchmark/dagRuns/{run}/taskInstances")
    begun = {task["task_id"]: task["try_number"] for task in tasks["task_instances"]}
    assert begun["begin"] == 1
    assert not (airflow.logs.parent / "warehouse").exists()
    assert len(messages(airflow, run)) == 1


def test_who_has_no_password_gets_nothing(airflow):
    for login in (None, {}, {"username": "admin", "password": "admin"}):
        with pytest.raises(urllib.error.HTTPError, match=r"401|403|422"):
            call(airflow, "/auth/token", login)
    assert other_sites.ask(f"{airflow.page}/api/v2/dags").status == 401


def test_pages_of_other_sites_get_nothing(airflow):
    other_sites.check_airflow(
        airflow.page, call(airflow, "/auth/token", airflow.login)["access_token"]
    )


def test_the_password_is_in_no_log(airflow):
    password = airflow.login["password"].encode()
    files = [file for file in airflow.logs.rglob("*") if file.is_file()]
    assert [file for file in files if password in file.read_bytes()] == []


def test_the_webhook_is_in_no_log(airflow):
    secret = airflow.hook.url.rpartition("/")[2].encode()
    files = [file for file in airflow.logs.rglob("*") if file.is_file()]
    assert files
    assert [file for file in files if secret in file.read_bytes()] == []
