"""``groupscale recommend``: the answer, its files, and what wrong input leaves behind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from pipeline.experiments.autoscaling.answers.recommendation_figures import shown
from tests.pipeline.cli.command import Home, call, trace

pytestmark = [pytest.mark.unit, pytest.mark.slow]

FAST = ("--strategy", "constant,keda_hpa:sweep,headroom:sweep")


def waves(home: Home) -> Path:
    """Ten minutes of twelve partitions whose load rises and falls twice."""
    total = 300.0 - 200.0 * np.cos(np.arange(600) * 4.0 * np.pi / 600)
    rates = total[:, None] * np.repeat([0.1, 0.2, 0.3, 0.4], 3) / 3.0
    rows = (",".join(map(str, [k, *row])) for k, row in enumerate(rates.round(3).tolist()))
    return trace(home, "timestamp,a,b,c,d,e,f,g,h,i,j,k,l\n" + "\n".join(rows), "waves.csv")


def recommend(home: Home, *options: str, slo: str = "95%@5s", mu: str = "200") -> Result:
    return call("recommend", waves(home), "--mu", mu, "--slo", slo, *FAST, *options)


def record(home: Home, *options: str, **values: str) -> dict[str, Any]:
    result = recommend(home, "--format", "json", *options, **values)
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_the_decision_comes_first(home: Home) -> None:
    """Then what Kafka's default and KEDA cost, and what the ideal form would save."""
    result = recommend(home)
    assert result.exit_code == 0, result.output
    document = record(home)
    lines = result.stdout.splitlines()
    answer, best = document["answer"], document["best"]
    assert lines[0].startswith(f"Deploy {_named(answer)}")
    cost = shown(answer["cost_per_hour"]["value"])
    assert f"{cost} replicas and" in lines[0]
    assert "95 % of the events within 5 s" in lines[0]
    assert lines[1].startswith("On the recording itself, ")
    assert lines[2].startswith("The recommendation is for stretches that differ by 20\xa0%, which ")
    assert lines[3].startswith("Kafka's default, ") or lines[3].startswith("That is Kafka's ")
    assert "KEDA with its defaults costs" in lines[3]
    assert best["strategy"] == "headroom"
    assert lines[4].startswith(_named(best))
    assert "less" in lines[4]
    assert "what can be deployed is keda_http:headroom" in lines[4]
    # Ten minutes cannot show the chance of another ten.
    assert answer["probability"] is None
    assert "in 95 % of the weeks" not in result.stdout
    assert "Settings that matter: a replica starts in 10 s, a heartbeat is 3 s" in result.stdout
    strategies = [line.split()[0].split(":")[0] for line in lines if line.strip()]
    assert {"constant", "keda_hpa", "headroom"} <= set(strategies)
    assert home.tree() == []


def _named(entry: dict[str, Any]) -> str:
    if entry["strategy"] == "constant":
        return f"{entry['parameters']['initial_replicas']} constant replica"
    return str(entry["strategy"])


def test_all_figures_as_json(home: Home) -> None:
    document = record(home, "--late-cost", "0.001", "--move-cost", "0.01")
    assert document["objective"] == {"percent": 95.0, "latency_s": 5.0}
    assert document["prices"] == {"replica_hour": 1.0, "late_event": 0.001, "move": 0.01}
    assert document["blocks"] == {"count": 1, "mean_s": 600.0}
    assert (document["days"], document["chance_is_stated"]) == (0, False)
    assert (document["steps"], document["partitions"], document["topics"]) == (600, 12, [12])
    assert document["rule"] == {
        "confidence": 0.95,
        "worth": 0.05,
        "day_spread": 0.2,
        "within_step": 0.3,
    }
    costs = [
        each["cost_per_hour"]["value"] for each in document["candidates"] if each["keeps_objective"]
    ]
    assert costs == sorted(costs)
    assert document["counts"][0]["tried"] == [1, 12]
    answers = {each["change"]: each["constant_replicas"] for each in document["what_if"]}
    assert answers["load × 2"] > answers["load × 1.5"] > answers["--mu × 1.25"]
    assert document["candidates"][0] == document["best"]
    assert document["answer"]["deployable"]
    assert set(document["usual"]) >= {"constant replicas, range", "KEDA's defaults, range"}


