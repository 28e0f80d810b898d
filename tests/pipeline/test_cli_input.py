"""The command line as its users meet it: exit status, messages, and what is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

import pipeline
from algorithms import registry
from pipeline import paths, presets
from pipeline.cli import app
from pipeline.config import RunConfig
from pipeline.errors import InputError, StageError, ValidationFailed
from pipeline.paths import Paths
from pipeline.summary import summarise
from tests.pipeline import report_cases

pytestmark = pytest.mark.unit

ROOT = Path(pipeline.__file__).parent.parent
HEAVY = ("pyspark", "mlflow", "great_expectations", "delta", "airflow", "pandas", "scipy")


@dataclass(frozen=True)
class Home:
    """Folders of one call of the command: what it is given, and what it may write."""

    root: Path

    @property
    def written(self) -> Path:
        return self.root / "home"

    @property
    def warehouse(self) -> Path:
        return self.written / "warehouse"

    @property
    def logs(self) -> Path:
        return self.written / ".state" / "logs"

    def tree(self) -> list[Path]:
        """Everything that a call has left behind."""
        return sorted(self.written.rglob("*"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    # Compiled kernels are kept for all tests.
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(paths.numba_cache()))
    found = Home(tmp_path)
    found.written.mkdir()
    monkeypatch.setenv("GROUPSCALE_HOME", str(found.written))
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(found.warehouse))
    # The command fills in what is not set; set it here so that nothing stays behind in the process.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{found.written}/mlflow.db")
    monkeypatch.setenv("COLUMNS", "100")
    return found


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


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


def trace(home: Home, text: str, name: str = "t.csv") -> Path:
    file = home.root / name
    file.write_text(text)
    return file


def sets(*settings: str) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["algorithms=FOO"], "unknown algorithm 'FOO': choose one of NF, NFD, FF"),
        (["deltas=5,101"], "deltas[1] is 101: must be a number from 0 to 100"),
        (["deltas=-5"], "deltas[0] is -5"),
        (["capacity=0"], "capacity is 0: must be a number from"),
        (["capacity=200"], "capacity is 200 bytes/s, above consumer_capacity 133"),
        (["partitions=0"], "partitions is 0: must be a whole number from 1 to 1,000,000"),
        (["iterations=0"], "iterations is 0"),
        (["algorithms=kd_0"], "n must be from 1 to the number of partitions"),
        (["partitions=8", "algorithms=kd_9"], "kd_9, for 9 consumers, and there are 8 partitions"),
        (["partitions=1000000", "iterations=1000"], "1,000,000,000 rates per stream"),
        (["replicates=1e9"], "replicates is 1000000000.0"),
        (["seeds=1"], "unknown key 'seeds': must be one of seed, partitions"),
        (["deltas"], "must have the form KEY=VALUE"),
    ],
)
def test_wrong_settings(home: Home, settings: list[str], words: str) -> None:
    message = refused(home, *sets(*settings))
    assert message.startswith("--set ")
    assert words in message


def test_a_wrong_preset(home: Home) -> None:
    assert "must be one of paper, nightly, smoke" in refused(home, "--preset", "big")


def test_a_wrong_file(home: Home) -> None:
    file = trace(home, "seed: 1\ndeltas: [5, -1]\n", "c.yaml")
    assert refused(home, "--config", file).startswith(f"{file}:2: deltas[1] is -1")
    missing = home.root / "none.yaml"
    assert refused(home, "--config", missing).startswith(f"{missing}: not found")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ": is empty"),
        ("0.5,0.0078\n", ":1: has values '0.5,0.0078' where the names of the columns"),
        ("timestamp,partition,rate\n1,a,5\n1,a,6\n", ":3: partition 'a' occurs at this time"),
        ("timestamp,partition,rate\n1,a,-5\n", ":2: rate is '-5'"),
        ("timestamp,partition,rate\n1,a,inf\n", ":2: rate is 'inf'"),
        ("timestamp,a\n1,5\n2,x\n", ":3: partition 'a': rate is 'x'"),
        ("timestamp,a\n1,5\n2\n", ":3: has 1 cells"),
        ("[]", ": has no measurement"),
        ('[{"t": {"0": NaN}}]', ": holds NaN"),
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
    assert message.startswith("--set replicates=3: replicates has no meaning")


@pytest.mark.parametrize("run_id", ["", "a/b", "../x", ".", "a b", "x" * 65, "ä", "'; DROP"])
def test_a_wrong_run_id(home: Home, run_id: str) -> None:
    assert refused(home, "--run-id", run_id).startswith("run_id is ")


@pytest.mark.parametrize("place", ["/proc/w", "/dev/null/w", "/dev/null", "file", "file/w"])
def test_a_warehouse_that_cannot_be_written(home: Home, place: str) -> None:
    trace(home, "x", "file")
    message = refused(home, "--preset", "smoke", "--warehouse", home.root / place)
    assert message.startswith(f"warehouse is '{home.root / place}'")


def test_a_warehouse_of_the_environment_that_cannot_be_written(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", "/proc/w")
    assert refused(home, "--preset", "smoke").startswith("warehouse is '/proc/w'")


@pytest.mark.parametrize(
    "arguments",
    [["run", "--nonsense"], ["run", "--set"], ["nonsense"], ["run", "x"], ["presets", "x"]],
)
def test_options_that_there_are_not(home: Home, arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert "Error" in result.stderr
    assert home.tree() == []


class FakeRunner(SimpleNamespace):
    """Takes the place of `pipeline.runner`, which needs Spark."""

    def __init__(self, error: BaseException | None = None) -> None:
        super().__init__()
        self.error = error
        self.calls: list[tuple[RunConfig, Path, str]] = []

    def run_all(self, config: RunConfig, warehouse: Path, run_id: str, progress: Any) -> Any:
        self.calls.append((config, warehouse, run_id))
        if self.error is not None:
            raise self.error
        return SimpleNamespace(run_id=run_id, paths=Paths(warehouse))

    def summary(self, ctx: object) -> Any:
        return summarise(report_cases.small(2))


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeRunner]:
    def install(error: BaseException | None = None) -> FakeRunner:
        fake = FakeRunner(error)
        monkeypatch.setitem(sys.modules, "pipeline.runner", fake)
        monkeypatch.setattr(pipeline, "runner", fake, raising=False)
        return fake

    return install


def test_a_run_that_is_published(home: Home, runner: Callable[..., FakeRunner]) -> None:
    fake = runner()
    result = call("run", "--preset", "smoke", "--run-id", "r1", *sets("seed=3"))
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    ((config, warehouse, run_id),) = fake.calls
    assert (config.preset, config.seed, run_id) == ("smoke", 3, "r1")
    assert warehouse == home.warehouse
    first, *_ = result.stdout.splitlines()
    assert first.startswith("Run r1: tradeoff, latency (9 streams, seed 3), into ")
    assert "CBS %" in result.stdout
    assert f"Run r1 is published in {home.warehouse}" in result.stdout
    assert f"Report: {Paths(home.warehouse).report('r1')}" in result.stdout
    assert os.environ["MLFLOW_TRACKING_URI"] in result.stdout


def test_options_win_over_the_environment(
    home: Home, runner: Callable[..., FakeRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = runner()
    monkeypatch.chdir(home.root)
    assert call("run", "--preset", "smoke", "--warehouse", "mine").exit_code == 0
    ((_, warehouse, run_id),) = fake.calls
    assert warehouse == home.root / "mine"
    assert len(run_id) == 23


def test_traces_and_files_reach_the_run(home: Home, runner: Callable[..., FakeRunner]) -> None:
    fake = runner()
    files = [trace(home, "iteration,a\n1,5\n"), trace(home, "iteration,b\n1,6\n", "u.csv")]
    config = trace(home, "capacity: 50\n", "c.yaml")
    result = call("run", "--trace", files[0], "--trace", files[1], "--config", config)
    assert result.exit_code == 0, result.output
    ((found, _, _),) = fake.calls
    assert [source.path for source in found.traces] == files
    assert found.experiments[0].capacity == 50.0


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StageError("score: OSError: no space left"), "score: OSError: no space left"),
        (
            ValidationFailed("scores", ["cbs_not_negative (3)"]),
            "table scores: 1 rule does not hold",
        ),
        (RuntimeError("two\nlines"), "RuntimeError: two lines"),
        (InputError("run_id 'r1' is in use"), "run_id 'r1' is in use"),
        (KeyboardInterrupt(), "interrupted; nothing of this run is published"),
    ],
)
def test_a_run_that_fails(
    home: Home, runner: Callable[..., FakeRunner], error: BaseException, words: str
) -> None:
    runner(error)
    result = call("run", "--preset", "smoke")
    wrong_input = isinstance(error, InputError)
    assert result.exit_code == (2 if wrong_input else 1)
    assert result.stderr.startswith(f"Error: {words}")
    assert "Traceback" not in result.output
    logs = list(home.logs.glob("*.log"))
    if wrong_input or isinstance(error, KeyboardInterrupt):
        assert logs == []
    else:
        assert result.stderr.splitlines()[-1] == f"Log: {logs[0]}"
        assert "Traceback" in logs[0].read_text()


def test_a_traceback_is_shown_on_demand(home: Home, runner: Callable[..., FakeRunner]) -> None:
    runner(StageError("score: broken"))
    result = call("run", "--preset", "smoke", "--debug")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-2] == "Error: score: broken"


def test_a_log_that_cannot_be_written_does_not_hide_the_error(
    home: Home, runner: Callable[..., FakeRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner(StageError("score: broken"))
    monkeypatch.setenv("GROUPSCALE_HOME", "/proc/nowhere")
    result = call("run", "--preset", "smoke", "--warehouse", home.warehouse)
    assert result.exit_code == 1
    assert result.stderr == "Error: score: broken (--debug shows where)\n"


def test_algorithms_are_listed() -> None:
    result = call("algorithms")
    assert result.exit_code == 0
    assert all(f"\n{name} " in f"\n{result.stdout}" for name in (*registry.names(), "kd_n"))


def test_presets_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    result = call("presets")
    assert result.exit_code == 0
    for preset in presets.PRESETS.values():
        assert preset.meaning in result.stdout
    assert "paper (default):" in result.stdout


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
    """Run the command in a process of its own; also tell which slow packages it imported."""
    report = home.root / "modules.json"
    code = (
        "import atexit, json, sys\n"
        f"report = open({str(report)!r}, 'w')\n"
        "atexit.register(lambda: json.dump(list(sys.modules), report))\n"
        "from pipeline.cli import main\n"
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


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--help"], 0),
        (["run", "--help"], 0),
        (["presets"], 0),
        (["run", "--set", "partitions=0"], 2),
        (["run", "--set", "capacity=200"], 2),
        (["run", "--set", "deltas=101"], 2),
        (["run", "--set", "nonsense=1"], 2),
        (["run", "--run-id", "a/b"], 2),
        (["run", "--config", "/none.yaml"], 2),
        (["run", "--trace", "/none.csv"], 2),
        (["run", "--trace", "bad.csv"], 2),
        (["run", "--trace", "bad.json"], 2),
    ],
)
def test_help_and_refusals_import_nothing_slow(
    home: Home, arguments: list[str], status: int
) -> None:
    """So they answer in a moment; Spark, MLflow and Numba take seconds each to import."""
    trace(home, "iteration,partition,rate\n1,a,x\n", "bad.csv")
    trace(home, "[5]", "bad.json")
    code, _, stderr, slow = process(home, *arguments)
    assert (code, slow) == (status, [])
    assert stderr.startswith("Error: ") == (status == 2)
    assert home.tree() == []


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
