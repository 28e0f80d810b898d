"""Answers of metric systems: joined, partial, of other tools, or about something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.traces import Trace, load
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

BEGIN = 1_772_438_400
OFFSET = "kafka_topic_partition_current_offset"


def series(
    *values: object,
    metric: str = OFFSET,
    begin: int = BEGIN,
    labels: dict[str, str] | None = None,
) -> dict[str, Any]:
    own = {"topic": "parcels", "partition": "0", **(labels or {})}
    if metric:
        own["__name__"] = metric
    return {"metric": own, "values": [[begin + 60 * k, str(v)] for k, v in enumerate(values)]}


def answer(*listed: dict[str, Any], **more: object) -> dict[str, Any]:
    data = {"resultType": "matrix", "result": listed}
    return {"status": "success", "data": data, **more}


def read(tmp_path: Path, content: object) -> Trace:
    return loaded(tmp_path, json.dumps(content), "t.json")


def refused(tmp_path: Path, content: object) -> str:
    return refusal(tmp_path, json.dumps(content), "t.json")


UNNAMED: list[list[Any]] = [
    [812_000, 812_120, 812_240, 812_360, 812_480],
    [51] * 30 + [52] * 30,
    [812_000],
    [100, 160, 220, 30, 90],
    ["8.12e5", "8.1212e5", "8.1224e5"],
    [0, 120, 240],
]


@pytest.mark.parametrize("values", UNNAMED)
def test_offsets_without_a_name_are_not_taken_as_rates(tmp_path: Path, values: list[Any]) -> None:
    message = refused(tmp_path, answer(series(*values, metric="")))
    assert "add --values offsets or --values rates" in message
    legend = "".join(f"2026-03-02 08:{k:02}:00,{v}\n" for k, v in enumerate(values))
    message = refusal(tmp_path, f"Time,parcels/0\n{legend}")
    assert "add --values offsets or --values rates" in message


def test_what_values_are_can_be_said(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps(answer(series(*UNNAMED[0], metric=""))))
    trace = load(file, values="offsets")
    assert (trace.rates.tolist(), trace.unit) == ([[2]] * 4, "messages/s")
    assert load(file, values="rates").rates[0, 0] == 812_000
    assert trace.notes == load(file, values="rates").notes == ()


def test_what_was_decided_by_values_is_said(tmp_path: Path) -> None:
    trace = read(tmp_path, answer(series(*range(0, 2400, 120), metric="")))
    assert trace.rates[:, 0].tolist() == [2] * 19
    assert trace.notes == (
        "Values count as offsets, since they are integers that rise. If they are rates, add "
        "--values rates.",
    )
    trace = read(tmp_path, answer(series(1.5, 2, metric="")))
    assert "count as rates, since they have fractions" in trace.notes[0]


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("kafka_topic_partition_oldest_offset", "start offset"),
        ("kafka_partition_earliest_offset", "start offset"),
        ("kafka_consumergroup_current_offset", "what consumers read"),
        ("aws_kafka_SumOffsetLag", "is a lag"),
        ("kafka_log_log_size", "size of stored data"),
        ("topic:messages:increase1m", "scale them in the query"),
        ("kafka_topic_partition_leader", "not about what is written"),
    ],
)
@pytest.mark.parametrize("values", [None, "rates", "offsets"])
def test_metrics_from_which_no_rate_follows(
    tmp_path: Path, metric: str, words: str, values: str | None
) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps(answer(series(0, 0, 36_000, 36_000, metric=metric))))
    with pytest.raises(InputError) as caught:
        load(file, values=values)
    assert words in str(caught.value)
    assert "query" in str(caught.value)


def test_a_word_inside_another_one_says_nothing(tmp_path: Path) -> None:
    trace = read(tmp_path, answer(series(5e6, 5e6 + 120, metric=f"corporate_{OFFSET}")))
    assert trace.rates.tolist() == [[2]]


@pytest.mark.parametrize(
    ("metric", "name", "rates"),
    [
        ("kafka_log_Log_Value", "LogEndOffset", [[2]]),
        ("kafka_server_BrokerTopicMetrics_Count", "MessagesInPerSec", [[2]]),
        ("kafka_server_BrokerTopicMetrics_OneMinuteRate", "MessagesInPerSec", [[0], [120]]),
        (OFFSET, "consumer-lag-exporter", [[2]]),
        ("kafka_log_Log_Value", "LogStartOffset", None),
        ("kafka_log_Log_Value", "Size", None),
        ("kafka_server_FetcherLagMetrics_Value", "ConsumerLag", None),
        ("kafka_server_BrokerTopicMetrics_OneMinuteRate", "BytesOutPerSec", None),
    ],
)
def test_jmx_exporter_puts_names_into_a_label(
    tmp_path: Path, metric: str, name: str, rates: list[list[float]] | None
) -> None:
    content = answer(series(0, 120, metric=metric, labels={"name": name}))
    if rates is None:
        assert "query the end offsets" in refused(tmp_path, content)
    else:
        assert read(tmp_path, content).rates.tolist() == rates


def test_labels_in_capitals_name_partitions_too(tmp_path: Path) -> None:
    one = series(0, 120)
    labels = {"Topic": "parcels", "Partition": "3", "__name__": OFFSET}
    assert read(tmp_path, answer({**one, "metric": labels})).partitions == ("parcels/3",)


@pytest.mark.parametrize("label", ["group", "consumergroup", "consumer_group", "group_id"])
def test_series_of_a_consumer_group(tmp_path: Path, label: str) -> None:
    message = refused(tmp_path, answer(series(1.5, 2, metric="", labels={label: "depot"})))
    assert f"about a consumer group (label '{label}')" in message
    assert "max by (topic, partition)" in message


@pytest.mark.parametrize(
    "label",
    [
        "kubernetes_namespace", "strimzi_io_cluster", "app_kubernetes_io_name", "environment",
        "client_id", "topic_partition", "datacenter1", "availabilityregion",
    ],
)  # fmt: skip
def test_the_label_in_which_series_differ_is_named(tmp_path: Path, label: str) -> None:
    two = [series(0, 60, labels={label: value}) for value in ("a", "b")]
    assert f"differ in the label '{label}'" in refused(tmp_path, answer(*two))


def test_a_label_that_looks_like_a_key_is_not_quoted(tmp_path: Path) -> None:
    two = [series(0, 60, labels={"hunter2hunter2hunter2": value}) for value in ("a", "b")]
    message = refused(tmp_path, answer(*two))
    assert "hunter2" not in message
    assert "differ in a label with a text of 21 characters as its name" in message


FIRST, SECOND = series(0, 120, 240), series(360, 480, begin=BEGIN + 180)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([answer(FIRST), answer(SECOND)]),
        json.dumps(answer(FIRST)) + "\n" + json.dumps(answer(SECOND)),
        json.dumps(answer(FIRST)) + json.dumps(answer(SECOND)) + "\n",
        json.dumps([answer(SECOND), answer(FIRST)], indent=2),
        json.dumps([[FIRST], [SECOND]]),
        json.dumps(FIRST) + "\n" + json.dumps(SECOND),
        json.dumps([answer(FIRST), answer(), answer(series(240, 360, 480, begin=BEGIN + 120))]),
    ],
)
def test_answers_that_follow_each_other_are_joined(tmp_path: Path, text: str) -> None:
    """As several queries give them, put together by ``jq -s`` or ``cat``."""
    trace = loaded(tmp_path, text, "t.json")
    assert trace.rates.tolist() == [[2]] * 4
    assert not any("replicas" in note for note in trace.notes)


def test_answers_of_several_topics_are_joined(tmp_path: Path) -> None:
    other = series(0, 60, 120, labels={"topic": "letters"})
    trace = read(tmp_path, [answer(FIRST), answer(other)])
    assert trace.partitions == ("letters/0", "parcels/0")
    assert trace.notes == ("2 answers are joined.",)


def test_one_error_among_answers_is_an_error(tmp_path: Path) -> None:
    wrong = {"status": "error", "errorType": "timeout", "error": "x"}
    assert "'timeout'" in refused(tmp_path, [answer(FIRST), wrong])
    message = refusal(tmp_path, json.dumps(answer(FIRST)) + "\n[1", "t.json")
    assert message.startswith(":2: the JSON ends too early")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"warnings": ["fetch series: rpc error: store 10.0.0.1 unavailable"]}, "is partial"),
        ({"warnings": ["No StoreAPIs matched for this query; partial response"]}, "is partial"),
        ({"warnings": "context deadline exceeded"}, "is partial"),
        ({"isPartial": True}, "is partial"),
        ({"warnings": ["a", "b"]}, "has 2 warnings"),
    ],
)
def test_warnings_of_an_answer_become_notes(
    tmp_path: Path, more: dict[str, Any], words: str
) -> None:
    notes = read(tmp_path, answer(FIRST, **more)).notes
    assert len([note for note in notes if words in note]) == 1
    assert not any("10.0.0.1" in note for note in notes)


def test_what_prometheus_says_is_quoted_once_each(tmp_path: Path) -> None:
    both = [answer(FIRST, warnings=["x  y"], infos=["z\x1b"]), answer(SECOND, warnings=["x y"])]
    notes = read(tmp_path, both).notes
    assert notes[:2] == (
        "The answer has 1 warning, so samples can be missing or wrong.",
        "Prometheus says: x y",
    )
    assert notes[2] == "Prometheus says: z\ufffd"


@pytest.mark.parametrize("more", [{}, {"warnings": []}, {"isPartial": False}, {"infos": []}])
def test_an_answer_without_warnings_has_no_note(tmp_path: Path, more: dict[str, Any]) -> None:
    assert read(tmp_path, answer(FIRST, **more)).notes == ()


def test_victoriametrics_export(tmp_path: Path) -> None:
    lines = [
        {
            "metric": one["metric"],
            "values": [float(value) for _, value in one["values"]],
            "timestamps": [1000 * time for time, _ in one["values"]],
        }
        for one in (FIRST, SECOND, series(7, None, 7, labels={"partition": "1"}))
        if one["metric"]["partition"] == "0"
    ]
    lines.append({**lines[0], "metric": {**lines[0]["metric"], "partition": "1"},
                  "values": [7, None, 7]})  # fmt: skip
    trace = loaded(tmp_path, "\n".join(map(json.dumps, lines)), "t.json")
    assert trace.partitions == ("parcels/0", "parcels/1")
    assert np.nansum(trace.rates, axis=0).tolist() == [8, 0]
    assert trace.form.startswith("VictoriaMetrics export JSON of kafka_topic")
    lines[0]["timestamps"].pop()
    assert "one timestamp per value (got 2 and 3)" in refusal(
        tmp_path, "\n".join(map(json.dumps, lines)), "t.json"
    )


def test_times_in_milliseconds_are_recognised(tmp_path: Path) -> None:
    one = series(0, 120, 240)
    scaled = {**one, "values": [[1000 * time, value] for time, value in one["values"]]}
    trace = read(tmp_path, answer(scaled))
    assert trace.rates.tolist() == [[2], [2]]
    assert "milliseconds" in trace.notes[0]


@pytest.mark.parametrize(
    "item",
    [
        {"metric": {"partition": "0"}, "histograms": [[BEGIN, {"count": "5"}]]},
        {"metric": {"partition": "0"}, "histogram": [BEGIN, {"count": "5"}]},
        {"metric": {"partition": "0"}, "values": [], "histograms": []},
    ],
)
def test_native_histograms_lead_on(tmp_path: Path, item: dict[str, Any]) -> None:
    assert "histogram_count(rate(…))" in refused(tmp_path, answer(item))


@pytest.mark.parametrize(
    ("content", "tool"),
    [
        ([{"target": "parcels.0", "datapoints": [[5.0, BEGIN]]}], "Graphite"),
        ({"MetricDataResults": [{"Values": [1.0]}]}, "CloudWatch"),
        ({"Label": "x", "Datapoints": [{"Sum": 1.0}]}, "CloudWatch"),
        ({"series": [{"pointlist": [[1, 2]]}]}, "Datadog"),
        ({"series": [{"pointlist": [[1, 2]]}], "status": "ok"}, "Datadog"),
        ({"results": [{"series": [{"columns": ["time"], "values": []}]}]}, "InfluxDB"),
        ({"results": {"A": {"frames": []}}}, "Grafana's query inspector"),
        ({"title": "Kafka", "panels": []}, "a dashboard of Grafana"),
    ],
)
def test_json_of_other_tools_leads_on(tmp_path: Path, content: object, tool: str) -> None:
    message = refused(tmp_path, content)
    assert f"is JSON of {tool}, which is not read" in message
    assert "timestamp, topic, partition, and rate or offset" in message


@pytest.mark.parametrize("topic", ["datapoints", "frames", "panels", "hits", "data", "status"])
def test_topics_can_have_the_names_of_keys(tmp_path: Path, topic: str) -> None:
    trace = read(tmp_path, [{topic: {"0": 1.5}}, {topic: {"0": 2}}])
    assert trace.partitions == (f"{topic}/0",)


NAME = '{partition="0", topic="parcels"}'


@pytest.mark.parametrize(
    "text",
    [
        f"{OFFSET}{NAME} =>\n0 @[{BEGIN}]\n120 @[{BEGIN + 60}]\n240 @[{BEGIN + 120}.000]\n",
        f"{OFFSET}{NAME} => 0 @[{BEGIN}]\n120 @[{BEGIN + 60}]\n\n240 @[{BEGIN + 120}]\n",
        "".join(f"{OFFSET}{NAME} {120 * k} {BEGIN + 60 * k}000\n" for k in range(3)),
        "".join(
            f'{{__name__="{OFFSET}", partition="0", topic="parcels"}} {120 * k} '
            f"{BEGIN + 60 * k}000\n"
            for k in range(3)
        ),
    ],
)
def test_text_of_promtool(tmp_path: Path, text: str) -> None:
    trace = loaded(tmp_path, text, "t.txt")
    assert (trace.partitions, trace.rates.tolist()) == (("parcels/0",), [[2], [2]])
    assert trace.form.startswith("promtool ")


def test_rates_of_promtool_have_no_name(tmp_path: Path) -> None:
    text = f"{NAME} =>\n1.5 @[{BEGIN}]\nNaN @[{BEGIN + 60}]\n2 @[{BEGIN + 120}]\n"
    assert loaded(tmp_path, text, "t.txt").rates[-1].tolist() == [2]
    assert ":2: must be a series" in refusal(tmp_path, f"{NAME} =>\nx @[5]\n", "t.txt")
    assert ":3: times of a series" in refusal(tmp_path, f"{NAME} =>\n1 @[5]\n1 @[5]\n", "t.txt")
    assert ":2: values must be" in refusal(tmp_path, f"{NAME} =>\n-1 @[5]\n", "t.txt")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#group,false,false\n#datatype,string,long\n", "annotated CSV of InfluxDB"),
        (",result,table,_start,_stop,_time,_value\n,,0,a,b,c,5\n", "annotated CSV of InfluxDB"),
        ("kafka,topic=a,partition=0 offset=5i 1772438400000000000\n", "line protocol"),
        ("<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "is a web page"),
        (f"{OFFSET}{NAME} 812000\n", "one scrape of an exporter"),
        (f"# TYPE {OFFSET} gauge\n{OFFSET}{NAME} 8.12e+05\n", "one scrape of an exporter"),
    ],
)
def test_other_text_of_metric_tools_leads_on(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, text)


def test_many_keys_and_empty_objects_take_little(tmp_path: Path) -> None:
    """Looking for a key that is repeated was quadratic; every empty object took 64 bytes."""
    keys = ",".join(f'"{k}":1' for k in range(60_000))
    assert "'59999'" in refusal(tmp_path, f'[{{{keys},"59999":2}}]', "t.json")
    empty = "[" + ",".join(["{}"] * 1_000_002) + "]"
    assert "at most 1,000,000 empty objects" in refusal(tmp_path, empty, "t.json")
