"""``groupscale confirm``: recordings after a recommendation that kept or broke its assumptions."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from tests.pipeline.cli.command import Home, call, trace

pytestmark = [pytest.mark.unit, pytest.mark.slow]

START, STEP, STEPS = 1_772_438_400, 30, 240
EVEN = (0.125,) * 8


def rates(home: Home, name: str, factor: float = 1.0, shares: tuple[float, ...] = EVEN) -> Path:
    """Two hours of a load that rises and falls twice."""
    total = factor * (150.0 - 50.0 * np.cos(np.arange(STEPS) * 4.0 * np.pi / STEPS))
    rows = (
        ",".join(map(str, [START + STEP * k, *(value * np.array(shares)).round(4).tolist()]))
        for k, value in enumerate(total.tolist())
    )
    head = ",".join(f"p{number}" for number in range(len(shares)))
    return trace(home, f"timestamp,{head}\n" + "\n".join(rows) + "\n", name)


def promised(home: Home) -> Path:
    """A recommendation of constant replicas."""
    asked = ("--mu", "100", "--slo", "99%@1s", "--strategy", "constant", "--json")
    done = call("recommend", rates(home, "then.csv"), *asked)
    assert done.exit_code == 0, done.output
    return trace(home, done.stdout, "recommendation.json")


def replicas(home: Home, count: float, first: int = START, scale: int = 1) -> Path:
    rows = "".join(f"{(first + 60 * k) * scale},{count:g}\n" for k in range(121))
    return trace(home, f"time,replicas\n{rows}", "replicas.csv")


def confirm(home: Home, now: Path, *options: object, count: float | None = None) -> Result:
    promise = promised(home)
    if count is None:
        count = json.loads(promise.read_text())["answer"]["replicas"]
    own = options if "--replicas" in options else ("--replicas", replicas(home, count), *options)
    return call("confirm", "--recommendation", promise, "--from", now, *map(str, own))


def moved(document: dict[str, Any]) -> set[str]:
    return {each["name"] for each in document["assumptions"] if each["moved"]}


def test_the_same_load_is_confirmed(home: Home) -> None:
    done = confirm(home, rates(home, "now.csv"))
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("As promised: ")
    assert lines[-1].startswith("The recommendation would be the same today: constant")
    assert all(len(line) <= 80 for line in lines[1:-1])
    document = json.loads(confirm(home, rates(home, "now.csv"), "--json").stdout)
    assert document["kept"]
    assert document["recommendation"]["same"]
    assert not moved(document)
    replicas = document["replicas"]
    assert replicas["predicted"] == replicas["observed"] == replicas["simulated"]
    late = document["late_percent"]
    assert late["predicted"] == pytest.approx(late["simulated"], abs=1e-9)


def test_more_load_is_named(home: Home) -> None:
    done = confirm(home, rates(home, "now.csv", factor=2.2))
    assert done.exit_code == 3, done.output
    first = done.stdout.splitlines()[0]
    assert first.startswith("Not as promised: ")
    assert "mean rate rose by 120 %" in first
    assert "The recommendation would differ today: constant" in done.stdout


def test_other_shares_are_named(home: Home) -> None:
    done = confirm(home, rates(home, "now.csv", shares=(0.425, *(0.575 / 7.0,) * 7)), "--json")
    document = json.loads(done.stdout)
    assert moved(document) == {"greatest share"}
    (shares,) = (each for each in document["assumptions"] if each["moved"])
    assert shares["change"] == pytest.approx(0.3, abs=1e-4)


def test_other_replicas_are_not_as_promised(home: Home) -> None:
    done = confirm(home, rates(home, "now.csv"), "--json", count=9)
    document = json.loads(done.stdout)
    assert done.exit_code == 3
    assert not document["kept"]
    assert not moved(document)
    assert document["replicas"]["observed"] == 9.0


def test_pods_of_several_members(home: Home) -> None:
    """The answer counts members, and whole pods may have up to two more than it needs."""
    now, record = rates(home, "now.csv"), json.loads(promised(home).read_text())
    members = record["answer"]["replicas"]
    record["asked"]["members_per_replica"] = 3
    promise = trace(home, json.dumps(record), "of_pods.json")
    pods = math.ceil(members / 3)
    for count, status in ((pods, 0), (pods + 2, 3)):
        words = ("--recommendation", promise, "--from", now, "--replicas", replicas(home, count))
        done = call("confirm", *map(str, words), "--json")
        assert done.exit_code == status, done.output
        assert json.loads(done.stdout)["replicas"]["observed"] == 3 * count


def test_prometheus_answer_in_place_of_a_table(home: Home) -> None:
    """Two instances of the exporter see the same Deployment."""
    count = json.loads(promised(home).read_text())["answer"]["replicas"]
    samples = [[START + 60 * k, f"{count:g}"] for k in range(121)]
    labels = {"deployment": "reader", "namespace": "shop"}
    series = [{"metric": {**labels, "instance": one}, "values": samples} for one in "ab"]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": series}}
    file = trace(home, json.dumps(answer), "replicas.json")
    done = confirm(home, rates(home, "now.csv"), "--replicas", file, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["replicas"]["observed"] == count
    series[1]["metric"] = {**labels, "deployment": "writer"}
    file.write_text(json.dumps(answer))
    done = confirm(home, rates(home, "now.csv"), "--replicas", file)
    assert done.exit_code == 2
    assert "must have one Deployment (got 2: shop/reader, shop/writer)" in done.stderr


def test_milliseconds_gaps_and_another_zone(home: Home) -> None:
    """Replicas that are unknown for a while are left out, not guessed."""
    now = rates(home, "now.csv")
    count = json.loads(promised(home).read_text())["answer"]["replicas"]
    file = replicas(home, count, scale=1000)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:41], *lines[71:]]) + "\n")
    document = json.loads(confirm(home, now, "--replicas", file, "--json").stdout)
    assert document["hours"] == pytest.approx(2.0 - 26.0 / 60.0, abs=0.02)
    file.write_text(f"time,replicas\n2026-03-02T09:00:00+01:00,{count:g}\n")
    done = confirm(home, now, "--replicas", file)
    assert "at least an hour in common with the replicas (got 5 min: " in done.stderr


def test_a_measured_late_share_counts_by_events(home: Home) -> None:
    """None of a rising load is late at first; 2 % are when it is higher."""
    now = rates(home, "now.csv")
    rows = "".join(f"{START + STEP * k},{2 if k >= 30 else 0}\n" for k in range(60))
    file = trace(home, f"time,late_percent\n{rows}{START + STEP * 60},\n", "late.csv")
    done = confirm(home, now, "--late", file, "--json")
    assert done.exit_code == 3, done.output
    # The last sample counts for 5 min.
    events = 150.0 - 50.0 * np.cos(np.arange(69) * 4.0 * np.pi / STEPS)
    late = 2.0 * events[30:].sum() / events.sum()
    document = json.loads(done.stdout)
    assert document["late_percent"]["measured"] == pytest.approx(late, rel=1e-3)
    text = confirm(home, now, "--late", file).stdout
    assert "late as measured; " in text.splitlines()[0]
    assert "late, measured" in text


def test_shares_of_prometheus_are_from_0_to_1(home: Home) -> None:
    now = rates(home, "now.csv")
    samples = [[START + STEP * k, "NaN" if k % 2 else "0.002"] for k in range(STEPS)]
    answer = {"data": {"result": [{"metric": {}, "values": samples}]}}
    file = trace(home, json.dumps(answer), "late.json")
    document = json.loads(confirm(home, now, "--late", file, "--json").stdout)
    assert document["late_percent"]["measured"] == pytest.approx(0.2)
    samples[3][1] = "2"
    file.write_text(json.dumps(answer))
    done = confirm(home, now, "--late", file)
    assert done.exit_code == 2
    assert "`late_percent` must be a number from 0 to 1 (got " in done.stderr


def test_only_the_common_time_is_compared(home: Home) -> None:
    """The load doubles before the replicas begin: not a change of what was promised."""
    now = rates(home, "now.csv")
    head, *rows = now.read_text().splitlines()
    first = START - 3_600
    before = [f"{first + STEP * k}," + ",".join(["70"] * 8) for k in range(3_600 // STEP)]
    now.write_text("\n".join([head, *before, *rows]) + "\n")
    document = json.loads(confirm(home, now, "--json").stdout)
    assert not moved(document)
    assert document["hours"] == pytest.approx(2.0)


def described(home: Home, name: str, served: int) -> Path:
    """Two hours of two members with two partitions each, 40 events/s on each."""
    head = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
    lines = []
    for minute in range(0, 121, 5):
        lines += [f"2026-03-02T{8 + minute // 60:02}:{minute % 60:02}:00Z", head]
        for p in range(4):
            end, read = 2_400 * minute + 9, 60 * served * minute
            lines.append(f"readers orders {p} {read} {end} {end - read} c{p // 2} /10.0.0.1 c")
    return trace(home, "\n".join(lines) + "\n", name)


def test_slower_consumers_are_named(home: Home) -> None:
    """Snapshots show replicas, lag, and what a member with lag serves."""
    asked = ("--mu", "100", "--slo", "99%@30s", "--strategy", "constant", "--json")
    then = call("recommend", described(home, "then.txt", 40), *asked)
    assert then.exit_code == 0, then.output
    promise = trace(home, then.stdout, "recommendation.json")
    words = ("confirm", "--recommendation", promise, "--from")
    same = call(*words, described(home, "same.txt", 40), "--json")
    assert not moved(json.loads(same.stdout))
    slower = call(*words, described(home, "now.txt", 30))
    assert slower.exit_code == 3, slower.output
    first = slower.stdout.splitlines()[0]
    assert "the recorded lag is " in first
    assert "--mu fell by 40 %" in first


def test_files_and_picture(home: Home) -> None:
    picture = home.root / "both.svg"
    folder = home.root / "done"
    done = confirm(home, rates(home, "now.csv"), "--plot", picture, "--output", folder)
    assert done.exit_code == 0, done.output
    assert sorted(each.name for each in folder.iterdir()) == [
        "confirmation.json",
        "confirmation.svg",
    ]
    text = picture.read_text()
    assert "observed" in text
    assert "predicted: constant" in text
    assert "prefers-color-scheme" in text


WRONG = {
    "time,count\n1,2\n": ":1: must have the columns time and replicas (got a text",
    "time,replicas\n1772438400,many\n": ":2: `replicas` must be a number from 0 to 10,000",
    "time,replicas\n1772438400,-1\n": ":2: `replicas` must be a number from 0 to 10,000",
    "time,replicas\nsoon,1\n": ":2: `time` must be 2024-05-01T12:00:30Z",
    "time,replicas\n": "`replicas` must have samples (got none)",
    "time,replicas\n1672438400,3\n": "at least an hour in common with the replicas (got 0 min: ",
    "[]": "must be Prometheus' answer to query_range",
    '{"data": {"result": [{"values": [3]}]}}': "`values` must be pairs of time and number",
}


@pytest.mark.parametrize("content", WRONG)
def test_wrong_replicas(home: Home, content: str) -> None:
    file = trace(home, content, "wrong.csv")
    done = confirm(home, rates(home, "now.csv"), "--replicas", file)
    assert done.exit_code == 2
    assert WRONG[content] in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_wrong_recommendations(home: Home) -> None:
    now, file = rates(home, "now.csv"), promised(home)
    record = json.loads(file.read_text())
    broken = {
        "not json": "must be JSON; name the recommendation.json",
        json.dumps({**record, "answer": None}): "`answer` must be a strategy (got null",
        json.dumps({k: v for k, v in record.items() if k != "asked"}): "`asked` is missing",
    }
    for content, message in broken.items():
        file.write_text(content)
        done = call("confirm", "--recommendation", file, "--from", now)
        assert done.exit_code == 2, done.output
        assert message in done.stderr


def test_without_replicas(home: Home) -> None:
    done = call("confirm", "--recommendation", promised(home), "--from", rates(home, "now.csv"))
    assert done.exit_code == 2
    assert "--replicas must be given (got none)" in done.stderr
