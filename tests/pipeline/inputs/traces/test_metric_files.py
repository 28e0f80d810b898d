"""Files of Prometheus and Grafana, and the series that they name."""

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

BEGIN = 1_714_564_800
OFFSET = "kafka_topic_partition_current_offset"


def one(labels: dict[str, str], *values: object, step: int = 60) -> dict[str, Any]:
    samples = [[BEGIN + step * k, str(value)] for k, value in enumerate(values)]
    return {"metric": labels, "values": samples}


def of(partition: object, topic: str = "orders", **more: str) -> dict[str, str]:
    return {"topic": topic, "partition": str(partition), **more}


def enveloped(*series: object, kind: str = "matrix") -> str:
    data = {"resultType": kind, "result": series}
    return json.dumps({"status": "success", "data": data})


def read(tmp_path: Path, *series: object, kind: str = "matrix") -> Trace:
    return loaded(tmp_path, enveloped(*series, kind=kind), "t.json")


def test_offsets_of_a_range_query_become_rates(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        one(of(10, __name__=OFFSET), 0, 60, 180),
        one(of(2, __name__=OFFSET), 100, 100, 700),
        one(of(0, "audit", __name__=OFFSET), 7, 13, 19),
    )
    assert trace.partitions == ("audit/0", "orders/2", "orders/10")
    assert trace.rates.tolist() == [[0.1, 0.0, 1.0], [0.1, 10.0, 2.0]]
    assert (trace.unit, trace.is_total) == ("messages/s", False)
    assert trace.form == f"Prometheus query_range JSON of {OFFSET}, offsets turned into rates"
    assert trace.times is not None
    assert (trace.times.first, trace.times.last) == (
        "2024-05-01T12:00:00Z",
        "2024-05-01T12:01:00Z",
    )


def test_rates_of_a_range_query_stay_as_they_are(tmp_path: Path) -> None:
    """PromQL's rate() drops the metric's name; NaN marks where a series ends."""
    trace = read(tmp_path, one(of(0), "0.1", "1e3", "NaN"), one(of(1), 1, 2.5, 3))
    assert np.array_equal(trace.rates, [[0.1, 1], [1e3, 2.5], [np.nan, 3]], equal_nan=True)
    assert trace.form == "Prometheus query_range JSON, rates"
    assert trace.unit == "per second"


@pytest.mark.parametrize("wrap", ["envelope", "data", "list"])
def test_answers_with_and_without_their_envelope(tmp_path: Path, wrap: str) -> None:
    series = [one(of(0), 1.5, 2), one(of(1), 3, 4)]
    texts = {
        "envelope": enveloped(*series),
        "data": json.dumps({"resultType": "matrix", "result": series}),
        "list": json.dumps(series),
    }
    assert loaded(tmp_path, texts[wrap], "t.json").rates.tolist() == [[1.5, 3], [2, 4]]


def test_an_instant_query_is_one_measurement(tmp_path: Path) -> None:
    series = [{"metric": of(j), "value": [BEGIN + 0.5, str(j + 1.5)]} for j in range(2)]
    trace = read(tmp_path, *series, kind="vector")
    assert trace.rates.tolist() == [[1.5, 2.5]]
    assert trace.form == "Prometheus query JSON, rates"


def test_one_series_without_partition_is_a_total(tmp_path: Path) -> None:
    trace = read(tmp_path, one({}, 5, 6.5))
    assert (trace.is_total, trace.partitions) == (True, ("total",))


@pytest.mark.parametrize(
    ("metric", "values", "is_offset"),
    [
        (OFFSET, [1, 2, 3], True),
        ("kafka_log_log_logendoffset", [1, 2, 3], True),
        ("kafka_log_Log_LogEndOffset_Value", [1, 2, 3], True),
        ("kafka_partition_latest_offset", [1, 2, 3], True),
        ("kafka_burrow_topic_partition_offset", [1, 2, 3], True),
        ("kminion_kafka_topic_partition_high_water_mark", [1, 2, 3], True),
        ("topic_messages_total", [1, 2, 3], True),
        ("kafka_messages_in_oneminuterate", list(range(20)), False),
        ("topic:messages:rate5m", list(range(20)), False),
        ("messages_in", list(range(20)), True),
        ("messages_in", [1, 2, 3.5], False),
        ("messages_in", [5, 7, 6, 9, 8], False),
        ("", [3 * k for k in range(20)], True),
        ("", [3 * k + 0.5 for k in range(20)], False),
    ],
)
def test_offsets_are_recognised(
    tmp_path: Path, metric: str, values: list[float], is_offset: bool
) -> None:
    labels = of(0, __name__=metric) if metric else of(0)
    form = read(tmp_path, one(labels, *values)).form
    assert ("offsets turned into rates" in form) == is_offset


