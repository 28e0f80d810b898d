"""Traces in Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.traces import load
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

NAN = np.nan


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
    assert trace.partitions == ("a", "b")
    np.testing.assert_array_equal(trace.rates, [[NAN, 2.0], [1.0, NAN]])


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


def test_parquet_has_topics_as_long_csv_has(tmp_path: Path) -> None:
    file = parquet(
        tmp_path, timestamp=[0, 0, 30], topic=["b", "a", "b"], partition=[1, 1, 1], rate=[5, 6, 7]
    )
    trace = load(file)
    assert trace.partitions == ("a/1", "b/1")
    np.testing.assert_array_equal(trace.rates, [[6.0, 5.0], [NAN, 7.0]])


@pytest.mark.parametrize("is_text", [True, False])
def test_parquet_offsets_become_rates_as_those_of_csv_do(tmp_path: Path, is_text: bool) -> None:
    """Messages since the last reading, divided by the time; the last rate holds for a step."""
    seconds = [0, 60, 0, 60]
    texts = [f"2024-05-01T12:0{s // 60}:00Z" for s in seconds]
    times = pa.array(texts) if is_text else pa.array(seconds, pa.timestamp("s", tz="UTC"))
    offsets = [100, 160, 5, 605]
    trace = load(
        parquet(tmp_path, timestamp=times, topic=["t"] * 4, partition=[0, 0, 1, 1], offset=offsets)
    )
    rows = zip(texts, (0, 0, 1, 1), offsets, strict=True)
    lines = ["timestamp,topic,partition,offset", *(f"{at},t,{p},{n}" for at, p, n in rows)]
    same = loaded(tmp_path, "\n".join(lines))
    assert trace.partitions == same.partitions == ("t/0", "t/1")
    assert trace.rates.tolist() == same.rates.tolist() == [[1.0, 10.0]]
    assert (trace.form, trace.unit) == ("Parquet, offsets turned into rates", "messages/s")


def test_parquet_is_known_by_its_content(tmp_path: Path) -> None:
    file = parquet(tmp_path, iteration=[1], partition=["a"], rate=[5.0])
    renamed = file.rename(tmp_path / "t.csv")
    assert load(renamed).partitions == ("a",)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"iteration": [1], "partition": ["a"]}, "got columns iteration, partition"),
        ({"iteration": [1], "partition": ["a"], "rate": [1.0], "x": [1]}, "got columns iteration"),
        ({"time": [1], "partition": ["a"], "rate": [1.0]}, "columns must be"),
        ({"iteration": [1, 1], "partition": ["a", "b"], "rate": [1.0, -1.0]}, "row 2: rate must"),
        ({"iteration": [1], "partition": ["a"], "rate": [NAN]}, "row 1: rate must"),
        ({"iteration": [1], "partition": ["a"], "rate": [np.inf]}, "got inf"),
        ({"iteration": [1], "partition": ["a"], "rate": [True]}, "got type bool"),
        ({"iteration": [1], "partition": ["a"], "rate": ["1"]}, "got type string"),
        ({"iteration": [1.5], "partition": ["a"], "rate": [1]}, "iteration must"),
        ({"iteration": [True], "partition": ["a"], "rate": [1]}, "iteration must"),
        ({"timestamp": [1.0, NAN], "partition": ["a", "b"], "rate": [1, 1]}, "row 2: timestamp"),
        (
            {"timestamp": [1, None], "partition": ["a", "b"], "rate": [1, 1]},
            "row 2: timestamp must",
        ),
        (
            {"timestamp": ["1", "x"], "partition": ["a", "b"], "rate": [1, 1]},
            "row 2: timestamp must",
        ),
        ({"iteration": [1, 1], "partition": ["a", None], "rate": [1, 1]}, "row 2: partition must"),
        ({"iteration": [1, 1], "partition": ["a", " "], "rate": [1, 1]}, "row 2: partition must"),
        ({"iteration": [1], "partition": [1.5], "rate": [1]}, "partition must"),
        ({"iteration": [1], "topic": [1.5], "partition": [1], "rate": [1]}, "topic must be text"),
        (
            {"iteration": [1], "topic": [None], "partition": [1], "rate": [1]},
            "topic must be text or an integer (got type null)",
        ),
        (
            {
                "iteration": [1],
                "topic": pa.array([None], pa.string()),
                "partition": [1],
                "rate": [1],
            },
            "row 1: topic must not be null",
        ),
        (
            {"timestamp": [1, 2], "partition": [1, 1], "offset": [1, -2]},
            "row 2: offset must be a number, 0 or more (got -2",
        ),
        ({"iteration": [1], "partition": [1], "offset": [1]}, "offsets need a column timestamp"),
        (
            {"timestamp": [1], "partition": [1], "offset": [1], "rate": [1]},
            "see docs/traces.md",
        ),
        (
            {"iteration": [1, 2, 1], "partition": ["a", "a", "a"], "rate": [1, 1, 1]},
            "row 3: duplicate row for partition 'a'",
        ),
        ({"iteration": [1], "partition": ["a"], "rate": pa.array([None], pa.int8())}, "one rate"),
        (
            {
                "iteration": pa.array([], pa.int8()),
                "partition": pa.array([], pa.string()),
                "rate": pa.array([], pa.int8()),
            },
            "no rows",
        ),
    ],
)
def test_parquet_that_is_no_trace(tmp_path: Path, columns: dict[str, Any], words: str) -> None:
    assert words in parquet_refusal(tmp_path, **columns)


def test_broken_parquet(tmp_path: Path) -> None:
    whole = parquet(tmp_path, iteration=[1], partition=["a"], rate=[5.0]).read_bytes()
    assert "Parquet" in refusal(tmp_path, whole[:-20], "t.parquet")
    assert "not a Parquet file" in refusal(tmp_path, "iteration,a\n1,2\n", "t.parquet")


@pytest.mark.parametrize(
    ("times", "at"),
    [
        (pa.array([-100, 20, 100], pa.int8()), [0, 120, 200]),
        (pa.array([-(2**63), 0, 2**63 - 1]), [0, 2.0**63, 2.0**64]),
        (pa.array([0, 5, 2**64 - 1], pa.uint64()), [0, 5, 2.0**64]),
        (pa.array([1.5, 2.0, 4.0], pa.float32()), [0, 0.5, 2.5]),
        (pa.array([0, 1_500, 3_000], pa.timestamp("ms", tz="UTC")), [0, 1.5, 3]),
        (pa.array([0, 1_500, 3_000], pa.timestamp("ns")), [0, 1.5e-6, 3e-6]),
        (pa.array([0, 1, 3], pa.date32()), [0, 86_400, 3 * 86_400]),
        (pa.array([0, 1, 3], pa.date32()).cast(pa.date64()), [0, 86_400, 3 * 86_400]),
        (pa.array([0, 1, 3], pa.time32("s")), [0, 1, 3]),
        (pa.array([0, 1, 3], pa.duration("s")), [0, 1, 3]),
        (pa.array(["9", "10", "12"]), [0, 1, 3]),
    ],
)
def test_seconds_of_parquet_times(tmp_path: Path, times: pa.Array, at: list[float]) -> None:
    shuffled = times.take(pa.array([1, 0, 2]))
    file = parquet(tmp_path, timestamp=shuffled, partition=["a"] * 3, rate=[1, 2, 3])
    trace_times = load(file, timestamps="s").times
    assert trace_times is not None
    assert trace_times.at.tolist() == pytest.approx(at)
    assert trace_times.first
    assert trace_times.last


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([["a"]]), "list"),
        (pa.array([["a"]], pa.list_(pa.string(), 1)), "fixed_size_list"),
        (pa.array([{"partition": "a"}]), "struct"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())), "map"),
        (pa.array([[["a"]]]), "list"),
        (pa.array([b"a"]), "binary"),
        (pa.array([b"a"], pa.large_binary()), "large_binary"),
        (pa.array([b"aa"], pa.binary(2)), "fixed_size_binary"),
        (pa.array([b"a" * 16], pa.uuid()), "extension"),
        (pa.array(["1"], pa.json_()), "extension"),
        (pa.array([None]), "null"),
        (pa.array([True]), "bool"),
        (pa.array([b"a"]).dictionary_encode(), "binary"),
    ],
)
@pytest.mark.parametrize("name", ["timestamp", "iteration", "partition", "rate"])
def test_other_types_are_refused_before_they_are_read(
    tmp_path: Path, name: str, column: pa.Array, kind: str
) -> None:
    columns = {"iteration": [1], "partition": ["a"], "rate": [1.0]}
    if name == "timestamp":
        del columns["iteration"]
    said = parquet_refusal(tmp_path, **(columns | {name: column}))
    assert said.startswith(f"{name} must be ")
    assert f"(got type {kind})" in said


@pytest.mark.parametrize(
    "names",
    [
        pa.array(["a", "b"], pa.string_view()),
        pa.array(["a", "b"], pa.large_string()),
        pa.array(["a", "b"], pa.large_string()).dictionary_encode(),
        pa.array([7, 8]).dictionary_encode(),
        pa.array([7, 8], pa.uint8()),
    ],
)
def test_names_of_any_text_or_integer_type(tmp_path: Path, names: pa.Array) -> None:
    trace = load(parquet(tmp_path, iteration=[1, 1], partition=names, rate=[1, 2]))
    assert trace.partitions == tuple(map(str, names.to_pylist()))


@pytest.mark.parametrize(
    "rates",
    [
        pa.array([1, 2]).dictionary_encode(),
        pa.array([1.0, 2.0], pa.float16()),
        pa.array([1, 2]).cast(pa.decimal256(40, 2)),
        pa.array([1, 2]).cast(pa.decimal128(25, 2)),
    ],
)
def test_rates_of_any_type_of_numbers(tmp_path: Path, rates: pa.Array) -> None:
    trace = load(parquet(tmp_path, iteration=[1, 1], partition=["a", "b"], rate=rates))
    np.testing.assert_array_equal(trace.rates, [[1.0, 2.0]])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_of_any_unit(tmp_path: Path, unit: str) -> None:
    times = pa.array([0, 30 * 10**9], pa.timestamp("ns")).cast(pa.timestamp(unit))
    trace_times = load(parquet(tmp_path, timestamp=times, partition=["a"] * 2, rate=[1, 2])).times
    assert trace_times is not None
    assert trace_times.at.tolist() == pytest.approx([0.0, 30.0])


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    raw = pa.Array.from_buffers(pa.string(), 1, [None, *pa.array([b"\xff"]).buffers()[1:]])
    for columns in ({"iteration": [1], "partition": raw}, {"iteration": raw, "partition": ["a"]}):
        assert "Parquet" in parquet_refusal(tmp_path, **columns, rate=[1.0])
