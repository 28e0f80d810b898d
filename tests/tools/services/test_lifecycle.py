"""All services start, or none is left; starting twice is harmless; what was started is stopped."""

import os
import re
import signal
import socket
import stat
import subprocess
import time

import pytest

from pipeline.base.process import process_table
from tools.console import SetupError
from tools.services import (
    health,
    lifecycle,
    logs,
    migrations,
    parsed_dags,
    port_checks,
    postgres,
    processes,
    records,
)
from tools.services.service_topology import SERVICES

pytestmark = [pytest.mark.unit, pytest.mark.slow]

NAMES = [service.name for service in SERVICES]


class Pretended:
    """An installation whose services are shell scripts."""

    def __init__(self, layout, numbers, scripts):
        self.layout, self.ports, self.secrets = layout, numbers, {}
        self.scripts = scripts

    def command(self, name):
        return ["sh", "-c", self.scripts.get(name, "exec sleep 60")]

    def environment(self, name):
        mine = {n: v for n, v in os.environ.items() if n.startswith(("GROUPSCALE", "AIRFLOW"))}
        return mine | {"PATH": "/usr/bin:/bin", "TERM": os.environ.get("TERM", "")}

    def folder(self, name):
        return self.layout.services / name


@pytest.fixture
def free(monkeypatch):
    """Ports that are free."""
    held = [socket.socket() for _ in port_checks.wanted()]
    for one, variable in zip(held, port_checks.wanted(), strict=True):
        one.bind(("127.0.0.1", 0))
        monkeypatch.setenv(variable, str(one.getsockname()[1]))
    for one in held:
        one.close()


@pytest.fixture
def scripts():
    """Scripts of services that do not just wait."""
    return {}


@pytest.fixture
def up(layout, monkeypatch, scripts, free):
    """Function that starts pretended services, all of them healthy at once."""
    monkeypatch.setattr(postgres, "programs", lambda place: None)
    monkeypatch.setattr(postgres, "user", lambda: None)
    monkeypatch.setattr(postgres, "make", lambda *arguments: None)
    monkeypatch.setattr(migrations, "ensure", lambda made: None)
    monkeypatch.setattr(lifecycle, "LOOK_EVERY_SECONDS", 0.02)
    monkeypatch.setattr(processes, "LOOK_EVERY_SECONDS", 0.005)
    monkeypatch.setattr(lifecycle, "GRACE_SECONDS", 5.0)
    monkeypatch.setattr(
        lifecycle, "installation", lambda place, env, ports: Pretended(place, ports, scripts)
    )
    monkeypatch.setattr(health, "problem", lambda name, address, since: None)
    monkeypatch.setattr(parsed_dags, "wait", lambda place: parsed_dags.unread(place))
    monkeypatch.setattr(parsed_dags, "unread", lambda place: {})
    yield lambda: lifecycle.up(layout, {})
    lifecycle.down(layout)


def pids(layout):
    return {name: record.leader.pid for name, record in records.load(layout).items()}


def test_all_start_and_all_stop_in_reverse_order(up, layout, capsys):
    up()
    assert list(pids(layout)) == NAMES
    shown = capsys.readouterr()
    assert shown.out.count("healthy") == len(NAMES)
    for name, file in (("Airflow", "airflow-passwords.json"), ("MLflow", "mlflow-password")):
        place = rf"{name}: http://127\.0\.0\.1:\d+, user admin, password in "
        assert re.search(f"{place}{re.escape(str(layout.services / file))}\n", shown.err)
    started = records.load(layout)
    lifecycle.down(layout)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"stopped {name}" for name in reversed(NAMES)]
    assert not any(processes.is_alive(record.leader) for record in started.values())
    assert records.load(layout) == {}


def test_starting_twice_starts_nothing_again(up, layout):
    up()
    before = pids(layout)
    up()
    assert pids(layout) == before


def test_what_needs_a_dead_service_is_started_again(up, layout):
    """Without its database a service ends too, while the others start."""
    up()
    before = records.load(layout)
    os.kill(before["postgres"].leader.pid, signal.SIGKILL)
    while processes.is_alive(before["postgres"].leader):
        pass
    up()
    after = pids(layout)
    same = {name for name, record in before.items() if record.leader.pid == after[name]}
    assert same == {"spark-connect"}


