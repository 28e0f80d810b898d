"""Timestamps that are numbers: seconds, milliseconds and finer, in every form that has them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.inputs.traces import Trace, epochs, load
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

START = 1_772_438_400
AT = datetime(2026, 3, 2, 8, tzinfo=UTC)
UNITS = ["s", "ms", "us", "ns"]


def numbers(unit: str, *seconds: int) -> list[int]:
    return [(START + second) * epochs.UNITS[unit] for second in seconds]


def text_of(form: str, times: list[int]) -> str:
    """Two messages/s on one partition, in a form of text."""
    if form == "long offsets":
        rows = (f"{at},parcels,0,{120 * k}" for k, at in enumerate(times))
        return "\n".join(["timestamp,topic,partition,offset", *rows, ""])
    if form == "long rates":
        return "\n".join(["timestamp,partition,rate", *(f"{at},0,2" for at in times), ""])
    if form == "wide":
        return "\n".join(["timestamp,parcels/0", *(f"{at},2" for at in times), ""])
    if form == "total":
        return "\n".join([*(f"{at},2" for at in times), ""])
    if form == "grafana":
        return "\n".join(["Time,parcels/0,parcels/1", *(f"{at},2.0,2.5" for at in times), ""])
    rows = (f"{at}\nparcels:0:{120 * k}" for k, at in enumerate(times))
    return "\n".join([*rows, ""])


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "form", ["long offsets", "long rates", "wide", "total", "grafana", "snapshots"]
)
def test_every_form_knows_the_unit_of_its_times(tmp_path: Path, form: str, unit: str) -> None:
    trace = loaded(tmp_path, text_of(form, numbers(unit, 0, 60, 120)))
    assert set(trace.rates[:, 0].tolist()) == {2.0}
    assert trace.times is not None
    assert np.diff(trace.times.at).tolist() == [60.0] * (len(trace.rates) - 1)
    assert trace.started_at == AT


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", ["integer", "float", "text"])
def test_parquet_knows_the_unit_of_its_times(tmp_path: Path, unit: str, kind: str) -> None:
    times = numbers(unit, 0, 60, 120)
    column = {
        "integer": pa.array(times),
        "float": pa.array(list(map(float, times))),
        "text": pa.array(list(map(str, times))),
    }[kind]
    file = tmp_path / "t.parquet"
    pq.write_table(
        pa.table({"timestamp": column, "partition": [0] * 3, "offset": [0, 120, 240]}), file
    )
    trace = load(file)
    assert trace.rates.tolist() == [[2.0], [2.0]]
    assert trace.started_at == AT


def test_a_guess_is_said(tmp_path: Path) -> None:
    text = text_of("wide", numbers("ms", 0, 60))
    assert any("Timestamps are milliseconds" in note for note in loaded(tmp_path, text).notes)
    file = tmp_path / "t.csv"
    assert not any("milliseconds" in note for note in load(file, timestamps="ms").notes)
    assert not any(
        "seconds" in note for note in loaded(tmp_path, text_of("wide", numbers("s", 0, 60))).notes
    )


@pytest.mark.parametrize("form", ["long offsets", "long rates", "wide", "total", "snapshots"])
def test_the_unit_can_be_set(tmp_path: Path, form: str) -> None:
    """Milliseconds since the start of a test, which no rule can know."""
    file = tmp_path / "t.csv"
    first = 100_000_000 if form == "snapshots" else 0
    file.write_text(text_of(form, [first, first + 60_000, first + 120_000]))
    trace = load(file, timestamps="ms")
    assert trace.times is not None
    assert trace.times.at[1] == 60.0
    assert set(trace.rates[:, 0].tolist()) == {2.0}
    assert trace.started_at is None or form == "snapshots"


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([0, 60_000, 120_000], "can be seconds or milliseconds, with steps of 60,000"),
        ([5_000, 35_000, 65_000], "can be seconds or milliseconds"),
        ([202603020800, 202603020801], "dates without marks"),
        ([20260302080000, 20260302080100], "dates without marks"),
        ([20260302, 20260303], "dates without marks"),
        ([2026030208, 2026030209], "dates without marks"),
        ([46083.333333, 46083.334028, 46083.334722], "days of a spreadsheet"),
        ([0, START * 1000], "no times after 2001"),
        ([START, START * 1000], "no times after 2001"),
        ([START * 10**12], "no times after 2001"),
        ([-START * 1000, 5], "no times after 2001"),
    ],
)
def test_what_cannot_be_known_is_refused(tmp_path: Path, times: list[float], words: str) -> None:
    rows = "".join(f"{at},5\n" for at in times)
    message = refusal(tmp_path, f"timestamp,a\n{rows}")
    assert words in message
    assert "--timestamps" in message


@pytest.mark.parametrize(
    "times", [[0, 60], [0, 3600, 7200], [0, 86_400], [0.5, 1.5, 2.5], [START, START + 0.25], [7]]
)
def test_seconds_stay_seconds(tmp_path: Path, times: list[float]) -> None:
    trace = loaded(tmp_path, "timestamp,a\n" + "".join(f"{at},5\n" for at in times))
    assert trace.times is not None
    assert trace.times.at[-1] == times[-1] - times[0]
    assert not trace.notes


def test_options_are_refused_where_they_mean_nothing(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text('[{"t": {"0": 5}}]')
    with pytest.raises(InputError, match="--timestamps does not apply to JSON"):
        load(file, timestamps="ms")
    with pytest.raises(InputError, match="--timestamps must be s, ms, us or ns"):
        load(file, timestamps="min")


@given(
    st.sampled_from(UNITS),
    st.integers(1_100_000_000, 4_000_000_000),
    st.lists(st.integers(1, 10_000), min_size=1, max_size=20),
)
def test_any_recording_of_this_century_is_recognised(
    unit: str, start: int, steps: list[int]
) -> None:
    """Of numbers that are dates without marks, only those in seconds are not tried here."""
    times = [Decimal(int(at) * epochs.UNITS[unit]) for at in np.cumsum([start, *steps])]
    if unit == "s" and 2_000_000_000 <= start < 2_100_000_000:
        return
    assert epochs.unit_of(times) == unit


def started(folder: Path, first: str) -> datetime | None:
    trace: Trace = loaded(folder, f"timestamp,a\n{first},5\n")
    return trace.started_at


def test_the_start_is_in_utc(tmp_path: Path) -> None:
    assert started(tmp_path, "2026-03-02T08:00:00Z") == AT
    assert started(tmp_path, "2026-03-02T09:00:00+01:00") == AT
    assert started(tmp_path, "2026-03-02 08:00:00") == AT
    assert started(tmp_path, "2026-03-02") == AT - timedelta(hours=8)
    assert started(tmp_path, "2026-03-02T08:00:00.123456789Z") == AT + timedelta(
        microseconds=123456
    )
    assert started(tmp_path, str(START)) == AT
    assert started(tmp_path, "0") is None
    assert loaded(tmp_path, "iteration,a\n1772438400,5\n").started_at is None
    assert loaded(tmp_path, '[{"t": {"0": 5}}]', "t.json").started_at is None
