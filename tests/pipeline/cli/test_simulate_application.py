"""``groupscale simulate-application``: what it prints and refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from algorithms.simulation import simulate_application
from pipeline.cli import policies_answer
from pipeline.experiments.applications.kernels import application_kernel
from tests.pipeline.cli.application_message_cases import GOOD
from tests.pipeline.cli.command import Home, call, trace

pytestmark = [pytest.mark.unit, pytest.mark.slow]

COLUMNS = 80
FUNCTIONS = {"read": {"mu": 5}, "write": {"mu": 2}}
CALL = (FUNCTIONS, [("read", "write")], {"read": [(60, 1)]})


@pytest.fixture
def file(home: Home) -> Path:
    return trace(home, GOOD, "app.yaml")


def test_json_has_the_figures_of_the_simulation(file: Path) -> None:
    done = call("simulate-application", file, "--policy", "threshold:t_out=60,ds2", "--json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert [one["policy"] for one in answer["policies"]] == ["threshold", "ds2"]
    assert answer["policies"][0]["arguments"] == {"t_out": 60}
    expected = simulate_application(*CALL, "ds2", settings={"r_max": 2.0})
    own = answer["policies"][1]
    (path,) = own["paths"]
    assert path["path"] == ["read", "write"]
    assert path["longest"]
    assert path["mean"] == expected.paths[0].mean
    assert own["mean_instances"] == expected.mean_instances
    assert [step["instances"] for step in own["steps"]] == expected.instances.sum(axis=1).tolist()
    assert {step["rate"] for step in own["steps"]} == {1.0}
    arrivals = [row["arrivals"] for row in own["functions"] if row["function"] == "read"]
    assert arrivals == [int(window.arrivals[0]) for window in expected.windows]


def test_the_table_fits_a_terminal(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    done = call("simulate-application", file, "--policy", "constant,queueing_paths:alpha=0.25")
    assert done.exit_code == 0, done.output
    lines = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert "read > write" in done.stdout
    assert done.stdout.count("queueing_paths:alpha") == 2


def test_a_pipe_has_all_columns_in_one_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    done = call("simulate-application", file, "--policy", "queueing_paths:alpha=0.25:k_max=9")
    assert done.exit_code == 0, done.output
    (line, other) = [x for x in done.stdout.splitlines() if x.startswith("queueing_paths:")]
    assert "queueing_paths:alpha=0.25:k_max=9" in line
    assert len(other.split()) == 1 + len(policies_answer.ANSWERED)


def test_what_is_wrong_prints_and_writes_nothing(home: Home) -> None:
    file = trace(home, GOOD.replace("[read, write]", "[read, wirte]"), "app.yaml")
    done = call("simulate-application", file)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "edges must end at a function" in done.stderr
    assert done.stderr.count("\n") == 1
    assert home.tree() == []


def test_tables_have_what_the_command_prints() -> None:
    """The same rows: the kernel of runs and the command share them."""
    columns = {name for columns in application_kernel.SERIES.values() for name in columns}
    assert {"rate", "instances", "mean", "backlog", "arrivals"} <= columns