def test_what_has_died_is_started_again(up, layout):
    up()
    before = records.load(layout)
    os.kill(before["mlflow"].leader.pid, signal.SIGKILL)
    while processes.is_alive(before["mlflow"].leader):
        pass
    up()
    after = pids(layout)
    assert [name for name in NAMES if after[name] != before[name].leader.pid] == ["mlflow"]


def test_one_that_dies_during_the_start_takes_the_others_along(up, layout, scripts):
    scripts["spark-connect"] = "exit 3"
    with pytest.raises(SetupError, match=r"spark-connect .*see .*spark-connect\.log"):
        up()
    assert records.load(layout) == {}


def test_one_that_does_not_become_healthy_is_said_and_all_are_stopped(up, layout, monkeypatch):
    monkeypatch.setattr(lifecycle, "PATIENCE_SECONDS", 0.1)
    sick = {"mlflow": "no answer"}
    monkeypatch.setattr(health, "problem", lambda name, address, since: sick.get(name))
    with pytest.raises(SetupError, match=r"mlflow is not healthy after 0 s .no answer.; see .*log"):
        up()
    assert records.load(layout) == {}


@pytest.mark.parametrize("trouble", [OSError("no space"), KeyboardInterrupt()])
def test_one_that_cannot_be_recorded_is_not_left_behind(up, layout, monkeypatch, trouble):
    """Its record could not be written, or Ctrl-C came just then."""
    begun = []

    def fail(place, record):
        begun.append(record.leader)
        raise trouble

    monkeypatch.setattr(records, "save", fail)
    with pytest.raises(type(trouble)):
        up()
    assert len(begun) == 1
    assert not processes.is_alive(begun[0])