def test_an_earlier_answer_is_replaced_only_by_force(home: Home) -> None:
    folder = home.root / "deploy"
    assert recommend(home, "--output", str(folder)).exit_code == 0
    before = {file.name: file.read_text() for file in folder.iterdir()}
    again = recommend(home, "--output", str(folder))
    assert again.exit_code == 2
    assert "already has" in again.output
    (folder / "replicas.yaml").write_text("old")
    (folder / "scaledobject.yaml").write_text("old")
    assert recommend(home, "--output", str(folder), "--force").exit_code == 0
    assert {file.name: file.read_text() for file in folder.iterdir()} == before


def test_an_objective_that_nothing_keeps_ends_with_3(home: Home) -> None:
    """It says what comes closest, and writes nothing."""
    folder = home.root / "deploy"
    few = ("--set", "max_replicas=1")
    result = recommend(home, "--output", str(folder), *few, slo="100%@3ms")
    assert result.exit_code == 3
    assert result.stdout.startswith("No candidate has 100 % of the events within 0.003 s: ")
    assert "comes closest with" in result.stdout.splitlines()[0]
    assert f"Nothing is written to {folder}: the objective is not kept." in result.stderr
    other = re.search(r"keeps --slo ([0-9.]+%@0.003s)\.", result.stderr)
    assert other is not None
    assert not folder.exists()
    kept = recommend(home, "--output", str(folder), *few, slo=other[1])
    assert kept.exit_code == 0
    assert (folder / "consumer.properties").exists()
    done = recommend(home, "--format", "json", *few, slo="100%@3ms")
    assert done.exit_code == 3
    assert not json.loads(done.stdout)["answer"]["keeps_objective"]


def test_what_cannot_be_deployed_is_no_recommendation(home: Home) -> None:
    """It is named with what is missing; the status is that of an objective that is not kept."""
    # A lag of 5,000 is 25 s of a replica's work.
    alone = call("recommend", waves(home), "--mu", "200", "--slo", "95%@5s", "--strategy",
                 "keda_hpa:threshold=5000,headroom:sweep")  # fmt: skip
    assert alone.exit_code == 3
    first, second = alone.stdout.splitlines()[:2]
    assert first.startswith("Nothing that can be deployed has 95 % of the events within 5 s: keda_")
    assert second.startswith("headroom")
    assert second.endswith("what can be deployed is keda_http:headroom.")
    none = recommend(home, "--set", "assignor=kip169")
    assert none.exit_code == 3
    assert none.stdout.startswith("None of the candidates can be deployed: ")
    assert "but it needs an assignor that Kafka does not have." in none.stdout.splitlines()[0]


def test_seven_days_state_a_chance(home: Home) -> None:
    """From a week on the share of the weeks that keep the objective is a percentage."""
    rows = (f"{3600 * k},{100 + 50 * (k % 24 == 12) + k % 7}" for k in range(8 * 24))
    week = trace(home, "timestamp,a\n" + "\n".join(rows), "week.csv")
    words = ("recommend", week, "--mu", "400", "--slo", "95%@5s", "--strategy", "constant")
    result = call(*words)
    assert result.exit_code == 0, result.output
    assert re.search(
        r"It keeps the objective in .* of the weeks that may follow \(asked: 95", (result.stdout)
    )
    document = json.loads(call(*words, "--format", "json").stdout)
    assert (document["days"], document["chance_is_stated"]) == (8, True)
    assert document["answer"]["probability"] >= 0.95
    assert document["held_out"]["cost_per_hour"] >= 1.0


def test_a_group_that_is_right_is_left_as_it_is(home: Home) -> None:
    answer = record(home)["answer"]["parameters"]["initial_replicas"]
    result = recommend(home, "--today", str(answer))
    assert result.stdout.startswith("Leave the group as it is, ")
    assert "today" in result.stdout
    assert record(home, "--today", "12")["today"]["cost_per_hour"]["value"] == 12.0


