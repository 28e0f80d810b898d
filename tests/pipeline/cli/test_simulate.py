"""``groupscale simulate``: what it prints, what it refuses, and what it leaves behind."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.simulation import simulate
from algorithms.simulation.group_result import Result
from pipeline.experiments.autoscaling.simulation import simulation_settings
from pipeline.experiments.autoscaling.workloads import recorded_workloads
from pipeline.experiments.autoscaling.workloads.workload import SplitChoice
from tests.pipeline.cli.command import Home, call, trace

pytestmark = pytest.mark.unit

TOTAL = "timestamp,rate\n" + "".join(f"{k},{100 + 5 * (k % 40)}\n" for k in range(120))


def figures(*arguments: str | Path) -> dict[str, Any]:
    """The JSON that a call prints; no number in it is NaN or infinite."""
    done = call("simulate", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output

    def not_json(text: str) -> None:
        raise AssertionError(f"{text} is not JSON")

    answer: dict[str, Any] = json.loads(done.stdout, parse_constant=not_json)
    return answer


def refused(home: Home, *arguments: str | Path) -> str:
    """Message of a call with wrong input, which must print and write nothing else."""
    done = call("simulate", *arguments)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert home.tree() == []
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("Error: ").rstrip("\n")


def test_json_has_every_figure_of_the_simulation(home: Home) -> None:
    file = trace(home, TOTAL)
    answer = figures(
        file, "--partitions", "3", "--split", "2,1,1", "--strategy", "linear:f_up=0.8,constant",
        "--set", "rebalance_s=1.5", "--set", "protocol=cooperative",
    )  # fmt: skip
    workload = recorded_workloads.load(file, partitions=3, split=SplitChoice("weights", (2, 1, 1)))
    assert answer["workload"] == {
        "name": "t.csv",
        "digest": workload.digest,
        "form": "",
        "started_at": None,
        "unit": "events/s",
        "steps": 120,
        "step_s": 1.0,
        "averaged_s": 1.0,
        "partitions": 3,
        "topics": [{"name": "", "partitions": 3}],
        "least_rate": 100.0,
        "mean_rate": 197.5,
        "greatest_rate": 295.0,
        "notes": [],
    }
    linear, constant = answer["strategies"]
    settings = {"rebalance_s": 1.5, "protocol": "cooperative"}
    expected = simulate(workload.rates, "linear", {"f_up": 0.8}, settings)._asdict()
    del expected["replicas"]
    assert {name: linear[name] for name in expected} == expected
    assert (linear["strategy"], linear["parameters"]) == ("linear", {"f_up": 0.8})
    assert set(linear) == {*Result._fields, "strategy", "parameters", "settings"} - {"replicas"}
    assert set(linear["settings"]) == set(simulation_settings.GROUP_KEYS)
    assert (linear["settings"]["rebalance_s"], linear["settings"]["max_replicas"]) == (1.5, 3)
    assert (constant["strategy"], constant["parameters"]) == ("constant", {})


def test_starts_that_differ(home: Home) -> None:
    """For all strategies, or written as a parameter of one of them."""
    pieces = "10-50:0.88,50-500:0.12"
    drawn = ["steady", "--set", "steps=600", "--strategy", "linear"]
    (of_all,) = figures(*drawn, "--set", f"startup_s={pieces}")["strategies"]
    (published,) = figures(*drawn, "--set", "startup_s=landau_2024")["strategies"]
    own = "linear:startup_s=10-50@0.88+50-500@0.12"
    (of_one,) = figures(*drawn[:-1], own)["strategies"]
    assert (of_all["settings"]["startup_s"], published["settings"]["startup_s"]) == (
        pieces,
        "landau_2024",
    )
    assert of_one["settings"] == of_all["settings"]
    names = ("p99", "replica_minutes", "n_up", "stalled_s")
    assert [of_one[name] for name in names] == [of_all[name] for name in names]
    assert [published[name] for name in names] == [of_all[name] for name in names]
    assert of_all["n_up"] > 0


def test_figures_that_json_cannot_hold(home: Home) -> None:
    """Events that never depart have an infinite latency; without events there is none."""
    rates = ["--set", "steps=50", "--set", "high=5000", "--set", "drain_limit_s=1"]
    (crowded,) = figures("steady", *rates, "--strategy", "constant")["strategies"]
    assert crowded["max"] == crowded["mean"] == "Infinity"
    assert math.isfinite(crowded["sla_percent"])
    idle = ["--set", "steps=50", "--set", "high=0"]
    (empty,) = figures("steady", *idle, "--strategy", "constant")["strategies"]
    assert (empty["sla_percent"], empty["max"], empty["peak_lag"]) == (None, None, 0.0)


def test_the_table_has_a_row_per_strategy(home: Home) -> None:
    done = call(
        "simulate", trace(home, TOTAL), "--partitions", "5", "--strategy", "linear,ds2",
        "--strategy", "constant:initial_replicas=2", "--set", "drain_limit_s=0",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "t.csv: 120 steps of 1 s (2 min 00 s), 5 partitions, 100.0 to 295.0 events/s" in said
    assert "mu=200.0, wsla_s=0.5, arrivals=uniform, protocol=eager" in said
    for name in ("linear", "ds2", "constant:initial_replicas=2"):
        assert sum(line.startswith(name) for line in done.output.splitlines()) == 1
    assert max(map(len, done.output.splitlines())) <= 100


def test_names_stay_whole_in_a_terminal(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    name = "constant:initial_replicas=2:assignor=cooperative_sticky"
    whole = "constant:assignor=cooperative_sticky:initial_replicas=2"
    done = call("simulate", trace(home, TOTAL), "--partitions", "5", "--strategy", name)
    assert done.exit_code == 0, done.output
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    assert whole in text
    assert "Not shown for lack of width: latency mean, s" in text
    assert max(map(len, text.splitlines())) <= 80


def test_one_step_is_one(home: Home) -> None:
    done = call("simulate", trace(home, "timestamp,rate\n0,5\n"), "--partitions", "1",
                "--strategy", "constant")  # fmt: skip
    assert "t.csv: 1 step of 1 s (1.0 s), 1 partition," in " ".join(done.stdout.split())


@pytest.mark.slow
def test_by_default_the_common_strategies_are_compared(home: Home) -> None:
    answer = figures("flash_crowd", "--set", "steps=60")
    assert [entry["strategy"] for entry in answer["strategies"]] == list(COMPARED)
    assert answer["workload"]["partitions"] == 9


def test_a_picture(home: Home) -> None:
    file = home.root / "a.svg"
    done = call("simulate", "bursts", "--set", "steps=300", "--strategy", "linear", "--plot", file)
    assert done.exit_code == 0, done.output
    assert file.read_text().startswith("<svg ")
    assert sorted(path.name for path in home.root.iterdir()) == ["a.svg", "home"]


TWO = ["steady", "--set", "steps=20"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.csv"], "nothing.csv: not found"),
        (["steady", "--values", "rates"], "--values does not apply to a generated profile"),
        (["steady", "--values", "lags"], "--values must be rates or offsets (got "),
        (["steady", "--timestamps", "h"], "--timestamps must be s, ms, us or ns (got 'h')"),
        (["steady", "--format", "xml"], "--format must be one of table, json (got 'xml')"),
        (["steady", "--strategy", "foo"], "--strategy foo: unknown strategy 'foo'"),
        (["steady", "--set", "mu=0"], "mu must be"),
        (["steady", "--set", "wsla_s=0"], "wsla_s must be"),
        (["steady", "--set", "startup_s=-1"], "startup_s must be"),
        (
            ["steady", "--set", "startup_s=5-9:0.5"],
            "startup_s must be pieces whose shares sum to 1",
        ),
        (["steady", "--set", "startup_s=landau"], "or landau_2024 (got 'landau')"),
        (
            ["steady", "--set", "mu=NaN"],
            "--set mu=NaN: `mu` must be a number with an optional unit",
        ),
        (["steady", "--set", "poisson=1"], "poisson must be true or false (got 1)"),
        (["steady", "--set", "foo=1"], "--set foo=1: unknown key"),
        (["steady", "--split", "hot"], "--split must be equal, skew"),
        (["steady", "--partitions", "0"], "partitions must be between 1"),
        ([*TWO, "--plot", "{a.pdf}"], "a.pdf: the name must end in .svg or .png"),
        ([*TWO, "--plot", "{none/a.svg}"], "a.svg: the folder does not exist"),
        ([*TWO, "--plot", "{a.svg}"], "at most 6 strategies (got 15)"),
        ([*TWO, "--plot", "{a.svg}", "--strategy", "linear:f_up=7"], "f_up must be"),
    ],
)
def test_wrong_input(home: Home, arguments: list[str], words: str) -> None:
    paths = [str(home.root / word[1:-1]) if word[0] == "{" else word for word in arguments]
    assert words in refused(home, *paths)
    assert [path.name for path in home.root.iterdir()] == ["home"]


def test_wrong_files(home: Home) -> None:
    total = trace(home, TOTAL)
    assert "partitions must be given" in refused(home, total)
    wide = trace(home, "iteration,a,b\n1,5,6\n", "wide.csv")
    assert "partitions does not apply to" in refused(home, wide, "--partitions", "3")
    sparse = trace(home, "timestamp,topic,partition,rate\n0,a,5000,1\n", "sparse.csv")
    assert "at most 1,000 partitions can be missing between others" in refused(home, sparse)
    bad = trace(home, "timestamp,rate\n1,5\n2,-6\n", "bad.csv")
    assert refused(home, bad, "--partitions", "2").startswith(f"{bad}:3: rate must be a number")


@pytest.mark.slow
def test_frameworks_stay_out(tmp_path: Path) -> None:
    """They would take longer to import than the simulation takes; so would Arrow."""
    file = tmp_path / "t.csv"
    file.write_text(TOTAL)
    program = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from pipeline.cli.app import app\n"
        "words = ['simulate', sys.argv[1], '--partitions', '2', '--strategy', 'ds2']\n"
        "assert CliRunner().invoke(app, words).exit_code == 0\n"
        "heavy = {'pyspark', 'pandas', 'mlflow', 'delta', 'deltalake', 'duckdb', 'pyarrow',\n"
        "         'great_expectations', 'airflow'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, file], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_page_describes_every_setting() -> None:
    docs = Path(__file__).parents[3] / "docs"
    page = "".join((docs / name).read_text() for name in ("simulate.md", "settings.md"))
    for key in simulation_settings.KEYS:
        assert f"`{key}`" in page or f"`--set {key}=" in page


def test_a_hot_partition_is_named_above_the_table(home: Home) -> None:
    """JSON, for programs, has rates and figures only; consumers that are fast enough have none."""
    file = trace(home, "timestamp,a,b\n" + "\n".join(f"{k},400,50" for k in range(60)), "hot.csv")
    asked = ("simulate", file, "--strategy", "constant")
    lines = call(*asked, "--set", "mu=200").stdout.splitlines()
    (place,) = [k for k, line in enumerate(lines) if line.startswith("Hot partition: a, up to 2 ×")]
    assert "× mu at 0" in lines[place]
    assert place < next(k for k, line in enumerate(lines) if line.startswith("constant"))
    assert "Hot" not in call(*asked, "--set", "mu=400").stdout
    assert "Hot" not in call(*asked, "--set", "mu=200", "--format", "json").output


def test_the_form_of_a_converted_recording_is_said(home: Home) -> None:
    offsets = "".join(f"2024-05-01T12:00:{k:02}Z\norders:0:{50 * k}\n" for k in range(40))
    file = trace(home, offsets, "offsets.txt")
    lines = call("simulate", file, "--strategy", "constant").stdout.splitlines()
    (said,) = [line for line in lines if line.startswith("form ")]
    assert "40 snapshots of kafka-get-offsets, offsets turned into rates, messages/s" in said
    plain = call("simulate", "steady", "--set", "steps=50", "--strategy", "constant").stdout
    assert not any(line.startswith("form ") for line in plain.splitlines())


def test_topics_clock_and_notes_of_a_recording_are_said(home: Home) -> None:
    rows = "".join(
        f"2026-03-02T08:{k:02}:00Z,{topic},{p},5\n"
        for k in range(3)
        for topic in "ba"
        for p in (2, 0)
    )
    file = trace(home, f"timestamp,topic,partition,rate\n{rows}")
    note = "Partitions a/1, b/1 are not in the file; they count as partitions without events."
    lines = call("simulate", file, "--strategy", "constant").stdout.splitlines()
    said = " ".join(" ".join(lines).split())
    assert "180 steps of 1 s (3 min 00 s from 2026-03-02T08:00:00Z), 6 partitions" in said
    assert "mean 20.00, means of 60 s" in said
    assert "topics a (3), b (3)" in said
    assert f"Note: {note}" in lines
    workload = figures(file, "--strategy", "constant")["workload"]
    assert workload["topics"] == [{"name": name, "partitions": 3} for name in "ab"]
    assert (workload["started_at"], workload["step_s"]) == ("2026-03-02T08:00:00Z", 1.0)
    assert (workload["averaged_s"], workload["notes"]) == (60.0, [note])


def test_a_recording_in_bytes_is_not_told_in_events(home: Home) -> None:
    rows = "".join(f"2026-03-02 08:{k:02}:00,{k + 5} MB/s\n" for k in range(3))
    file = trace(home, f'Time,"{{topic=""t"", partition=""0""}}"\n{rows}', "panel.csv")
    said = call("simulate", file, "--strategy", "constant", "--set", "mu=9000000").stdout
    assert "bytes/s, mean" in said
    assert "Peak lag: bytes that waited" in said
    assert "Note: Rates are in bytes/s, so mu and lag count bytes." in said
