"""Set-up as a whole: in order, alone, once; and what its commands say when it cannot."""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tools import cli
from tools.console import SetupError
from tools.layout import here
from tools.setup import all_steps, databases, jars, java, python, warm_start

pytestmark = pytest.mark.unit

PARTS = (python, java, jars, databases, warm_start)


@pytest.fixture
def parts(monkeypatch):
    """Parts of set-up that only note that they were asked; all are missing at first."""
    asked, ready = [], set()
    for part in PARTS:
        name = part.__name__

        def ensure(*arguments, name=name):
            asked.append(name)
            ready.add(name)

        monkeypatch.setattr(part, "ensure", ensure)
        monkeypatch.setattr(part, "is_ready", lambda layout, name=name: name in ready)
    return asked


def test_parts_are_made_in_order_and_once(layout, parts):
    all_steps.ensure(layout)
    names = [
        "tools.setup.python",
        "tools.setup.java",
        "tools.setup.jars",
        "tools.setup.databases",
        "tools.setup.warm_start",
    ]
    assert parts == names
    env = all_steps.ensure(layout)
    assert parts == names
    assert env["GROUPSCALE_HOME"] == str(layout.root)


def test_two_at_a_time_wait_for_each_other(layout, parts, tmp_path):
    hold = (
        "import fcntl, sys, time\n"
        "file = open(sys.argv[1], 'w'); fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('held', flush=True); time.sleep(0.5)\n"
    )
    lock = layout.cache / "setup.lock"
    command = [sys.executable, "-c", hold, lock]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        all_steps.ensure(layout)
        assert other.poll() == 0 or other.wait(timeout=0.2) == 0


def test_the_databases_belong_to_the_versions_that_are_installed(layout, monkeypatch):
    commands = []

    def make(command, env, cwd, log):
        commands.append(command)
        for key in ("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "MLFLOW_TRACKING_URI"):
            if env.get(key, "").endswith(".draft"):
                Path(env[key].removeprefix("sqlite:///")).touch()

    monkeypatch.setattr(databases, "logged", make)
    databases.ensure(layout, {})
    databases.ensure(layout, {})
    assert len(commands) == 2
    # Airflow's has the pool of the DAGs as well.
    assert ["-m", "pipeline.orchestration.pool"] in [command[1:] for command in commands]
    assert (layout.airflow / "airflow.db").exists()
    assert (layout.mlflow / "mlflow.db").exists()
    lock = layout.requirements / "requirements.in"
    lock.write_text(re.sub(r"mlflow==[\d.]+", "mlflow==99.0.0", lock.read_text()))
    assert not databases.is_ready(layout)


def test_a_database_that_fails_leaves_no_file(layout, monkeypatch):
    from tools.console import CommandFailed

    def fail(command, env, cwd, log):
        raise CommandFailed("disk I/O error", log)

    monkeypatch.setattr(databases, "logged", fail)
    with pytest.raises(SetupError, match="disk I/O error"):
        databases.ensure(layout, {})
    assert not databases.is_ready(layout)
    assert not (layout.airflow / "airflow.db").exists()


def test_an_error_of_set_up_is_one_line_and_status_1(monkeypatch, capsys):
    def fail(layout):
        raise SetupError("set-up needs 4 GB")

    monkeypatch.setattr(all_steps, "ensure", fail)
    assert cli.main(["setup"]) == 1
    assert capsys.readouterr().err == "groupscale: set-up needs 4 GB\n"


def test_an_interruption_is_no_traceback(monkeypatch, capsys):
    def interrupt(layout):
        raise KeyboardInterrupt

    monkeypatch.setattr(all_steps, "ensure", interrupt)
    assert cli.main(["setup"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_the_entry_can_be_read_by_versions_that_it_refuses():
    source = (here().root / "tools" / "__main__.py").read_text()
    ast.parse(source, feature_version=(3, 6))


def test_too_old_a_python_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("tools", run_name="__main__")
    assert str(caught.value).startswith("groupscale needs Python 3.11 or later (this is 3.9)")
    assert "\n" not in str(caught.value)


def test_a_newer_python_on_the_path_takes_over(monkeypatch, tmp_path, program):
    taken = program(tmp_path / "python3.12", "exit 0")
    program(tmp_path / "python3.13", "exit 127")
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(sys, "argv", ["tools", "setup"])
    monkeypatch.setenv("PATH", str(tmp_path))

    def become(program, arguments):
        raise RuntimeError(arguments)

    monkeypatch.setattr("os.execv", become)
    with pytest.raises(RuntimeError) as caught:
        runpy.run_module("tools", run_name="__main__")
    assert caught.value.args[0] == [str(taken), "-m", "tools", "setup"]
