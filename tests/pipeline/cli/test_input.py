"""The command line as its users meet it: exit status, messages, and what is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pipeline
from algorithms.assignment import registry
from tests.pipeline.cli.command import Home, call, sets, trace

pytestmark = pytest.mark.unit

ROOT = Path(pipeline.__file__).parent.parent
HEAVY = ("pyspark", "mlflow", "great_expectations", "delta", "airflow", "pandas", "scipy")


def refused(home: Home, *arguments: str | Path) -> str:
    """The message of a call that must end with status 2 and leave nothing behind."""
    result = call("run", *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert home.tree() == []
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("Error: ")
    return lines[0].removeprefix("Error: ")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["algorithms=FOO"], "unknown algorithm 'FOO'"),
        (["deltas=5,101"], "`deltas[1]`"),
        (["deltas=-5"], "`deltas[0]`"),
        (["capacity=0"], "`capacity`"),
        (["capacity=200"], "`consumer_capacity`"),
        (["partitions=0"], "`partitions`"),
        (["iterations=0"], "`iterations`"),
        (["algorithms=kd_0"], "`algorithms`: n of kd_n"),
        (["partitions=8", "algorithms=kd_9"], "8 partitions"),
        (["partitions=1000000", "iterations=1000"], "1,000,000,000"),
        (["replicates=1e9"], "`replicates`"),
        (["seedz=1"], "unknown key 'seedz' (did you mean seed?)"),
        (["deltas"], "KEY=VALUE"),
    ],
)
def test_wrong_settings(home: Home, settings: list[str], words: str) -> None:
    message = refused(home, *sets(*settings))
    assert message.startswith("--set ")
    assert words in message


def test_a_wrong_preset(home: Home) -> None:
    assert "must be one of paper, nightly, frontier, smoke" in refused(home, "--preset", "big")


def test_a_wrong_file(home: Home) -> None:
    file = trace(home, "seed: 1\ndeltas: [5, -1]\n", "c.yaml")
    assert refused(home, "--config", file).startswith(f"{file}:2: `deltas[1]`")
    missing = home.root / "none.yaml"
    assert refused(home, "--config", missing).startswith(f"{missing}: not found")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ": "),
        ("0.5,0.0078\n", ": a run on assignment needs rates per partition"),
        ("0.5,0.0078,1\n", ":1: "),
        ("timestamp,partition,rate\n1,a,5\n1,a,6\n", ":3: duplicate row for partition 'a'"),
        ("timestamp,partition,rate\n1,a,-5\n", ":2: rate "),
        ("timestamp,partition,rate\n1,a,inf\n", ":2: rate "),
        ("timestamp,a\n1,5\n2,x\n", ":3: partition 'a': rate "),
        ("timestamp,a\n1,5\n2\n", ":3: "),
        ("[]", ": "),
        ('[{"t": {"0": NaN}}]', ": rate "),
    ],
)
def test_wrong_traces(home: Home, text: str, words: str) -> None:
    file = trace(home, text)
    assert refused(home, "--trace", file).startswith(f"{file}{words}")


def test_the_first_of_several_wrong_traces_is_told(home: Home) -> None:
    good, bad = trace(home, "iteration,a\n1,5\n"), trace(home, "iteration,a\n1,x\n", "bad.csv")
    assert refused(home, "--trace", good, "--trace", bad).startswith(f"{bad}:2: ")


def test_a_setting_that_a_trace_has_no_use_for(home: Home) -> None:
    file = trace(home, "iteration,a\n1,5\n")
    message = refused(home, "--trace", file, *sets("replicates=3"))
    assert message.startswith("--set replicates=3: `replicates` ")


@pytest.mark.parametrize("run_id", ["", "a/b", "../x", ".", "a b", "x" * 65, "ä", "'; DROP"])
def test_a_wrong_run_id(home: Home, run_id: str) -> None:
    assert refused(home, "--run-id", run_id).startswith("`run_id` ")


@pytest.mark.parametrize("place", ["/proc/w", "/dev/null/w", "/dev/null", "file", "file/w"])
def test_a_warehouse_that_cannot_be_written(home: Home, place: str) -> None:
    trace(home, "x", "file")
    message = refused(home, "--preset", "smoke", "--warehouse", home.root / place)
    assert f"warehouse '{home.root / place}'" in message


def test_a_warehouse_of_the_environment_that_cannot_be_written(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", "/proc/w")
    assert "warehouse '/proc/w'" in refused(home, "--preset", "smoke")


@pytest.mark.parametrize(
    "arguments",
    [["run", "--nonsense"], ["run", "--set"], ["nonsense"], ["run", "x"], ["presets", "x"]],
)
def test_options_that_there_are_not(home: Home, arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert "Error" in result.stderr
    assert home.tree() == []


def test_algorithms_are_listed() -> None:
    result = call("algorithms")
    assert result.exit_code == 0
    assert all(f"\n{name} " in f"\n{result.stdout}" for name in (*registry.names(), "kd_n"))


def test_the_version_is_told() -> None:
    result = call("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("groupscale ")


def test_help_names_every_option() -> None:
    result = call("run", "--help")
    assert result.exit_code == 0
    options = ("--preset", "--config", "--set", "--trace", "--warehouse", "--run-id", "--debug")
    assert all(option in result.stdout for option in options)


def process(home: Home, *arguments: str) -> tuple[int, str, str, list[str]]:
    """Run the command in its own process; also return the slow packages that it imported."""
    report = home.root / "modules.json"
    code = (
        "import atexit, json, sys\n"
        f"report = open({str(report)!r}, 'w')\n"
        "atexit.register(lambda: json.dump(list(sys.modules), report))\n"
        "from pipeline.cli.app import main\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=home.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    loaded = set(json.loads(report.read_text()))
    report.unlink()
    return done.returncode, done.stdout, done.stderr, sorted(loaded & {*HEAVY, "numba"})


FORKS = """
import atexit, json, os, sys
from pipeline.cli.app import main
for number, words in enumerate(json.loads(sys.argv[1])):
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        continue
    for descriptor, name in (1, "out"), (2, "err"), (3, "modules"):
        os.dup2(os.open(f"{number}.{name}", os.O_CREAT | os.O_WRONLY), descriptor)
    atexit.register(lambda: os.write(3, json.dumps([*sys.modules]).encode()))
    sys.argv = ["groupscale", *words]
    main()
    sys.exit()
