"""`make run` shows the run, and its exit status says how it ended."""

import json
import os

import pytest

from tools import cli, run_dag

pytestmark = pytest.mark.unit

ENV = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def airflow(layout, program):
    """Function that replaces Airflow by a script; "$5" are the DAG's parameters."""

    def install(script):
        program(layout.python, f"echo noise; echo noise >&2\nshift 2\n{script}")

    return install


def outcome(status, message):
    words = json.dumps({"status": status, "message": message})
    return f"printf '%s' '{words}' > \"$GROUPSCALE_OUTCOME\""


def test_progress_is_shown_and_noise_is_not(layout, airflow, capfd):
    airflow(f"echo step 1 >>/dev/fd/$GROUPSCALE_PROGRESS_FD\n{outcome(0, 'run-1')}")
    assert run_dag.benchmark(layout, ENV, {}) == 0
    shown = capfd.readouterr()
    assert shown.out == "step 1\n"
    assert "noise" not in shown.err
    assert (layout.logs / "benchmark.log").read_text() == "noise\nnoise\n"


def test_parameters_reach_airflow(layout, airflow):
    airflow(f'echo "$@"\n{outcome(0, "")}')
    run_dag.benchmark(layout, ENV, {"preset": "smoke", "set": ["seed=1"]})
    last = (layout.logs / "benchmark.log").read_text().splitlines()[-1]
    assert last.startswith("dags test benchmark --conf ")
    assert json.loads(last.partition("--conf ")[2]) == {"preset": "smoke", "set": ["seed=1"]}


@pytest.mark.parametrize(("dag", "hours"), [(run_dag.BENCHMARK, "5"), (run_dag.NIGHTLY, "0")])
def test_a_night_that_somebody_waits_for_has_no_deadline(layout, airflow, dag, hours):
    airflow(f'echo "$GROUPSCALE_DEADLINE_HOURS"\n{outcome(0, "")}')
    run_dag.benchmark(layout, {**ENV, "GROUPSCALE_DEADLINE_HOURS": "5"}, {}, dag)
    assert (layout.logs / "benchmark.log").read_text().splitlines()[-1] == hours


@pytest.mark.parametrize("status", [1, 2])
def test_a_failed_run_says_why_and_where_to_read_on(layout, airflow, capfd, status):
    airflow(f"{outcome(status, 'partitions: found 0, allowed 1..100')}\nexit 1")
    assert run_dag.benchmark(layout, ENV, {}) == status
    shown = capfd.readouterr().err
    assert "Error: partitions: found 0, allowed 1..100\n" in shown
    assert str(layout.logs / "benchmark.log") in shown


def test_airflow_refusing_a_parameter_is_wrong_input(layout, airflow, capfd):
    words = "airflow.sdk.exceptions.ParamValidationError: Invalid input for param preset: nope"
    airflow(f"echo 'Traceback (most recent call last):'\necho '{words}'\nexit 1")
    assert run_dag.benchmark(layout, ENV, {}) == 2
    assert "Error: ParamValidationError: Invalid input for param preset" in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "said"),
    [("", "the run is not published"), (outcome(0, "r"), "run r is published")],
)
def test_a_run_that_is_asked_to_end_ends_airflow(layout, airflow, capfd, left, said):
    child = layout.logs / "child"
    airflow(f'{left}\necho $$ > "{child}"\nsleep 0.5\nkill -TERM $PPID\nexec sleep 60')
    assert run_dag.benchmark(layout, ENV, {}) == 143
    assert f"Stopped: {said}" in capfd.readouterr().err
    with pytest.raises(ProcessLookupError):
        os.kill(int(child.read_text()), 0)


def test_airflow_dying_without_a_word_is_a_failure(layout, airflow, capfd):
    airflow("kill -9 $$")
    assert run_dag.benchmark(layout, ENV, {}) == 1
    assert "Airflow ended without an error message" in capfd.readouterr().err


def test_options_become_parameters_and_files_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "run --preset smoke --set a=1 --set b=2,3 --trace t.csv --warehouse w --run-id me"
    options = cli._parser().parse_args(words.split())
    assert cli.parameters(options) == {
        "preset": "smoke",
        "set": ["a=1", "b=2,3"],
        "traces": [str(tmp_path / "t.csv")],
        "warehouse": str(tmp_path / "w"),
        "run_id": "me",
    }


def test_without_options_the_defaults_of_the_dag_hold():
    assert cli.parameters(cli._parser().parse_args(["run"])) == {}


def test_a_file_may_name_the_preset(tmp_path):
    options = cli._parser().parse_args(["run", "--config", str(tmp_path / "run.yaml")])
    assert cli.parameters(options) == {"config": str(tmp_path / "run.yaml"), "preset": None}