def test_questions_of_the_user(home: Home) -> None:
    """More load needs more replicas; partitions are integer multiples."""
    document = record(home, "--what-if", "load=2,partitions=24")
    first = document["what_if"][0]
    assert first["change"] == "load=2,partitions=24"
    assert first["constant_replicas"] > document["counts"][0]["least_next_week"]
    wrong = recommend(home, "--what-if", "partitions=20")
    assert wrong.exit_code == 2
    assert "must be an integer multiple of today's 12 (got 20)" in wrong.stderr


def test_a_long_recording_is_simulated_in_longer_steps_and_says_so(home: Home) -> None:
    """Four days of minutes; the words come with steps above one second only."""
    rows = (f"{60 * k},{100 + k % 50}" for k in range(4 * 1440))
    days = trace(home, "timestamp,a\n" + "\n".join(rows), "days.csv")
    long = call("recommend", days, "--mu", "200", "--slo", "95%@5s", "--strategy", "constant")
    assert "Strategies decide every 5 s at most: the recording is too long" in long.stdout
    assert "at most: the recording" not in recommend(home).stdout


def test_progress_says_what_is_loaded_and_simulated(home: Home) -> None:
    steps = [line.split()[1:3] for line in recommend(home).stderr.splitlines()]
    own = [["1]", "load"], ["2]", "simulate"], ["3]", "simulate"], ["4]", "ask"]]
    assert steps == own


def test_a_hot_partition_is_named_with_the_answer_without_it(home: Home) -> None:
    """One partition gets twice what a consumer serves; the others need one consumer."""
    file = trace(home, "timestamp,a,b\n" + "\n".join(f"{k},400,50" for k in range(300)), "hot.csv")
    asked = ("recommend", file, "--mu", "200", "--slo", "95%@5s", *FAST)
    result = call(*asked)
    assert result.exit_code == 3, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("No candidate has 95 % of the events within 5 s")
    place = next(k for k, line in enumerate(lines) if line.startswith("Hot partition: a, up to 2 "))
    assert "× --mu at" in lines[place]
    assert lines[place + 1] == "Without the hot partition:"
    assert lines[place + 2].startswith(
        "  Deploy 1 constant replica with assignor range: 1 replica and"
    )
    document = json.loads(call(*asked, "--format", "json").stdout)
    assert (document["hot_partitions"], document["answer"]["keeps_objective"]) == (1, False)
    assert document["without_hot"]["partitions"] == 1
    assert document["without_hot"]["answer"]["keeps_objective"]
    plain = record(home)
    assert (plain["hot_partitions"], plain["without_hot"]) == (0, None)


def test_the_rate_of_a_consumer_takes_units(home: Home) -> None:
    assert recommend(home, mu="0.2k/s").stdout == recommend(home).stdout
    result = recommend(home, mu="fast")
    assert result.exit_code == 2
    assert "--mu must be a number with an optional unit" in result.stderr


def test_null_stands_for_the_default(home: Home) -> None:
    words = ("recommend", waves(home), "--mu", "200", "--slo", "10%@5s", "--strategy")
    plain = call(*words, "keda_hpa")
    assert plain.exit_code == 0, plain.output
    assert call(*words, "keda_hpa", "--set", "decision_s=null").stdout == plain.stdout
    assert call(*words, "keda_hpa:decision_s=null").stdout == plain.stdout