"""
"""Runs commands in processes of their own that share the time to import the command line."""


@pytest.mark.slow
def test_help_and_refusals_import_nothing_slow(home: Home) -> None:
    """So they answer in a moment; Spark, MLflow and Numba take seconds each to import."""
    bad = trace(home, "iteration,partition,rate\n1,a,x\n", "bad.csv")
    text = trace(home, "[5]", "bad.json")
    answered = [["--help"], ["run", "--help"], ["presets"]]
    settings = ("partitions=0", "capacity=200", "deltas=101", "nonsense=1")
    refused = [
        *(["run", "--set", setting] for setting in settings),
        ["run", "--run-id", "a/b"],
        ["run", "--config", "/none.yaml"],
        *(["run", "--trace", str(file)] for file in ("/none.csv", bad, text)),
    ]
    results = home.root / "results"
    results.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FORKS, json.dumps(answered + refused)],
        cwd=results,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.split() == ["0"] * len(answered) + ["2"] * len(refused)
    for number, arguments in enumerate(answered + refused):
        loaded = set(json.loads((results / f"{number}.modules").read_text()))
        assert not loaded & {*HEAVY, "numba"}, arguments
        is_refusal = (results / f"{number}.err").read_text().startswith("Error: ")
        assert is_refusal == (arguments in refused), arguments
    assert home.tree() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--set", "algorithms=FOO"],
        ["run", "--preset", "smoke", "--warehouse", "/proc/w"],
    ],
)
def test_refusals_that_know_all_algorithms_import_no_spark(
    home: Home, arguments: list[str]
) -> None:
    code, stdout, stderr, slow = process(home, *arguments)
    assert (code, stdout) == (2, "")
    assert len(stderr.splitlines()) == 1
    assert not set(slow) & {"pyspark", "mlflow", "great_expectations", "delta", "airflow"}
    assert home.tree() == []
