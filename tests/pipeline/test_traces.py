"""Recorded traces: what the three formats mean, and what is said of files that are none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import limits
from pipeline.errors import InputError
from pipeline.traces import Trace, load
from pipeline.traces.model import make

pytestmark = pytest.mark.unit

NAN = np.nan
Writer = Callable[[Path, list[str], np.ndarray], Path]


def loaded(folder: Path, text: str | bytes, name: str = "t.csv") -> Trace:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(file)


def refusal(folder: Path, text: str | bytes, name: str = "t.csv") -> str:
    with pytest.raises(InputError) as caught:
        loaded(folder, text, name)
    message = str(caught.value)
    assert message.startswith(f"{folder / name}:")
    assert "\n" not in message
    return message.removeprefix(str(folder / name))


def write_wide(folder: Path, names: list[str], rates: np.ndarray) -> Path:
    frame = pd.DataFrame(rates, columns=names)
    frame.insert(0, "iteration", np.arange(len(rates)))
    frame.to_csv(folder / "wide.csv", index=False)
    return folder / "wide.csv"


def long_frame(names: list[str], rates: np.ndarray) -> pd.DataFrame:
    n, p = rates.shape
    times, places = np.divmod(np.arange(n * p), p)
    return pd.DataFrame(
        {"iteration": times, "partition": np.array(names)[places], "rate": rates.ravel()}
    )


def write_long(folder: Path, names: list[str], rates: np.ndarray) -> Path:
    long_frame(names, rates).to_csv(folder / "long.csv", index=False)
    return folder / "long.csv"


def write_parquet(folder: Path, names: list[str], rates: np.ndarray) -> Path:
    long_frame(names, rates).to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def write_json(folder: Path, names: list[str], rates: np.ndarray) -> Path:
    """All partitions are in the first measurement, so that their order is given."""
    rows: list[dict[str, dict[str, float | None]]] = []
    for row in rates:
        measured: dict[str, dict[str, float | None]] = {}
        for name, rate in zip(names, row, strict=True):
            topic, _, partition = name.partition("/")
            measured.setdefault(topic, {})[partition] = None if np.isnan(rate) else float(rate)
        rows.append(measured)
    (folder / "t.json").write_text(json.dumps(rows))
    return folder / "t.json"


WRITERS: list[Writer] = [write_wide, write_long, write_parquet, write_json]


@pytest.mark.parametrize("write", WRITERS)
@given(data=st.data())
def test_every_format_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, write: Writer, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, 6))
    p = data.draw(st.integers(1, 5))
    rate = st.one_of(st.just(NAN), st.floats(0, 1e12), st.integers(0, 100).map(float))
    cells = data.draw(st.lists(rate, min_size=n * p, max_size=n * p))
    rates = np.array(cells).reshape(n, p)
    rates[0, 0] = 5.0
    names = [f"t/{j}" for j in range(p)]
    trace = load(write(tmp_path_factory.mktemp("trace"), names, rates))
    assert trace.partitions == tuple(names)
    np.testing.assert_array_equal(trace.rates, rates)
    assert trace.rates.dtype == np.float64
    assert trace.rates.flags.c_contiguous


def test_the_digest_is_that_of_the_rates_in_any_format(tmp_path: Path) -> None:
    names, rates = ["t/0", "t/1"], np.array([[1.0, NAN], [0.0, 2.5]])
    digests = {load(write(tmp_path, names, rates)).digest for write in WRITERS}
    assert len(digests) == 1
    assert len(digests.pop()) == 64
    other = load(write_wide(tmp_path, names, rates + 1.0))
    assert other.digest not in digests


def test_the_digest_is_pinned() -> None:
    """Published results are recognised by it, on every machine and by later versions."""
    trace = make(Path("x/t.csv"), ["a", "b"], np.array([[1.0, NAN], [-0.0, 2.5]]))
    assert trace.name == "t.csv"
    assert trace.digest == "c5b21a073e6630404e83deb5090bfb1d152655099fcb5c23d552ff22e2353f28"


def test_wide(tmp_path: Path) -> None:
    trace = loaded(tmp_path, "timestamp,b,a\n2,1.5,\n1,0,3e2\n")
    assert trace.name == "t.csv"
    assert trace.partitions == ("b", "a")
    np.testing.assert_array_equal(trace.rates, [[0.0, 300.0], [1.5, NAN]])


def test_long(tmp_path: Path) -> None:
    text = "rate,partition,timestamp\n3,x,20\n1,b,10\n2,a,10\n,b,20\n"
    trace = loaded(tmp_path, text)
    assert trace.partitions == ("b", "a", "x")
    np.testing.assert_array_equal(trace.rates, [[1.0, 2.0, NAN], [NAN, NAN, 3.0]])


def test_json(tmp_path: Path) -> None:
    text = '[{"t": {"1": 3, "0": 4.5}, "u": {"0": 0}}, {}, {"v": {"7": 1}, "t": {"0": null}}]'
    trace = loaded(tmp_path, text, "measured")
    assert trace.partitions == ("t/1", "t/0", "u/0", "v/7")
    expected = [[3, 4.5, 0, NAN], [NAN] * 4, [NAN, NAN, NAN, 1]]
    np.testing.assert_array_equal(trace.rates, expected)


@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t", "t.CSV"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_csv_of_any_name_mark_and_line_end(
    tmp_path: Path, name: str, mark: bytes, end: bytes
) -> None:
    for lines in ([b"Iteration , a", b"1, 5 ", b"", b"2,6"], [b"iteration,partition,rate"]):
        rows = lines if len(lines) > 1 else [*lines, b"1,a, 5 ", b"", b" 2 , a ,6"]
        trace = loaded(tmp_path, mark + end.join(rows) + end * 2, name)
        assert trace.partitions == ("a",)
        np.testing.assert_array_equal(trace.rates, [[5.0], [6.0]])


def test_quoted_names_may_hold_commas_and_line_ends(tmp_path: Path) -> None:
    trace = loaded(tmp_path, 'iteration,"a,b","c\nd"\n1,2,3\n')
    assert trace.partitions == ("a,b", "c\nd")
    trace = loaded(tmp_path, 'iteration,partition,rate\n1,"a,b",2\n1,"c\nd",3\n')
    assert trace.partitions == ("a,b", "c\nd")


@pytest.mark.parametrize(
    "times",
    [
        ["9", "10", "100"],
        ["-1", "0", "+2"],
        ["1.5", "1.75", "1e1"],
        ["1662395684.123456788", "1662395684.123456789", "1662395684.2"],
        ["2022-09-05 16:34:44", "2022-09-05T16:34:45", "2022-09-06"],
        ["2022-09-05T16:34:44Z", "2022-09-05T17:34:45+01:00", "2022-09-05T16:34:46+00:00"],
        ["2022-09-05T16:34:44.123456788Z", "2022-09-05T16:34:44.123456789Z", "2022-09-05T17:00Z"],
    ],
)
def test_times_are_put_in_order(tmp_path: Path, times: list[str]) -> None:
    shuffled = [(times[2], 3), (times[0], 1), (times[1], 2)]
    wide = "timestamp,p\n" + "".join(f"{time},{rate}\n" for time, rate in shuffled)
    long = "timestamp,partition,rate\n" + "".join(f"{time},p,{rate}\n" for time, rate in shuffled)
    for text in (wide, long):
        np.testing.assert_array_equal(loaded(tmp_path, text).rates, [[1.0], [2.0], [3.0]])


def test_texts_of_one_time_are_one_iteration(tmp_path: Path) -> None:
    text = "timestamp,partition,rate\n1,a,5\n1.0,b,6\n"
    np.testing.assert_array_equal(loaded(tmp_path, text).rates, [[5.0, 6.0]])
    zones = "2024-01-01T00:00Z,a,5\n2024-01-01T01:00+01:00,b,6\n"
    text = f"timestamp,partition,rate\n{zones}"
    np.testing.assert_array_equal(loaded(tmp_path, text).rates, [[5.0, 6.0]])


def test_an_iteration_may_be_without_partitions(tmp_path: Path) -> None:
    np.testing.assert_array_equal(
        loaded(tmp_path, "iteration,a\n1,\n2,5\n3,\n").rates, [[NAN], [5.0], [NAN]]
    )


HEADERS = [
    ("0.5,0.0078\n1.5,0.07\n", "has values '0.5,0.0078' where the names of the columns"),
    ("2022-09-05 16:34:44,0.69\n", "has values '2022-09-05 16:34:44,0.69'"),
    ("time,a\n1,2\n", "must be 'timestamp,partition,rate' or 'timestamp,<partition>"),
    ("a,timestamp\n1,2\n", "must be 'timestamp,partition,rate'"),
    ("timestamp,iteration,a\n1,2,3\n", "with one column timestamp or iteration"),
    ("timestamp,iteration,partition,rate\n1,1,a,3\n", "with one column timestamp or iteration"),
    ("partition,rate\na,3\n", "with one column timestamp or iteration"),
    ("timestamp,partition,rate,topic\n1,a,3,t\n", "has also 'topic'"),
    ("timestamp,partition,speed\n1,0,3\n", "lacks rate"),
    ("timestamp,partition\n1,0\n", "lacks rate"),
    ("timestamp,rate\n1,0\n", "lacks partition"),
    ("timestamp\n1\n", "has no partition"),
    ("timestamp,a,a\n1,2,3\n", "column 'a' occurs twice"),
    ("timestamp,a, a \n1,2,3\n", "column 'a' occurs twice"),
    ("timestamp,a,\n1,2,3\n", "column 3 has no name"),
    ("timestamp;a\n1;2\n", "columns are separated by commas"),
    ("timestamp\ta\n1\t2\n", "columns are separated by commas"),
    ('timestamp,"a"b\n1,2\n', "is not CSV"),
]


@pytest.mark.parametrize(("text", "words"), HEADERS)
def test_headers_that_are_none(tmp_path: Path, text: str, words: str) -> None:
    message = refusal(tmp_path, text)
    assert message.startswith(":1: ")
    assert words in message


BAD_CELLS = [
    ("x", "rate is 'x'"),
    ("-1", "rate is '-1'"),
    ("-1e-9", "rate is '-1e-9'"),
    ("nan", "rate is 'nan'"),
    ("NaN", "rate is 'NaN'"),
    ("inf", "rate is 'inf'"),
    ("-Infinity", "rate is '-Infinity'"),
    ("1e999", "rate is '1e999'"),
    ("null", "rate is 'null'"),
    ("1_000", "rate is '1_000'"),
    ("0x10", "rate is '0x10'"),
    ("٣", "rate is '٣'"),
    ("1 000", "rate is '1 000'"),
    ('"1,5"', "rate is '1,5'"),
    ("true", "rate is 'true'"),
    ("e", "rate is 'e'"),
    ("--1", "rate is '--1'"),
]


@pytest.mark.parametrize(("cell", "words"), BAD_CELLS)
def test_rates_that_are_none(tmp_path: Path, cell: str, words: str) -> None:
    message = refusal(tmp_path, f"iteration,a,b\n1,1,2\n\n2,5,{cell}\n3,1,1\n")
    assert message.startswith(":4: partition 'b': ")
    assert words in message
    assert "a rate is a number of bytes/s, at least 0" in message
    message = refusal(tmp_path, f"iteration,partition,rate\n1,a,1\n\n2,a,{cell}\n3,a,1\n")
    assert message.startswith(":4: ")
    assert words in message


@pytest.mark.parametrize("row", ["2", "2,a", "2,a,1,1", "2,a,1,", '2,a,"1'])
def test_rows_of_another_length(tmp_path: Path, row: str) -> None:
    for header in ("iteration,partition,rate\n1,a,5", "iteration,a,b\n1,3,5"):
        message = refusal(tmp_path, f"{header}\n{row}\n3,a,7\n")
        assert message.startswith((":3: ", ":4: "))
        assert "cells" in message or "is not CSV" in message


@pytest.mark.parametrize(
    ("column", "first", "wrong", "words"),
    [
        ("timestamp", "1", "x", "'x': must be a number"),
        ("timestamp", "1", "2024-01-01", "must be a number, as the first"),
        ("timestamp", "x", "1", "'x': must be an integer, epoch seconds, or ISO 8601"),
        ("timestamp", "nan", "1", "'nan': must be an integer"),
        ("timestamp", "1", "inf", "'inf': must be a number"),
        ("timestamp", "2024-01-01", "2024-13-01", "'2024-13-01': must be an integer"),
        ("timestamp", "2024-01-01", "5", "'5': must be an integer"),
        ("timestamp", "2024-01-01", "2024-01-01T00:00Z", "must have no time zone"),
        ("timestamp", "2024-01-01T00:00Z", "2024-01-01", "must have a time zone"),
        ("timestamp", "1", "", "must be a"),
        ("iteration", "1", "1.5", "'1.5': an iteration must be a whole number"),
        ("iteration", "1", "2024-01-01", "an iteration must be a whole number"),
        ("iteration", "1", "1e999", "an iteration must be a whole number"),
    ],
)
def test_times_that_are_none(
    tmp_path: Path, column: str, first: str, wrong: str, words: str
) -> None:
    line = 2 if first in ("x", "nan") else 3
    wide = f"{column},a\n{first},1\n{wrong},2\n"
    long = f"{column},partition,rate\n{first},a,1\n{wrong},a,2\n"
    for text in (wide, long):
        message = refusal(tmp_path, text)
        assert message.startswith(f":{line}: {column} is ")
        assert words in message


def test_a_time_and_partition_occur_once(tmp_path: Path) -> None:
    text = "timestamp,partition,rate\n1,a,1\n1,b,1\n2,a,1\n2,b,1\n1.0, b ,\n2,a,1\n"
    message = refusal(tmp_path, text)
    assert message.startswith(":6: partition 'b' occurs at this time already in ")
    assert f"{tmp_path}/t.csv:3: " in message
    message = refusal(tmp_path, "iteration,a\n3,1\n\n1,1\n3,2\n")
    assert message.startswith(":5: iteration '3' occurs already in line 2")


def test_a_long_row_names_its_partition(tmp_path: Path) -> None:
    message = refusal(tmp_path, "timestamp,partition,rate\n1,a,1\n1,  ,1\n")
    assert message.startswith(":3: partition is empty")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("timestamp,a\n", "has a header and no rows"),
        ("timestamp,partition,rate\n\n", "has a header and no rows"),
        ("timestamp,a,b\n1,,\n2,,\n", "has no rate at all"),
        ("timestamp,partition,rate\n1,a,\n", "has no rate at all"),
        ("\n \n", "nothing but blanks"),
        ("\ufeff", "nothing but blanks"),
    ],
)
def test_files_without_rates(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ":1: is not JSON"),
        ('[{"t": {"0": 1}},\n {"t": {"0": }}]', ":2: is not JSON"),
        ('[{"t": {"0": 1}}]\n[]', ":2: is not JSON"),
        ('{"t": {"0": 1}}', "must be a list of measurements"),
        ("[]", "has no measurement"),
        ("[{}]", "has no partition"),
        ('[{"t": {}}]', "has no partition"),
        ("[5]", "measurement 1 is 5"),
        ('[{"t": {"0": 1}}, [1]]', "measurement 2 is [1]"),
        ('[{"t": 5}]', "measurement 1, topic 't' is 5"),
        ('[{"0": 12.5}]', "topic '0' is 12.5: must map partitions to rates"),
        ('[{"t": {"0": {"a": 1}}}]', "partition '0': rate is {'a': 1}"),
        ('[{"t": {"0": true}}]', "rate is true"),
        ('[{"t": {"0": "5"}}]', "rate is '5'"),
        ('[{"t": {"0": 1}}, {"t": {"0": -1}}]', "measurement 2, topic 't', partition '0'"),
        ('[{"t": {"0": NaN}}]', "NaN, which is no number in JSON"),
        ('[{"t": {"0": -Infinity}}]', "-Infinity, which is no number in JSON"),
        ('[{"t": {"0": 1e999}}]', "rate is inf"),
        ('[{"t": {"0": 1' + "0" * 400 + "}}]", "rate is 1"),
        ('[{"t": {"0": 1' + "0" * 5000 + "}}]", "digits"),
        ('[{"t": {"0": 1, "0": 2}}]', "key '0' occurs twice"),
        ('[{"t": {"0": 1}, "t": {"1": 2}}]', "key 't' occurs twice"),
        ('[{"a/b": {"c": 1}, "a": {"b/c": 2}}]', "two partitions have the same name"),
        ('[{"t": {"0": null}}]', "has no rate at all"),
        ("[" * 100_000, "nested too deeply"),
        ("time,a\n1,2\n", ":1: is not JSON"),
    ],
)
def test_json_that_is_no_trace(tmp_path: Path, text: str, words: str) -> None:
    message = refusal(tmp_path, text, "t.json")
    assert words in message
    assert len(message) < 600


def parquet(folder: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return folder / "t.parquet"


def parquet_refusal(folder: Path, **columns: Any) -> str:
    with pytest.raises(InputError) as caught:
        load(parquet(folder, **columns))
    return str(caught.value).removeprefix(f"{folder / 't.parquet'}: ")


@pytest.mark.parametrize(
    "times",
    [
        pa.array([2, 1, 1]),
        pa.array([2.5, 1.5, 1.5]),
        pa.array([2_000_000_001, 2_000_000_000, 2_000_000_000], pa.timestamp("ns")),
        pa.array([2, 1, 1], pa.timestamp("us", tz="UTC")),
        pa.array([2, 1, 1], pa.date32()),
        pa.array(["10", "9", "9"]),
        pa.array(["2024-01-02", "2024-01-01", "2024-01-01"]).dictionary_encode(),
        pa.array(["2024-01-02", "2024-01-01", "2024-01-01"], pa.large_string()),
    ],
)
def test_parquet_times_of_any_type(tmp_path: Path, times: pa.Array) -> None:
    file = parquet(tmp_path, timestamp=times, partition=["a", "b", "a"], rate=[1, 2, None])
    trace = load(file)
    assert trace.partitions == ("b", "a")
    np.testing.assert_array_equal(trace.rates, [[2.0, NAN], [NAN, 1.0]])


@pytest.mark.parametrize(
    "rates",
    [
        pa.array([1, None], pa.int8()),
        pa.array([1, None], pa.uint64()),
        pa.array([1, None], pa.float32()),
        pa.array([1, None], pa.int64()).cast(pa.decimal128(25, 2)),
    ],
)
def test_parquet_rates_of_any_number_type(tmp_path: Path, rates: pa.Array) -> None:
    names = pa.array([7, 8])
    trace = load(parquet(tmp_path, iteration=[1, 1], partition=names, rate=rates))
    assert trace.partitions == ("7", "8")
    np.testing.assert_array_equal(trace.rates, [[1.0, NAN]])


def test_integers_beyond_doubles_are_rounded(tmp_path: Path) -> None:
    trace = load(parquet(tmp_path, iteration=[1], partition=["a"], rate=[2**60 + 1]))
    assert trace.rates[0, 0] == 2.0**60


def test_an_index_that_pandas_added_is_no_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"iteration": [1], "partition": ["a"], "rate": [5.0]}, index=["x"])
    frame.to_parquet(tmp_path / "t.parquet")
    assert load(tmp_path / "t.parquet").partitions == ("a",)


def test_parquet_is_known_by_its_content(tmp_path: Path) -> None:
    file = parquet(tmp_path, iteration=[1], partition=["a"], rate=[5.0])
    renamed = file.rename(tmp_path / "t.csv")
    assert load(renamed).partitions == ("a",)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"iteration": [1], "partition": ["a"]}, "has columns iteration, partition: must be"),
        ({"iteration": [1], "partition": ["a"], "rate": [1.0], "x": [1]}, "has columns iteration"),
        ({"time": [1], "partition": ["a"], "rate": [1.0]}, "must be exactly timestamp"),
        ({"iteration": [1, 1], "partition": ["a", "b"], "rate": [1.0, -1.0]}, "row 2: rate is -1"),
        ({"iteration": [1], "partition": ["a"], "rate": [NAN]}, "row 1: rate is nan"),
        ({"iteration": [1], "partition": ["a"], "rate": [np.inf]}, "row 1: rate is inf"),
        ({"iteration": [1], "partition": ["a"], "rate": [True]}, "rate has the type bool"),
        ({"iteration": [1], "partition": ["a"], "rate": ["1"]}, "rate has the type string"),
        ({"iteration": [1.5], "partition": ["a"], "rate": [1]}, "iteration has the type double"),
        ({"iteration": [True], "partition": ["a"], "rate": [1]}, "iteration has the type bool"),
        ({"timestamp": [1.0, NAN], "partition": ["a", "b"], "rate": [1, 1]}, "row 2: timestamp"),
        ({"timestamp": [1, None], "partition": ["a", "b"], "rate": [1, 1]}, "row 2: timestamp is"),
        ({"timestamp": ["1", "x"], "partition": ["a", "b"], "rate": [1, 1]}, "row 2: timestamp is"),
        ({"iteration": [1, 1], "partition": ["a", None], "rate": [1, 1]}, "row 2: partition is"),
        ({"iteration": [1, 1], "partition": ["a", " "], "rate": [1, 1]}, "row 2: partition is"),
        ({"iteration": [1], "partition": [1.5], "rate": [1]}, "partition has the type double"),
        (
            {"iteration": [1, 2, 1], "partition": ["a", "a", "a"], "rate": [1, 1, 1]},
            "row 3: partition 'a' occurs at this time already",
        ),
        ({"iteration": [1], "partition": ["a"], "rate": pa.array([None], pa.int8())}, "no rate"),
        (
            {
                "iteration": pa.array([], pa.int8()),
                "partition": pa.array([], pa.string()),
                "rate": pa.array([], pa.int8()),
            },
            "has no rows",
        ),
    ],
)
def test_parquet_that_is_no_trace(tmp_path: Path, columns: dict[str, Any], words: str) -> None:
    assert words in parquet_refusal(tmp_path, **columns)


def test_broken_parquet(tmp_path: Path) -> None:
    whole = parquet(tmp_path, iteration=[1], partition=["a"], rate=[5.0]).read_bytes()
    assert "is not readable as Parquet" in refusal(tmp_path, whole[:-20], "t.parquet")
    assert "is not a Parquet file" in refusal(tmp_path, "iteration,a\n1,2\n", "t.parquet")


@pytest.mark.parametrize("head", [b"\x1f\x8b\x08", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"])
def test_compressed_files_are_refused(tmp_path: Path, head: bytes) -> None:
    assert "is compressed" in refusal(tmp_path, head + b"x" * 50, "t.csv.gz")


@pytest.mark.parametrize("form", ["iteration,a", "iteration,partition,rate"])
def test_text_that_is_not_utf8_is_told_with_its_line(tmp_path: Path, form: str) -> None:
    row = "1,2" if form == "iteration,a" else "1,p,2"
    text = f"{form}\n{row}\n".encode() + b"2,\xe9\n"
    assert refusal(tmp_path, text).startswith(":3: is not UTF-8")
    assert refusal(tmp_path, b"iteration,\xe9\n1,2\n").startswith(":1: is not UTF-8")
    assert ":1: is UTF-16" in refusal(tmp_path, "iteration,a\n1,2\n".encode("utf-16"))
    assert ":2: is not UTF-8" in refusal(tmp_path, b'[{"t":\n{"\xe9": 1}}]')


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    for path, words in (
        (tmp_path / "none.csv", "not found"),
        (tmp_path, "is not a regular file"),
        (pipe, "is not a regular file"),
        (loop, "symbolic links"),
        (tmp_path / ("x" * 300), "name too long"),
        (tmp_path / "a\0b", "null"),
    ):
        with pytest.raises(InputError) as caught:
            load(path)
        assert words in str(caught.value)
    assert "is empty" in refusal(tmp_path, "")


def test_traces_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_RATES", 5)
    rows = "\n".join(f"{k},1,2" for k in range(3))
    assert "6 rates per stream: at most 5" in refusal(tmp_path, f"iteration,a,b\n{rows}\n")
    long = "\n".join(f"{k},p{k},2" for k in range(3))
    assert "9 rates" in refusal(tmp_path, f"iteration,partition,rate\n{long}\n")
    measured = ",".join('{"t": {"0": 1, "1": 2}}' for _ in range(3))
    assert "6 rates" in refusal(tmp_path, f"[{measured}]")
    monkeypatch.setattr(limits, "MAX_PARTITIONS", 1)
    assert "has 2 partitions: at most 1" in refusal(tmp_path, "iteration,a,b\n1,1,2\n")
    monkeypatch.setattr(limits, "MAX_ITERATIONS", 1)
    assert "has 2 times: at most 1" in refusal(tmp_path, "iteration,a\n1,1\n2,2\n")


def test_sparse_long_files_do_not_take_memory_for_what_is_not_there(tmp_path: Path) -> None:
    """A row each for 30,000 times and partitions would be a matrix of 7 GB."""
    rows = "".join(f"{k},p{k},1\n" for k in range(30_000))
    message = refusal(tmp_path, f"iteration,partition,rate\n{rows}")
    assert "900,000,000 rates per stream: at most 25,000,000" in message


def test_lines_are_right_in_large_files(tmp_path: Path) -> None:
    """Arrow reads blocks of a file at once: the line must be that of the file."""
    rows = [f"{k // 100},p{k % 100},1.5" for k in range(200_000)]
    rows[150_000] += "x"
    text = "\n".join(["iteration,partition,rate", "", *rows])
    assert refusal(tmp_path, text).startswith(":150003: rate is '1.5x'")
    rows[150_000] = "1500,p0"
    text = "\n".join(["iteration,partition,rate", "", *rows])
    assert refusal(tmp_path, text).startswith(":150003: has 2 cells")
