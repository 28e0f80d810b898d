"""``groupscale import``: a trace checked and described, before anything runs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.base import limits
from pipeline.base.process import machine
from pipeline.settings.load import resolve
from tests.pipeline.cli.command import Home, call, trace

pytestmark = pytest.mark.unit


def described(file: Path, *options: str) -> dict[str, Any]:
    done = call("import", file, "--json", *options)
    assert done.exit_code == 0, done.output
    survey: dict[str, Any] = json.loads(done.stdout)
    return survey


def walk(delta: float, iterations: int = 400) -> str:
    """A wide CSV file of ten partitions that change as generated streams do, of capacity 1,000."""
    steps = np.random.default_rng(5).uniform(-delta, delta, (iterations, 10)) * 10
    steps[0] = 500
    rates = 1000 - np.abs(1000 - np.cumsum(steps, axis=0) % 2000)
    rows = (",".join(map(str, [k * 60, *row])) for k, row in enumerate(rates.tolist()))
    return f"timestamp,{','.join('abcdefghij')}\n" + "\n".join(rows)


IRREGULAR = """timestamp,p,q
2024-01-01T00:00:00Z,10,900
2024-01-01T00:00:30Z,20,
2024-01-01T00:01:15Z,40,1200
2024-01-01T00:01:30Z,40,1500
2024-01-01T00:10:00Z,40,1500
"""


def test_everything_about_an_irregular_file(home: Home) -> None:
    survey = described(trace(home, IRREGULAR), "--capacity", "1000")
    assert (survey["format"], survey["measurements"]) == ("wide CSV", 5)
    assert survey["timing"] == {
        "column": "timestamp",
        "first": "2024-01-01T00:00:00Z",
        "last": "2024-01-01T00:10:00Z",
        "span_seconds": 600.0,
        "step_seconds": 30.0,
        "shortest_step_seconds": 15.0,
        "longest_step_seconds": 510.0,
        "irregular_steps": 3,
    }
    assert survey["gaps"] == [{"after": 4, "missing": 16}]
    assert survey["cells"] == {
        "missing": 1,
        "missing_share": 0.1,
        "arrivals": 1,
        "departures": 1,
        "within_lives": 0.1,
        "empty_measurements": 0,
    }
    assert survey["total"] == {"name": "total", "least": 20.0, "median": 1240.0, "greatest": 1540.0}
    assert survey["partitions"][0] == {"name": "p", "least": 10.0, "median": 40.0, "greatest": 40.0}
    # Iterations of 30 s: 900, none, half of 1200, 1500, and 1500 after the silence.
    assert survey["beyond_capacity"] == [
        {"name": "q", "iterations": 2, "share": 0.4, "greatest": 1.5}
    ]
    stream = survey["stream"]
    assert (stream["iterations"], stream["partitions"], stream["resampled"]) == (5, 2, True)
    assert (stream["capacity"], stream["consumer_capacity"]) == (1000.0, 1330.0)
    assert stream["iteration_seconds"] == 30.0


@pytest.mark.parametrize("delta", [0.0, 5.0, 20.0])
def test_volatility_is_that_of_generated_streams(home: Home, delta: float) -> None:
    """Where a speed turns back at the capacity it changes by less, so δ is found a little low."""
    volatility = described(trace(home, walk(delta)), "--capacity", "1000")["volatility"]
    assert volatility["like_delta"] == pytest.approx(delta, rel=0.08)
    assert volatility["p90"] == pytest.approx(0.9 * delta, rel=0.08)


def test_the_suggested_command_is_one_that_a_run_takes(home: Home) -> None:
    file = trace(home, walk(5), "a b'c.csv")
    survey = described(file)
    command, run, option, name, *rest = shlex.split(survey["command"])
    assert (command, run, option, name) == ("groupscale", "run", "--trace", str(file))
    config = resolve(None, None, rest[1::2], [Path(name)])
    (experiment,) = config.experiments
    assert experiment.iteration_seconds == 60.0
    greatest = max(r["greatest"] for r in survey["partitions"])
    assert greatest <= experiment.capacity <= 1.1 * greatest
    assert (survey["stream"]["resampled"], survey["stream"]["iterations"]) == (False, 400)
    assert survey["stream"]["capacity_guessed"]


def test_the_suggested_recommendation_has_the_trace_and_its_consumer(home: Home) -> None:
    file = trace(home, walk(5), "a b'c.csv")
    survey = described(file, "--capacity", "4k/s", "--consumer-capacity", "5k/s")
    words = ["groupscale", "recommend", str(file), "--mu", "5000", "--slo", "99%@30s"]
    assert shlex.split(survey["recommend"]) == [*words, "--output", "deploy"]
    result = call(*words[1:], "--strategy", "constant")
    assert result.stdout.startswith("Deploy 2 constant replicas"), result.output


def test_iterations_that_are_missing(home: Home) -> None:
    survey = described(trace(home, "iteration,a\n1,5\n2,5\n7,6\n8,\n"))
    assert survey["gaps"] == [{"after": 2, "missing": 4}]
    assert survey["cells"]["empty_measurements"] == 1
    said = " ".join(survey["notes"])
    assert "Iteration numbers have gaps" in said
    assert "1 measurements have no partitions" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("timestamp,a\n1662395684000,5\n1662395714000,6\n", "Timestamps are milliseconds"),
        ("timestamp,a,b,c\n" + "1,5,,\n2,,5,\n3,,,5\n4,5,,\n5,,5,\n6,,,5\n", "same timestamps"),
        ("timestamp,a\n1,5\n2,6\n", "shorter than a rebalance"),
        ('[{"t": {"0": 5}}]', "no timestamps"),
    ],
)
def test_what_the_reader_should_know(home: Home, text: str, words: str) -> None:
    assert words in " ".join(described(trace(home, text))["notes"])


def test_durations_have_two_units(home: Home) -> None:
    text = "timestamp,a\n0,5\n5280,6\n10560,7\n172800,7\n"
    done = call("import", trace(home, text), "--capacity", "1000")
    said = " ".join(done.output.split())
    assert "172800, 48 h 00 min" in said
    assert "step 1 h 28 min (median)" in said


def test_people_read_it_in_lines(home: Home) -> None:
    done = call("import", trace(home, IRREGULAR), "--capacity", "1000")
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    for words in (
        "t.csv: wide CSV, 5 measurements, 2 partitions",
        "2024-01-01T00:00:00Z to 2024-01-01T00:10:00Z, 10 min 00 s",
        "30 s (median); 3 of 4 steps deviate by more than 1 % (range 15 s to 8 min 30 s)",
        "1 with 16 missing iterations; after measurement 4 (16)",
        "1 missing (10.0%); arrivals of partitions: 1, departures: 1",
        "1 partition exceeds it and gets its own consumer: q in 2 iterations (40.0%), up to 1.5",
        "5 iterations of 30 s × 2 partitions, rates averaged per iteration",
        "groupscale run --trace",
        "for a latency objective (set your own): groupscale recommend",
    ):
        assert words in said


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("[red]a[/nope]", "[red]a[/nope]"),
        (":smile:", ":smile:"),
        ("a\x1b[2Jb", "a�[2Jb"),
        ("\x9b31mred\x07", "�31mred�"),
        ("a\rb", "a b"),
    ],
)
def test_names_of_partitions_are_data(home: Home, name: str, shown: str) -> None:
    text = json.dumps([{"t": {name: 5}}, {"t": {name: 6}}])
    done = call("import", trace(home, text), "--capacity", "5")
    assert done.exit_code == 0, done.output
    assert f"{shown} in 1 iterations" in " ".join(done.output.split())
    assert all(c.isprintable() or c == "\n" for c in done.output)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("iteration,a\n1,5\n2,x\n", [], "t.csv:3: partition 'a': rate "),
        ("0.5,0.007,1\n", [], "t.csv:1: "),
        ("0.5,0.007\n", ["--capacity", "9"], "--capacity 9: "),
        ("0.5,0.007\n", ["--consumer-capacity", "0"], "--consumer-capacity must be above 0"),
        ("1,1\n2,1\n", ["--iteration-seconds", "0"], "step_s must be at least"),
        ("iteration,a\n1,5\n", ["--capacity", "-1"], "capacity"),
        (
            "iteration,a\n1,5\n",
            ["--capacity", "9", "--consumer-capacity", "8"],
            "`consumer_capacity`",
        ),
        ("timestamp,a\n1,5\n2,5\n", ["--iteration-seconds", "0"], "`iteration_seconds`"),
        ("iteration,a\n1,1e300\n", ["--capacity", "9"], "1e+300 bytes/s"),
    ],
)
def test_what_a_run_would_refuse_is_refused(
    home: Home, text: str, options: list[str], words: str
) -> None:
    done = call("import", trace(home, text), *options)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_one_total_rate(home: Home) -> None:
    file = trace(home, "2024-01-01 00:00:00,5\n2024-01-01 00:00:10,7\n2024-01-01 00:00:20,6\n")
    survey = described(file, "--consumer-capacity", "1e6", "--iteration-seconds", "5")
    assert (survey["format"], survey["measurements"]) == ("CSV of one total rate", 3)
    assert survey["timing"]["step_seconds"] == 10.0
    assert survey["total"] == {"name": "total", "least": 5.0, "median": 6.0, "greatest": 7.0}
    assert (survey["partitions"], survey["stream"], survey["volatility"]) == ([], None, None)
    command, simulate, name, *rest = shlex.split(survey["command"])
    assert (command, simulate, name) == ("groupscale", "simulate", str(file))
    assert rest == ["--partitions", "5", "--set", "mu=1000000", "--set", "step_s=5"]
    recommend = ["groupscale", "recommend", str(file), "--partitions", "5", "--mu", "1000000"]
    assert shlex.split(survey["recommend"])[:-4] == recommend
    said = " ".join(call("import", file).output.split())
    assert "groupscale recommend" not in said
    assert "CSV of one total rate, 3 measurements" in said
    assert "Note: The file has one total rate, which a simulation splits" in said
    assert "Set --consumer-capacity" in said


def test_nothing_is_written(home: Home) -> None:
    call("import", trace(home, IRREGULAR))
    call("import", trace(home, "x"))
    assert home.tree() == []


def test_the_estimate_agrees_with_what_was_measured() -> None:
    """A trace of 10,000 partitions and 500 iterations, and a small one."""
    large = limits.cost_of_stream(limits.Size(10_000, 500, 12, 1))
    assert large.seconds == pytest.approx(105, rel=0.1)
    assert large.memory_gib == pytest.approx(4.4, rel=0.1)
    small = limits.cost_of_stream(limits.Size(32, 100, 44, 1))
    assert (round(small.seconds), round(small.memory_gib, 1)) == (30, 2.4)


def test_a_trace_too_large_for_this_machine_is_said_to_be(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user sees the error before starting a run."""
    file = trace(home, IRREGULAR)
    assert not any("cannot run" in note for note in described(file)["notes"])
    monkeypatch.setattr(limits, "SMALL_GIB", 0.0)
    monkeypatch.setattr(machine, "memory_gib", lambda: 1.0)
    monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", "local[1]")
    (said,) = [note for note in described(file)["notes"] if "cannot run" in note]
    assert "this machine has 1.0 GiB" in said


@pytest.mark.slow
def test_a_million_rates_take_seconds(home: Home) -> None:
    """Medians and changes of many partitions are found at once, not one by one."""
    names = ",".join(f"p{j}" for j in range(20_000))
    row = ",".join(str(j % 97) for j in range(20_000))
    file = trace(home, f"iteration,{names}\n" + "".join(f"{k},{row}\n" for k in range(20)))
    survey = described(file)
    assert len(survey["partitions"]) == 20_000
    assert "19,980 more partitions" in call("import", file).output
