"""CSV and Parquet of one's own: names, headers, ends of files, order of rows, bad input."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.traces import Trace, load
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

NAN = np.nan


def as_csv(folder: Path, table: pa.Table) -> Trace:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    return loaded(folder, "\n".join([",".join(table.column_names), *lines, ""]))


def as_parquet(folder: Path, table: pa.Table) -> Trace:
    pq.write_table(table, folder / "t.parquet")
    return load(folder / "t.parquet")


NOTES = "# Note: Prometheus says: 1,000 series, 'cut'\n# Note: b\n"


@pytest.mark.parametrize(
    "rows",
    ["timestamp,partition,rate\n0,0,5\n60,0,6\n", "timestamp,0\n0,5\n60,6\n",
     "timestamp,partition,offset\n0,0,0\n60,0,300\n120,0,660\n",
     "timestamp,rate\n0,5\n60,6\n"],
)  # fmt: skip
def test_notes_above_the_header_are_kept(rows: str, tmp_path: Path) -> None:
    trace, plain = loaded(tmp_path, NOTES + rows), loaded(tmp_path, rows)
    assert trace.digest == plain.digest
    assert trace.warnings == ("Prometheus says: 1,000 series, 'cut'", "b")
    assert (*trace.warnings, *plain.notes) == trace.notes
    assert refusal(tmp_path, f"{NOTES}{rows.replace('60', 'later')}").startswith(":5: ")


def test_notes_elsewhere_are_no_rows(tmp_path: Path) -> None:
    rows = "timestamp,partition,rate\n0,0,5\n"
    assert refusal(tmp_path, f"{rows}# Note: b\n").startswith(":3: must have 3 cells")
    assert "lines that begin with # are not read" in refusal(tmp_path, f"# note\n{rows}")


@pytest.mark.parametrize("read", [as_csv, as_parquet])
@pytest.mark.parametrize(
    ("names", "partitions", "expected"),
    [
        (["Timestamp", " Partition ", "RATE"], [0, 1], ("0", "1")),
        (["timestamp", "partition", "rate"], ["07", "3"], ("3", "7")),
        (["timestamp", "partition", "rate"], [1.0, 0.0], ("0", "1")),
        (["timestamp", "partition", "rate"], ["10.0", "9"], ("9", "10")),
        (["timestamp", "partition", "rate"], [" east ", "west\u00a0"], ("east", "west")),
        (["timestamp", "Partition-ID", "rate"], [5, 4], ("4", "5")),
    ],
)
def test_names_follow_one_rule(
    tmp_path: Path, read: object, names: list[str], partitions: list[object], expected: tuple[str]
) -> None:
    table = pa.table([pa.array([0, 0]), pa.array(partitions), pa.array([1.0, 2.0])], names=names)
    assert callable(read)
    assert read(tmp_path, table).partitions == expected


@pytest.mark.parametrize("read", [as_csv, as_parquet])
@pytest.mark.parametrize(
    "name",
    ["offset", "log_end_offset", "LOG-END-OFFSET", "Log End Offset", "end_offset", "high_watermark",
     "latest_offset"],
)  # fmt: skip
@pytest.mark.parametrize("topic", ["topic", "TOPIC", "topic_name"])
def test_end_offsets_by_any_name(tmp_path: Path, read: object, name: str, topic: str) -> None:
    table = pa.table(
        {"timestamp": [0, 60], topic: ["parcels", "parcels"], "partition": [0, 0], name: [0, 120]}
    )
    assert callable(read)
    trace = read(tmp_path, table)
    assert (trace.partitions, trace.rates.tolist()) == (("parcels/0",), [[2.0]])


@pytest.mark.parametrize("read", [as_csv, as_parquet])
@pytest.mark.parametrize("partition", [-1, 1.5, "-7", "nan"])
def test_numbers_that_are_no_partitions(tmp_path: Path, read: object, partition: object) -> None:
    table = pa.table({"timestamp": [0], "partition": [partition], "rate": [1.0]})
    assert callable(read)
    with pytest.raises(InputError, match="partition must be a name or an integer, 0 or more"):
        read(tmp_path, table)


@pytest.mark.parametrize("read", [as_csv, as_parquet])
def test_topics_that_are_numbers(tmp_path: Path, read: object) -> None:
    table = pa.table({"timestamp": [0], "topic": [2026], "partition": [3], "rate": [1.0]})
    assert callable(read)
    assert read(tmp_path, table).partitions == ("2026/3",)


@pytest.mark.parametrize(
    "text",
    [
        'timestamp, "topic", "partition", "rate"\n0, "parcels", "0", "2"\n',
        '"timestamp", topic , partition,rate\n0, "parcels",0, 2\n',
        'timestamp,topic,partition,rate\n"0", "parcels" ,"0" , "2" \n',
        'timestamp, "parcels/0"\n0, "2"\n',
        'timestamp,topic,partition,rate\n0,"parcels",0,2\n',
    ],
)
def test_blanks_before_quotes(tmp_path: Path, text: str) -> None:
    trace = loaded(tmp_path, text)
    assert (trace.partitions, trace.rates.tolist()) == (("parcels/0",), [[2.0]])


@pytest.mark.parametrize(
    "text",
    [
        "topic,parcels,parcels\npartition,0,1\ntimestamp,,\n0,1,2\n",
        ",rate,rate\npartition,0,1\ntimestamp,,\n0,1,2\n",
        "timestamp,rate,rate\n,parcels/0,parcels/1\n0,1,2\n",
        ",parcels,letters\ntimestamp,0,0\n0,1,2\n",
        "partition,parcels,parcels\n,0,1\n0,1,2\n",
        "topic,a,a,b\npartition,0,1,0\niteration,,,\n1,1,2,3\n",
    ],
)
def test_headers_of_several_lines(tmp_path: Path, text: str) -> None:
    assert "the header has several lines, as pandas writes" in refusal(tmp_path, text)


@pytest.mark.parametrize(
    "name",
    ["rate_per_min", "msgs_per_minute", "events/min", "rate (per min)", "rpm", "per_hour",
     "Messages / hour", "per minute"],
)  # fmt: skip
def test_rates_per_minute_are_refused(tmp_path: Path, name: str) -> None:
    assert "is not per second by its name" in refusal(
        tmp_path, f"timestamp,partition,{name}\n0,0,6\n"
    )
    assert "is not per second by its name" in refusal(tmp_path, f"timestamp,{name}\n0,6\n")


@pytest.mark.parametrize("name", ["superminute/0", "germany", "per-capita", "admin/3", "sperm"])
def test_names_that_only_look_like_units(tmp_path: Path, name: str) -> None:
    assert loaded(tmp_path, f"timestamp,{name}\n0,6\n").partitions == (name,)


def test_what_a_group_has_committed_is_no_rate(tmp_path: Path) -> None:
    message = refusal(tmp_path, "timestamp,topic,partition,current_offset\n0,a,0,5\n")
    assert "add the end offset" in message


def test_annotated_csv_of_influxdb(tmp_path: Path) -> None:
    text = "#group,false,false\n#datatype,string,long\n#default,_result,\n,result,table\n"
    assert "annotated CSV of InfluxDB" in refusal(tmp_path, text)


def test_a_blank_after_a_quote_is_refused_with_words(tmp_path: Path) -> None:
    message = refusal(tmp_path, 'timestamp, "parcels/0"\n "0" , 2\n')
    assert message == ":2: not valid CSV (a comma must follow a closing quote at once)"


OFFSETS = "timestamp,parcels/0,parcels/1\n" + "".join(
    f"{1_772_438_400 + 60 * k},{812_000 + 120 * k},{5_000 + 60 * k}\n" for k in range(8)
)


def test_wide_offsets_are_no_rates(tmp_path: Path) -> None:
    assert "set --values offsets or --values rates" in refusal(tmp_path, OFFSETS)
    file = tmp_path / "t.csv"
    assert load(file, values="offsets").rates.tolist() == [[2.0, 1.0]] * 7
    assert load(file, values="rates").rates[0].tolist() == [812_000.0, 5_000.0]


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("timestamp,rate\n0,100\n60,220\n", [[2.0]]),
        ("0,100\n60,220\n", [[2.0]]),
        ("timestamp,partition,rate\n0,a,100\n60,a,220\n", [[2.0]]),
        ("timestamp,a,b\n0,100,\n60,220,0\n120,340,60\n", [[2.0, NAN], [2.0, 1.0]]),
        ("timestamp,offset\n0,100\n60,220\n", [[2.0]]),
    ],
)
def test_offsets_by_option(tmp_path: Path, text: str, rates: list[list[float]]) -> None:
    (tmp_path / "t.csv").write_text(text)
    np.testing.assert_array_equal(load(tmp_path / "t.csv", values="offsets").rates, rates)


def test_a_total_offset_by_its_name(tmp_path: Path) -> None:
    trace = loaded(tmp_path, "timestamp,offset\n0,100\n60,220\n")
    assert (trace.is_total, trace.rates.tolist()) == (True, [[2.0]])


@pytest.mark.parametrize("topics", [("Parcels", "parcels"), ("ÄPFEL", "äpfel"), ("a.B", "A.b")])
def test_topics_that_differ_in_case(tmp_path: Path, topics: tuple[str, str]) -> None:
    text = "timestamp,topic,partition,rate\n" + "".join(f"0,{topic},0,5\n" for topic in topics)
    trace = loaded(tmp_path, text)
    assert len(trace.partitions) == 2
    assert any("differ only in case" in note for note in trace.notes)


def test_topics_that_differ_in_blanks_are_one(tmp_path: Path) -> None:
    text = "timestamp,topic,partition,rate\n0,parcels,0,5\n30, parcels ,0,6\n"
    assert loaded(tmp_path, text).rates.tolist() == [[5], [6]]
    twice = text.replace("30,", "0,")
    assert "duplicate row" in refusal(tmp_path, twice)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("timestamp,a,b\n0,5,\n30,6,\n", "No rate is recorded for b."),
        ("timestamp,partition,rate\n0,a,5\n0,b,\n", "No rate is recorded for b."),
        ("timestamp,a,b\n0,0,0\n30,0,0\n", "All rates are 0."),
        ("timestamp,rate\n0,0\n", "All rates are 0."),
        ('[{"t": {"0": 0}}]', "All rates are 0."),
    ],
)
def test_what_is_recorded_without_rates(tmp_path: Path, text: str, note: str) -> None:
    name = "t.json" if text.startswith("[") else "t.csv"
    assert note in loaded(tmp_path, text, name).notes


@pytest.mark.parametrize("read", [as_csv, as_parquet])
@pytest.mark.parametrize(
    ("absent", "words"), [("7", "T09:00:00Z, and counts"), ("7a", "Z (and in 1 more partition)")]
)
def test_a_partition_without_rates_for_a_while(
    tmp_path: Path, read: object, absent: str, words: str
) -> None:
    begin = datetime(2026, 3, 2, 8, tzinfo=UTC)
    rows = [
        ((begin + timedelta(minutes=k)).strftime("%Y-%m-%dT%H:%M:%SZ"), name, 5.0)
        for k in range(240)
        for name in ("0", "7", "a")
        if name not in absent or not 60 <= k < 180
    ]
    times, names, rates = map(list, zip(*rows, strict=True))
    table = pa.table({"timestamp": times, "partition": names, "rate": rates})
    assert callable(read)
    (note,) = read(tmp_path, table).notes
    assert note.startswith(
        "Partition 7 has no rate for 2\u00a0h 00\u00a0min from 2026-03-02T09:00:00Z"
    )
    assert words in note


def test_partitions_that_arrive_and_depart_have_no_holes(tmp_path: Path) -> None:
    assert loaded(tmp_path, "timestamp,a,b\n0,5,\n60,5,6\n120,,6\n").notes == ()


@pytest.mark.parametrize("names", [("my orders", "myorders"), ("Orders", "orders")])
def test_topics_that_are_almost_the_same(tmp_path: Path, names: tuple[str, str]) -> None:
    text = "timestamp,topic,partition,rate\n" + "".join(f"0,{name},0,5\n" for name in names)
    trace = loaded(tmp_path, text)
    assert len(trace.partitions) == 2
    assert any("differ only in case or blanks" in note for note in trace.notes)


@pytest.mark.parametrize("name", ["total", "Sum", "whole"])
def test_a_column_that_is_the_sum_of_the_others(tmp_path: Path, name: str) -> None:
    rows = "".join(f"{30 * k},{20 - k},{41 - 2 * k},{61 - 3 * k}\n" for k in range(12))
    message = refusal(tmp_path, f"timestamp,a,b,{name}\n{rows}")
    assert "column 4" in message
    assert "is the sum of the others" in message
    other = f"timestamp,a,b,{name}\n" + rows.replace(",19,39,58\n", ",19,39,59\n")
    assert loaded(tmp_path, other).rates.shape == (12, 3)


def test_a_hot_partition_is_no_sum(tmp_path: Path) -> None:
    assert loaded(tmp_path, "timestamp,a,b,c\n0,10,5,5\n30,10,5,5\n").rates.shape == (2, 3)


@pytest.mark.parametrize("names", ["1.5,2", "-1,0", "nan,a"])
def test_columns_that_are_no_partitions(tmp_path: Path, names: str) -> None:
    assert ":1: column 2 must be a name or an integer" in refusal(
        tmp_path, f"timestamp,{names}\n0,1,2\n"
    )


def test_columns_of_one_number(tmp_path: Path) -> None:
    assert loaded(tmp_path, "timestamp,07,1.0\n0,1,2\n").partitions == ("1", "7")
    assert "have the same name" in refusal(tmp_path, "timestamp,07,7\n0,1,2\n")


def test_large_rates_and_single_steps(tmp_path: Path) -> None:
    trace = loaded(tmp_path, "timestamp,parcels/3\n0,1000000000000\n")
    assert (trace.rates.tolist(), trace.notes) == ([[1e12]], ())