def test_a_taken_port_starts_nothing(up, layout, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setenv("MLFLOW_PORT", str(taken.getsockname()[1]))
        with pytest.raises(SetupError, match=r"mlflow: port .* is in use"):
            up()
    assert records.load(layout) == {}


def test_other_ports_than_those_in_use_are_refused(up, layout, monkeypatch):
    up()
    monkeypatch.setenv("MLFLOW_PORT", "1")
    with pytest.raises(SetupError, match=r"runs with MLFLOW_PORT=.* 1.*`make down`"):
        up()
    assert list(pids(layout)) == NAMES


def test_logs_of_what_runs_are_bounded_and_go_on(up, layout, scripts, monkeypatch):
    gate = layout.root / "go on"
    scripts["mlflow"] = (
        f"printf 0123456789; until [ -e '{gate}' ]; do sleep 0.02; done; echo more; exec sleep 60"
    )
    up()
    log = layout.logs / "mlflow.log"
    wait_until(lambda: log.read_text() == "0123456789")
    monkeypatch.setattr(logs, "MOST_BYTES", 9)
    up()
    assert log.with_name("mlflow.log.1").read_text() == "0123456789"
    gate.touch()
    # Not after a hole of ten zeros.
    wait_until(lambda: log.read_bytes() == b"more\n")


def wait_until(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_other_settings_than_those_in_use_are_refused(up, layout, monkeypatch):
    monkeypatch.setenv("AIRFLOW_CONN_GROUPSCALE_ALERTS", "generic://one")
    up()
    monkeypatch.setenv("TERM", "another")
    monkeypatch.setenv("GROUPSCALE_RUN_PRESET", "smoke")
    up()
    before = pids(layout)
    monkeypatch.setenv("GROUPSCALE_NIGHTLY_PRESET", "smoke")
    monkeypatch.setenv("AIRFLOW_CONN_GROUPSCALE_ALERTS", "generic://two")
    os.kill(before["mlflow"], signal.SIGKILL)
    while process_table.look_up(before["mlflow"]) is not None:
        time.sleep(0.005)
    changed = "AIRFLOW_CONN_GROUPSCALE_ALERTS, GROUPSCALE_NIGHTLY_PRESET"
    with pytest.raises(SetupError, match=rf"other settings \({changed}\).*`make down` first"):
        up()
    assert pids(layout) == {n: pid for n, pid in before.items() if n != "mlflow"}


def test_a_record_is_private_and_has_no_setting_in_it(up, layout, monkeypatch):
    monkeypatch.setenv("AIRFLOW_CONN_GROUPSCALE_ALERTS", "generic://secret")
    up()
    files = list((layout.services / "running").iterdir())
    assert len(files) == len(NAMES)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert "generic://secret" not in "".join(file.read_text() for file in files)


def test_who_makes_a_backup_is_told_where_the_databases_are(up, layout, capsys, monkeypatch):
    monkeypatch.setenv("GROUPSCALE_POSTGRES_DATA", "/srv/elsewhere")
    lifecycle.status(layout)
    said = capsys.readouterr().err
    assert "Databases in /srv/elsewhere, logs in" in said
    assert f"MLflow: user admin, password in {layout.services / 'mlflow-password'}\n" in said
    up()
    assert "Databases in /srv/elsewhere, logs in" in capsys.readouterr().err


def test_down_kills_nothing_else(up, layout):
    other = subprocess.Popen(["sleep", "60"])
    try:
        up()
        lifecycle.down(layout)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_status_tells_who_is_well(up, layout, capsys, monkeypatch):
    assert lifecycle.status(layout) is False
    assert capsys.readouterr().out.count("stopped") == len(NAMES)
    up()
    capsys.readouterr()
    assert lifecycle.status(layout) is True
    sick = {"mlflow": "no answer"}
    monkeypatch.setattr(health, "problem", lambda name, address, since: sick.get(name))
    assert lifecycle.status(layout) is False
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines[len(NAMES) + 1 :] if "mlflow" in line).split()[2:4] == [
        "no",
        "answer",
    ]


@pytest.fixture
def mistyped(monkeypatch):
    """Airflow cannot read the DAG `nightly`."""
    monkeypatch.setattr(
        parsed_dags, "unread", lambda place: {"nightly": "SCHEDULE is '0 25 * * *'"}
    )


def test_a_dag_that_cannot_be_read_fails_the_start_and_the_services_stay(
    up, layout, mistyped, capsys
):
    said = r"not read nightly \(SCHEDULE is '0 25 .*'\): see .*airflow-dag-processor\.log"
    with pytest.raises(SetupError, match=said):
        up()
    assert list(pids(layout)) == NAMES
    assert capsys.readouterr().out.count("healthy") == len(NAMES)


def test_it_fails_also_where_nothing_had_to_be_started(up, layout, monkeypatch):
    up()
    before = pids(layout)
    monkeypatch.setattr(parsed_dags, "unread", lambda place: {"nightly": "mistyped"})
    with pytest.raises(SetupError, match="not read nightly"):
        up()
    assert pids(layout) == before


def test_status_names_a_dag_that_cannot_be_read(up, layout, monkeypatch, capsys):
    up()
    monkeypatch.setattr(parsed_dags, "unread", lambda place: {"nightly": "mistyped"})
    capsys.readouterr()
    assert lifecycle.status(layout) is False
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1].split() == ["DAG", "nightly", "not", "read"]
    assert "not read nightly (mistyped): see" in shown.err


def test_status_asks_nobody_for_dags_where_airflow_is_not_well(up, layout, monkeypatch, capsys):
    up()
    monkeypatch.setattr(health, "problem", lambda name, address, since: "no answer")
    monkeypatch.setattr(parsed_dags, "unread", lambda place: pytest.fail("asked"))
    assert lifecycle.status(layout) is False


def test_down_without_up_says_so(layout, capsys):
    lifecycle.down(layout)
    assert capsys.readouterr().err == "No services are running\n"


def test_what_a_service_keeps_is_closed_to_others_from_the_first_start(up, layout):
    before = os.umask(0o000)
    try:
        up()
    finally:
        os.umask(before)
    modes = {name: stat.S_IMODE((layout.services / name).stat().st_mode) for name in NAMES}
    assert modes == dict.fromkeys(NAMES, 0o700)
