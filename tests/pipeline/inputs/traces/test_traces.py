"""Recorded traces: what the three formats mean, and what is said of files that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.inputs.traces import load
from pipeline.inputs.traces.model import make
from tests.pipeline.inputs.traces.trace_files import loaded

pytestmark = pytest.mark.unit

NAN = np.nan
Writer = Callable[[Path, list[str], np.ndarray], Path]


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
    assert trace.partitions == ("a", "b")
    np.testing.assert_array_equal(trace.rates, [[300.0, 0.0], [NAN, 1.5]])


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("header", ["", "timestamp,rate", " Timestamp , RATE "])
def test_one_total_rate(tmp_path: Path, header: str, mark: str) -> None:
    """It has one column of its own name, as no partition is recorded."""
    rows = ["2022-09-05 16:34:45,0.77", "2022-09-05 16:34:44, 1e2 ", "", "2022-09-05 16:34:47,0"]
    trace = loaded(tmp_path, mark + "\r\n".join([header, *rows] if header else rows))
    assert trace.is_total
    assert trace.partitions == ("total",)
    np.testing.assert_array_equal(trace.rates, [[100.0], [0.77], [0.0]])
    assert trace.times is not None
    assert trace.times.in_seconds
    assert trace.times.at.tolist() == [0.0, 1.0, 3.0]


def test_one_total_rate_without_times_in_seconds(tmp_path: Path) -> None:
    trace = loaded(tmp_path, "iteration,rate\n1,5\n2,6\n")
    assert trace.is_total
    assert trace.times is not None
    assert not trace.times.in_seconds


def test_a_partition_may_have_any_name(tmp_path: Path) -> None:
    """Only a column named rate holds a total."""
    assert not loaded(tmp_path, "timestamp,total\n1,5\n").is_total
    assert not loaded(tmp_path, "timestamp,rates\n1,5\n").is_total
    assert not loaded(tmp_path, "timestamp,partition,rate\n1,total,5\n").is_total


def test_long(tmp_path: Path) -> None:
    text = "rate,partition,timestamp\n3,x,20\n1,b,10\n2,a,10\n,b,20\n"
    trace = loaded(tmp_path, text)
    assert trace.partitions == ("a", "b", "x")
    np.testing.assert_array_equal(trace.rates, [[2.0, 1.0, NAN], [NAN, NAN, 3.0]])


def test_json(tmp_path: Path) -> None:
    text = '[{"t": {"1": 3, "0": 4.5}, "u": {"0": 0}}, {}, {"v": {"7": 1}, "t": {"0": null}}]'
    trace = loaded(tmp_path, text, "measured")
    assert trace.partitions == ("t/0", "t/1", "u/0", "v/7")
    expected = [[4.5, 3, 0, NAN], [NAN] * 4, [NAN, NAN, NAN, 1]]
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