def test_what_values_are_can_be_set(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(enveloped(one(of(0), 60, 120, 240)))
    with pytest.raises(InputError, match="add --values offsets or --values rates"):
        load(file)
    assert load(file, values="rates").rates.tolist() == [[60], [120], [240]]
    assert load(file, values="offsets").rates.tolist() == [[1], [2]]
    assert load(file, 100.0, "offsets").rates.tolist() == [[100], [200]]
    file = tmp_path / "t.csv"
    file.write_text("timestamp,a\n1,5\n31,65\n")
    assert load(file, values="rates").rates.tolist() == [[5], [65]]
    assert load(file, values="offsets").rates.tolist() == [[2]]
    file = tmp_path / "authors.json"
    file.write_text('[{"t": {"0": 5}}]')
    with pytest.raises(InputError, match="--values offsets does not apply"):
        load(file, values="offsets")


def test_a_reset_is_said(tmp_path: Path) -> None:
    trace = read(tmp_path, one(of(3, __name__=OFFSET), 600, 660, 30))
    assert trace.rates[:, 0].tolist() == [1, 0.5]
    assert "fall at 2024-05-01T12:02:00Z (orders/3)" in trace.notes[0]


def test_a_step_shorter_than_the_scrape_interval_is_said(tmp_path: Path) -> None:
    values = [k // 4 * 60 for k in range(40)]
    trace = read(tmp_path, one(of(0, __name__=OFFSET), *values, step=15))
    assert "No offset moves in 77% of the steps" in trace.notes[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (enveloped(), "has no series"),
        (enveloped(one({"topic": "a"}, 1), one({"topic": "b"}, 1)), "label partition"),
        (enveloped(one(of(0, consumergroup="a"), 1), one(of(0, consumergroup="b"), 1)),
         "'consumergroup'"),
        (enveloped(one(of(0, __name__="kafka_consumergroup_lag"), 1)), "is a lag"),
        (enveloped(one(of(0, __name__="a_offset"), 1, 2), one(of(0, __name__="b_offset"), 1, 2)),
         "one metric"),
        (enveloped(one(of(0, __name__=OFFSET), 5)), "two or more times"),
        (enveloped(one(of(0), -1)), "0 or more (got -1)"),
        (enveloped(one(of(0), "+Inf")), "finite"),
        (enveloped(one(of(0), "x")), "must be [time"),
        (enveloped({"metric": of(0), "values": [[2, "1"], [1, "1"]]}), "times must ascend"),
        (enveloped({"metric": of(0), "values": [5]}), "must be [time"),
        (enveloped(one(of(0), "NaN")), "at least one sample"),
        (enveloped({"metric": of(0), "histograms": []}), "native histograms"),
        (enveloped({"metric": of(0), "samples": []}), "each series must be"),
        (enveloped(BEGIN, "5", kind="scalar"), "'scalar'"),
        ('{"status": "error", "errorType": "bad_data", "error": "parse"}', "'bad_data'"),
        ('{"status": "error", "errorType": "bad_data", "error": '
         '"exceeded maximum resolution of 11,000 points per timeseries"}', "longer step"),
        ('{"status": "success"}', "an answer of Prometheus"),
    ],
)  # fmt: skip
def test_answers_that_are_no_trace(tmp_path: Path, content: str, words: str) -> None:
    message = refusal(tmp_path, content, "t.json")
    assert words in message
    assert len(message) < 400


GRAFANA = (
    '"Time","orders-0","orders-1"\n'
    "2024-05-01 12:00:00,1200.5,3\n"
    "2024-05-01 12:01:00,,4\n"
    "2024-05-01 12:02:00,1300,\n"
)


def test_an_export_of_grafana(tmp_path: Path) -> None:
    trace = loaded(tmp_path, GRAFANA)
    assert trace.partitions == ("orders-0", "orders-1")
    # A missing value is bridged, and the last one holds for a step.
    assert np.array_equal(trace.rates, [[1200.5, 3], [1200.5, 4], [1300, np.nan]], equal_nan=True)
    assert trace.form == "Grafana CSV, rates"
    assert trace.times is not None
    assert trace.times.first == "2024-05-01T12:00:00"
    assert trace.times.at.tolist() == [0, 60, 120]


@pytest.mark.parametrize(
    "times",
    [
        ["2024-05-01 12:00:00", "2024-05-01 12:01:00"],
        ["2024-05-01 12:00:00.000", "2024-05-01 12:01:00.000"],
        ["2024-05-01T12:00:00Z", "2024-05-01T12:01:00Z"],
        ["2024-05-01T14:00:00+02:00", "2024-05-01T14:01:00+02:00"],
        ["1714564800000", "1714564860000"],
        ["1714564800", "1714564860"],
    ],
)
def test_times_of_grafana(tmp_path: Path, times: list[str]) -> None:
    trace = loaded(tmp_path, f"Time,a,b\n{times[1]},3.5,4\n{times[0]},1,2\n")
    assert trace.rates.tolist() == [[1, 2], [3.5, 4]]
    assert trace.times is not None
    assert trace.times.first.startswith("2024-05-01T12:00:00")
    assert trace.times.at.tolist() == [0, 60]


@pytest.mark.parametrize(
    ("cell", "number", "unit"),
    [
        ("1.5 MB/s", 1.5e6, "bytes/s"),
        ("2 KiB/s", 2048, "bytes/s"),
        ("12 kB/s", 12e3, "bytes/s"),
        ("7 B/s", 7, "bytes/s"),
        ("1.2005 K", 1200.5, "per second"),
        ("1.2000005 Mil", 1200000.5, "per second"),
        ("12 c/s", 12, "messages/s"),
        ("1.2 K msg/s", 1200, "messages/s"),
        ("3 Mil ops/s", 3e6, "messages/s"),
        ('"1,234,567.5"', 1234567.5, "per second"),
        ('"1,234.5 req/s"', 1234.5, "messages/s"),
    ],
)
def test_cells_with_units(tmp_path: Path, cell: str, number: float, unit: str) -> None:
    trace = loaded(tmp_path, f"Time,a\n2024-05-01 12:00:00,{cell}\n")
    assert trace.rates.tolist() == [[pytest.approx(number)]]
    assert trace.unit == unit
    assert "rounded" in trace.notes[0]


@pytest.mark.parametrize("cell", ["", "null", "undefined", "NaN", "-", "No data"])
def test_cells_without_a_value(tmp_path: Path, cell: str) -> None:
    trace = loaded(tmp_path, f"Time,a,b\n2024-05-01 12:00:00,{cell},5.5\n")
    assert trace.partitions == ("b",)
    assert trace.rates.tolist() == [[5.5]]


@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("first", ["", "sep=%s\r\n"])
def test_an_export_for_excel_with_labels(tmp_path: Path, mark: str, first: str) -> None:
    names = [f'"{OFFSET}{{partition=""{j}"", topic=""orders""}}"' for j in (1, 0)]
    rows = [["1714564800000", "0", "60"], ["1714564860000", "60", "600"]]
    lines = [mark.join(["Time", *names]), *map(mark.join, rows)]
    text = "\ufeff" + (first % mark if first else "") + "\r\n".join(lines) + "\r\n"
    trace = loaded(tmp_path, text)
    assert trace.partitions == ("orders/0", "orders/1")
    assert trace.rates.tolist() == [[9, 1]]
    assert trace.form == f"Grafana CSV of {OFFSET}, offsets turned into rates"


def test_one_series_of_grafana_is_a_total(tmp_path: Path) -> None:
    assert loaded(tmp_path, "Time,Value\n2024-05-01 12:00:00,5.5\n").is_total


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Time,a,b\n2024-05-01 12:00:00,5\n", ":2: must have 3 cells"),
        ("Time,a\n2024-05-01 12:00:00,x\n", ":2: column 'a' must have numbers"),
        ("Time,a\n2024-05-01 12:00:00,-5\n", "got '-5'"),
        ("Time,a\n2024-05-01 12:00:00,inf\n", "got 'inf'"),
        ("Time,a\n2024-05-01 12:00:00,5 Mb/s\n", "unit to bytes/sec"),
        ("Time,a\n05/01/2024 12:00:00,5\n", "Time must be 2024-05-01T12:00:30Z"),
        ("Time,a\n2024-05-01 12:00:00,5\n2024-05-01T12:00:00Z,5\n", "no time zone"),
        ("Time,a\n2024-05-01 12:00:00,5\n2024-05-01 12:00:00,6\n", "same Time"),
        ("Time,a,a\n2024-05-01 12:00:00,5,6\n", "column 3 has the name"),
        ("Time,a,\n2024-05-01 12:00:00,5,6\n", "column 3 has no name"),
        ("Time,Series,Value\n2024-05-01 12:00:00,a,6\n", "joined by time"),
        ("Time,a\n", "no rows"),
        ('Time,a\n2024-05-01 12:00:00,"5\n', "not valid CSV"),
    ],
)
def test_exports_that_are_no_trace(tmp_path: Path, text: str, words: str) -> None:
    message = refusal(tmp_path, text)
    assert words in message
    assert len(message) < 400


def test_a_scrape_of_an_exporter_is_no_trace(tmp_path: Path) -> None:
    text = f'# HELP {OFFSET} Offset\n# TYPE {OFFSET} gauge\n{OFFSET}{{partition="0"}} 5\n'
    assert "one scrape of an exporter" in refusal(tmp_path, text, "metrics.txt")
