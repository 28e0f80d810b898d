"""Arguments of `make run` reach the tools unchanged, with any characters."""

import json
import shutil
import subprocess
import sys

import pytest

from tools import cli
from tools.layout import here

pytestmark = [
    pytest.mark.unit,
    pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed"),
]

NOTE = "import json, os, sys; json.dump([sys.argv[1:], dict(os.environ)], sys.stdout)"


@pytest.fixture
def make(tmp_path, program, monkeypatch):
    """Function that runs `make` with a Python that only records its arguments."""
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"):
        monkeypatch.delenv(name, raising=False)
    # Processes that wrote none would compile all modules at each start.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    # It would keep `python -m tools` from finding this folder.
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    (tmp_path / "note.py").write_text(NOTE)
    python = program(tmp_path / "python", f'exec "{sys.executable}" "{tmp_path}/note.py" "$@"')

    def run(*words):
        command = ["make", "-f", str(here().root / "Makefile"), f"PYTHON={python}", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        arguments, env = json.loads(done.stdout)
        assert arguments[:3] == ["-m", "tools", "run"]
        assert env.keys().isdisjoint({"PYTHONDONTWRITEBYTECODE", "PYTHONSAFEPATH"})
        return cli._parser().parse_args(["run", *cli.options_of(env), *arguments[3:]])

    return run


@pytest.mark.parametrize(
    "name",
    [
        "x'; touch broken; '",
        "$(shell touch broken)",
        "${HOME}",
        "`touch broken`",
        "a b.yaml",
        '"; touch broken; "',
        "-dash",
        "#hash",
    ],
)
def test_names_are_data(make, tmp_path, name):
    options = make("run", f"CONFIG={name}", f"WAREHOUSE={name}", f"RUN_ID={name}")
    assert [str(options.config), str(options.warehouse), options.run_id] == [name] * 3
    assert not (tmp_path / "broken").exists()


def test_settings_and_traces_are_words(make):
    options = make("run", "SET=seed=7 deltas=5,10", "TRACES=o'brien.csv b.json", "PRESET=smoke")
    assert options.set == ["seed=7", "deltas=5,10"]
    assert [str(trace) for trace in options.trace] == ["o'brien.csv", "b.json"]
    assert (options.preset, options.dag) == ("smoke", "benchmark")
    assert make("run", "DAG=nightly").dag == "nightly"


def test_what_is_not_given_is_not_there(make):
    options = make("run")
    assert cli.parameters(options) == {}


def test_the_command_line_takes_what_make_has_passed(monkeypatch):
    seen = []
    monkeypatch.setenv("GROUPSCALE_RUN_PRESET", "smoke")
    monkeypatch.setenv("GROUPSCALE_RUN_SET", "seed=7")
    monkeypatch.setattr(cli, "_perform", lambda options: seen.append(options) or 0)
    cli.main(["run", "--preset", "paper", "--set", "seed=8"])
    cli.main(["setup"])
    assert (seen[0].preset, seen[0].set) == ("paper", ["seed=7", "seed=8"])
    assert seen[1].command == "setup"