def test_profiles_are_workloads_too(home: Home) -> None:
    result = call(
        "recommend", "diurnal", "--mu", "100", "--slo", "99%@1s", "--strategy", "constant",
        "--partitions", "3", "--set", "steps=300", "--format", "json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["partitions"] == 3
    assert home.tree() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--slo", "99"), "`--slo` must have the form SHARE%@LATENCY"),
        (("--slo", "99%@1ms"), "must be at least 0.0025 s with --mu 200"),
        (("--mu", "0"), "mu must be"),
        (("--replica-cost", "-1"), "replica_cost must be at least 0 (got -1.0)"),
        (("--late-cost", "nan"), "late_cost must be a finite number"),
        (("--confidence", "1"), "confidence must be above 0 and at most 0.999 (got 1.0)"),
        (("--worth", "-1"), "worth must be at least 0"),
        (("--day-spread", "0"), "day_spread must be above 0"),
        (("--today", "0"), "today must be"),
        (("--what-if", "size=3"), "must have the form load=…,partitions=…,mu=…"),
        (("--format", "xml"), "--format must be one of table, json"),
        (("--set", "mu=5"), "--set mu=5: use --mu instead"),
        (("--set", "speed=5"), "unknown key"),
        (("--set", "assignor=best"), "assignor must be one of"),
        (("--set", "assignor=range", "--set", "protocol=incremental"), "protocol must be eager"),
        (("--strategy", "sideways"), "unknown strategy 'sideways'"),
        (("--strategy", "linear:f_up=2"), "f_up must be"),
        (("--strategy", "linear:assignor=range"), "assignor is the same for all candidates"),
        (
            ("--strategy", "constant:initial_replicas=1", "--set", "min_replicas=2"),
            "initial_replicas must be at least min_replicas, 2 (got 1); raise initial_replicas",
        ),
        (
            ("--strategy", "keda_hpa:initial_replicas=3", "--set", "min_replicas=4"),
            "--strategy keda_hpa:initial_replicas=3: initial_replicas must be at least",
        ),
        (("--deployment", "My_Reader"), "`--deployment` must be"),
        (("--output", "/proc/none/deploy"), "the folder /proc/none does not exist"),
    ],
)
def test_wrong_input(home: Home, options: tuple[str, ...], message: str) -> None:
    """One line, status 2, nothing written."""
    folder = home.root / "deploy"
    words = ["recommend", str(waves(home)), "--mu", "200", "--slo", "99%@1s"]
    if "--output" not in options:
        words += ["--output", str(folder)]
    result = call(*words, *options)
    assert result.exit_code == 2, result.output
    (error,) = result.stderr.splitlines()
    assert error.startswith("Error: ")
    assert message in error
    assert result.stdout == ""
    assert not folder.exists()
    assert home.tree() == []


def described(home: Home) -> Path:
    """Ten minutes of two members with two partitions each, 40 events/s on each, which keep up."""
    head = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
    lines = []
    for minute in range(11):
        lines += [f"2026-03-02T08:{minute:02}:00Z", head]
        for p in range(4):
            at = 2_400 * minute
            lines.append(f"readers orders {p} {at} {at + 9} 9 c{p // 2} /10.0.0.{p // 2} c{p // 2}")
    return trace(home, "\n".join(lines) + "\n", "described.txt")


def test_snapshots_of_a_group_show_what_is_there_today(home: Home) -> None:
    words = ("recommend", described(home), "--slo", "99%@5s", "--strategy", "constant")
    result = call(*words, "--mu", "200", "--output", home.root / "fits")
    assert result.exit_code == 0, result.output
    assert "A recorded member has served 73.8 events/s, never with lag" in result.stdout
    assert (home.root / "fits" / "replicas.yaml").is_file()
    record = json.loads(call(*words, "--mu", "200", "--json").stdout)
    assert record["today"]["parameters"] == {"initial_replicas": 2}


def test_no_files_are_written_where_the_model_does_not_fit_the_group(home: Home) -> None:
    """Two members that serve 60 of 80 events/s each would have had far more lag."""
    words = ("recommend", described(home), "--slo", "99%@5s", "--strategy", "constant")
    folder = home.root / "wrong"
    result = call(*words, "--mu", "60", "--output", folder)
    assert result.exit_code == 3, result.output
    assert result.stdout.startswith("The model does not fit today's group of 2")
    assert "--shared-limit" in result.stdout
    assert "the simulation does not fit today's group" in result.stderr
    assert not folder.exists()


def test_commits_and_a_shared_limit_are_simulated(home: Home) -> None:
    """Twelve members together serve no more than a database behind them."""
    folder = home.root / "batch"
    words = ("recommend", waves(home), "--mu", "200", "--slo", "95%@5s", "--strategy", "constant")
    result = call(*words, "--commits", "batch", "--output", folder)
    assert result.exit_code == 0, result.output
    properties = (folder / "consumer.properties").read_text()
    assert "auto.commit.interval.ms" not in properties
    assert "commits by the program after each batch" in properties
    assert call(*words, "--shared-limit", "300").exit_code == 3
    assert call(*words, "--shared-limit", "600").exit_code == 0
