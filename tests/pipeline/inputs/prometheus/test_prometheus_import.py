"""``groupscale import prometheus:URL``: rates, the group, and what is wrong with a question."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.inputs import traces
from tests.pipeline.cli.command import call
from tests.pipeline.inputs.prometheus import known_group
from tests.pipeline.inputs.prometheus.conftest import Imports
from tests.pipeline.inputs.prometheus.fake_prometheus import FakePrometheus, Labels, Series

pytestmark = [pytest.mark.unit, pytest.mark.slow]

GROUP = ("--group", "billing")


def renamed(fake: FakePrometheus, metrics: dict[str, str], labels: dict[str, str]) -> None:
    """Make another exporter of the one that is there; metrics without a name are left out."""

    def other(old: Labels) -> Labels:
        return {
            labels.get(name, name): metrics[value] if name == "__name__" else value
            for name, value in old.items()
        }

    known = [one for one in fake.series if one.labels["__name__"] in metrics]
    fake.series = [Series(other(one.labels), one.value) for one in known]


ENDS = "kafka_topic_partition_current_offset"
READ = "kafka_consumergroup_current_offset"
MEMBERS = "kafka_consumergroup_members"


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_rates_are_those_that_are_written(name: str, imports: Imports, tmp_path: Path) -> None:
    out = tmp_path / name
    done = imports(out, *GROUP)
    assert done.exit_code == 0, done.output
    trace = traces.read(out)
    assert trace.partitions == ("orders/0", "orders/1", "orders/2")
    assert np.unique(trace.rates, axis=0).tolist() == [[float(rate) for rate in known_group.RATES]]
    assert str(trace.started_at) == "2024-05-01 12:00:00+00:00"
    assert sorted(file.name for file in tmp_path.iterdir() if file.suffix) == [name]


def test_the_group_is_told(imports: Imports, tmp_path: Path) -> None:
    done = imports(tmp_path / "t.csv", *GROUP)
    lines = done.output.splitlines()
    begin = lines.index("Group billing, as Prometheus has seen it in steps of 1 min 00 s:")
    assert lines[begin + 1] == "  members: 2 at the end"
    rate = known_group.MU / 2
    assert lines[begin + 2].startswith(f"  rate of a member: {rate:g} events/s by the mean member")
    assert "at most 11 min 00 s, since members were missing for 10 min 00 s" in lines[begin + 3]
    assert "reading did not stop for a whole step at 2 changes" in lines[begin + 4]
    command = f"  groupscale recommend {tmp_path}/t.csv --mu {rate:g} --slo 99%@30s"
    assert any(line.startswith(command) and line.endswith("--today 2") for line in lines)


def test_the_group_is_in_the_json(imports: Imports, tmp_path: Path) -> None:
    done = imports(tmp_path / "t.csv", *GROUP, "--json")
    group = json.loads(done.stdout)["group"]
    assert group["member_rate"] == pytest.approx(known_group.MU / 2, rel=0.01)
    assert (group["members"], group["restart_s"], group["changes"]) == (2, 600.0, 2)
    assert "group" not in json.loads(call("import", tmp_path / "t.csv", "--json").stdout)


def test_simulations_take_the_answers(imports: Imports, tmp_path: Path) -> None:
    out = tmp_path / "t.json"
    assert imports(out, *GROUP).exit_code == 0
    done = call("simulate", out, "--set", "mu=200", "--strategy", "constant")
    assert done.exit_code == 0, done.output


def test_topics_without_a_group(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.series += known_group.series("pay.ments", "others")
    done = imports(tmp_path / "t.csv", "--topic", "pay.ments", "--topic", "orders")
    assert done.exit_code == 0, done.output
    assert len(traces.read(tmp_path / "t.csv").partitions) == 6
    assert "Group" not in done.output
    assert r'topic=~"pay\\.ments|orders"' in prometheus.ranges[0].parameters["query"]


def test_a_group_has_its_own_topics(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.series += known_group.series("payments", 'the "others"\\n')
    done = imports(tmp_path / "t.csv", "--group", 'the "others"\\n')
    assert done.exit_code == 0, done.output
    assert traces.read(tmp_path / "t.csv").partitions[0] == "payments/0"


@pytest.mark.parametrize(
    ("metrics", "labels", "known"),
    [
        (
            {
                ENDS: "kminion_kafka_topic_partition_high_water_mark",
                READ: "kminion_kafka_consumer_group_topic_partition_lag",
                MEMBERS: "kminion_kafka_consumer_group_members",
            },
            {"topic": "topic_name", "partition": "partition_id", "consumergroup": "group_id"},
            True,
        ),
        (
            {ENDS: "kafka_partition_latest_offset", READ: "kafka_consumergroup_group_offset"},
            {"consumergroup": "group"},
            True,
        ),
        (
            {
                ENDS: "kafka_burrow_topic_partition_offset",
                READ: "kafka_burrow_partition_current_offset",
            },
            {"consumergroup": "group"},
            False,
        ),
    ],
)
def test_other_exporters(
    metrics: dict[str, str],
    labels: dict[str, str],
    known: bool,
    imports: Imports,
    prometheus: FakePrometheus,
    tmp_path: Path,
) -> None:
    read = {one.labels["partition"]: one.value for one in prometheus.series if has(one, READ)}
    ends = {one.labels["partition"]: one.value for one in prometheus.series if has(one, ENDS)}
    renamed(prometheus, metrics, labels)
    for place, one in enumerate(prometheus.series):
        name, number = one.labels["__name__"], one.labels.get("partition_id", "")
        if name.endswith("_lag"):
            behind = difference(ends[number], read[number])
            prometheus.series[place] = one._replace(value=behind)
        if name == "kafka_consumergroup_group_offset":
            member = f"c-{int(one.labels['partition']) % 2}"
            prometheus.series[place] = one._replace(labels={**one.labels, "consumer_id": member})
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 0, done.output
    trace = traces.read(tmp_path / "t.csv")
    assert trace.rates[0].tolist() == [float(rate) for rate in known_group.RATES]
    rate = "200 events/s by the mean member" if known else "400 events/s by the group as a whole"
    assert f"rate of a member: {rate}, measured in" in done.output
    assert ("the exporter has no metric of them" in done.output) != known


def has(series: Series, metric: str) -> bool:
    return series.labels["__name__"] == metric


def difference(above: object, below: object) -> object:
    return lambda at: above(at) - below(at)  # type: ignore[operator]


def test_a_metric_that_the_user_names(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    renamed(prometheus, {ENDS: "our_end_offset"}, {"topic": "kafka_topic"})
    options = ("--topic", "orders", "--metric", "our_end_offset")
    done = imports(tmp_path / "t.csv", *options)
    assert done.exit_code == 0, done.output
    assert traces.read(tmp_path / "t.csv").partitions[0] == "orders/0"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--group", "nobody"], "--group nobody: kafka_consumergroup_current_offset does not"),
        (["--group", "nobody"], "in this time; it has billing"),
        ([*GROUP, "--topic", "order"], "--topic order: kafka_topic_partition_current_offset"),
        ([], "name topics with --topic, or a group"),
        ([*GROUP, "--metric", READ], "the metric is what consumers read"),
        ([*GROUP, "--metric", "end_offset"], "Prometheus has no such metric in this time"),
        ([*GROUP, "--metric", MEMBERS], "--metric"),
        ([*GROUP, "--label", "cluster"], "--label must be NAME=VALUE"),
        ([*GROUP, "--label", "cluster=x"], "or none with each --label; name their metric"),
        ([*GROUP, "--step", "1"], "--step must be a length of time"),
        ([*GROUP, "--message-size", "5"], "--message-size needs another --output than .json"),
    ],
)
def test_a_question_without_an_answer(
    options: list[str], words: str, imports: Imports, tmp_path: Path
) -> None:
    done = imports(tmp_path / "t.json", *options)
    assert done.exit_code == 2, done.output
    assert done.output.startswith("Error: ")
    assert len(done.output.splitlines()) == 1
    assert words in done.output
    assert list(tmp_path.glob("t*")) == []


def test_clusters_are_not_mixed(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    ours = [Series({**one.labels, "cluster": "eu"}, one.value) for one in prometheus.series]
    theirs = [Series({**one.labels, "cluster": "us"}, lambda _: 5e6) for one in prometheus.series]
    prometheus.series = [*ours, *theirs]
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 2
    assert "differ in the label cluster (eu, us)" in done.output
    assert "--label cluster=eu" in done.output
    done = imports(tmp_path / "t.csv", *GROUP, "--label", "cluster=eu")
    assert done.exit_code == 0, done.output
    rates = traces.read(tmp_path / "t.csv").rates
    assert rates[0].tolist() == [float(rate) for rate in known_group.RATES]


def test_an_import_that_is_too_large(
    imports: Imports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.inputs.prometheus.prometheus_import.MOST_SAMPLES", 300)
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 2
    assert "at most 300 samples (got 3 partitions × 121 times = 363)" in done.output


def test_data_that_begin_later_are_a_note(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.series = known_group.series(begin=known_group.BEGIN + 3_600)
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "data only from 2024-05-01T13:00:00Z on, not from 2024-05-01T12:00:00Z." in text


def test_no_data_at_all(imports: Imports, prometheus: FakePrometheus, tmp_path: Path) -> None:
    prometheus.series = known_group.series(begin=known_group.BEGIN + 10**6)
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 2
    assert "Prometheus has no samples in this time" in done.output


def test_warnings_become_notes(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.said = {"warnings": ["store a: unavailable"], "infos": ["PromQL info: x"]}
    done = imports(tmp_path / "t.json", *GROUP)
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    for said in ("store a: unavailable", "PromQL info: x"):
        assert f"Note: Prometheus says: {said}" in text
    notes = " ".join(traces.read(tmp_path / "t.json").notes)
    assert "The answer is partial: some stores did not answer" in notes


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_recommendations_show_what_prometheus_has_said(
    name: str, imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.said = {"warnings": ['rows, "cut"'], "infos": ["is it a counter?"]}
    assert imports(tmp_path / name, *GROUP).exit_code == 0
    done = call("recommend", tmp_path / name, "--mu", "200", "--slo", "99%@30s")
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split()).replace('"', "'")
    for said in ("The answer has 1 warning", "says: rows, 'cut'", "says: is it a counter?"):
        assert text.count(said) == 1, text


def test_a_file_takes_none_of_these_options(imports: Imports, tmp_path: Path) -> None:
    assert imports(tmp_path / "t.csv", *GROUP).exit_code == 0
    for option in ("group", "topic", "since", "until", "step", "metric", "label", "ca"):
        done = call("import", tmp_path / "t.csv", f"--{option}", "x")
        assert done.exit_code == 2
        assert f"--{option} needs prometheus:URL in place of a file" in done.output


def test_what_is_missing_is_said_before_anything_is_asked(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    address = f"prometheus:{prometheus.url}"
    done = call("import", address, *GROUP, "-o", tmp_path / "t.csv")
    assert (done.exit_code, "--since is missing" in done.output) == (2, True)
    done = call("import", address, *GROUP, "--since", "2d")
    assert (done.exit_code, "needs --output FILE" in done.output) == (2, True)
    (tmp_path / "t.csv").write_text("mine")
    done = imports(tmp_path / "t.csv", *GROUP)
    assert (done.exit_code, "replace it with --force" in done.output) == (2, True)
    assert prometheus.asked == []
