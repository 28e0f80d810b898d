"""Files that are cut, recordings with holes, and clocks that go back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.traces import load
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit
NAN = np.nan

CUT = "The last line has no line end"


@pytest.mark.parametrize(
    "text",
    [
        "timestamp,a\n0,1234.5\n60,12",
        "timestamp,rate\n0,1234.5\n60,12",
        "timestamp,partition,rate\n0,a,1234.5\n60,a,12",
        "timestamp,a,b\n0,5,1234.5\n60,6,",
        "0,1234.5\n60,12",
        "timestamp,partition,offset\n0,a,100\n60,a,1200\n120,a,24",
    ],
)
def test_a_file_that_is_cut_is_said(tmp_path: Path, text: str) -> None:
    assert any(CUT in note for note in loaded(tmp_path, text).notes)
    assert not any(CUT in note for note in loaded(tmp_path, text + "\n").notes)


def test_an_offset_that_is_cut_is_no_reset(tmp_path: Path) -> None:
    text = "timestamp,partition,offset\n0,a,100\n60,a,220\n120,a,34"
    trace = loaded(tmp_path, text)
    assert trace.rates.tolist() == [[2.0]]
    assert not any("reset" in note for note in trace.notes)
    assert loaded(tmp_path, text + "0").rates.tolist() == [[2.0], [2.0]]


@pytest.mark.parametrize(
    "text", ["timestamp,a,b\n0,5,6\n60,7", "timestamp,partition,rate\n0,a,5\n60,a"]
)
def test_a_row_that_is_cut_is_refused(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text).startswith(":3: must have 3 cells")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (["part-0000.parquet", "part-0001.parquet", "_SUCCESS"], "a folder of 2 part files"),
        (["part-0000-x.csv"], "name the file part-0000-x.csv"),
        ([], "is a folder; name a file"),
        (["trace.csv"], "is a folder; name a file"),
        (["part-1.json", "part-2.json"], "coalesce(1)"),
    ],
)
def test_folders(tmp_path: Path, parts: list[str], words: str) -> None:
    for part in parts:
        (tmp_path / part).touch()
    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert words in str(caught.value)


def test_holes_are_said_with_their_length(tmp_path: Path) -> None:
    """Four hours with a hole of two are not two hours without a word."""
    times = [60 * k for k in range(240) if not 60 <= k < 180]
    text = "timestamp,topic,partition,rate\n"
    text += "".join(f"{1_772_438_400 + at},parcels,0,5\n" for at in times)
    notes = " ".join(loaded(tmp_path, text).notes).replace("\u00a0", " ")
    assert "missing for 2 h 00 min after 1772441940." in notes
    assert "2 h 00 min of 4 h 00 min are recorded" in notes
    offsets = text.replace("rate", "offset")
    notes = " ".join(loaded(tmp_path, offsets).notes).replace("\u00a0", " ")
    assert "missing for 2 h" in notes
    assert "of 3 h 59 min are recorded" in notes


@pytest.mark.parametrize("times", [[0, 30, 60], [0, 30, 120], [0], [0, 86_400]])
def test_what_is_no_hole(tmp_path: Path, times: list[int]) -> None:
    assert loaded(tmp_path, "timestamp,a\n" + "".join(f"{at},5\n" for at in times)).notes == ()


LOCAL = ["02:00:10", "02:00:40", "02:30:10", "02:58:10", "02:59:40", "02:00:11", "02:30:11"]


@pytest.mark.parametrize("form", ["wide", "long", "offset"])
def test_the_hour_that_occurs_twice(tmp_path: Path, form: str) -> None:
    """Daylight saving time ends: the order of rows is not that of times."""
    head = (
        "timestamp,a"
        if form == "wide"
        else f"timestamp,partition,{'rate' if form == 'long' else form}"
    )
    name = "" if form == "wide" else ",0"
    rows = [f"2026-10-25 {at}{name},{5 * k}" for k, at in enumerate(LOCAL)]
    message = refusal(tmp_path, "\n".join([head, *rows, ""]))
    assert message.startswith(":7: ")
    assert "in UTC" in message
    zoned = [row.replace(",", "Z,", 1) for row in rows]
    if form != "offset":
        notes = loaded(tmp_path, "\n".join([head, *zoned, ""])).notes
        assert any("Times go back by" in note for note in notes)


@pytest.mark.parametrize(
    "form", ["timestamp,a\n{0},5\n{0},6\n", "timestamp,partition,rate\n{0},a,5\n{0},a,6\n"]
)
def test_a_time_that_occurs_twice(tmp_path: Path, form: str) -> None:
    assert "daylight saving" in refusal(tmp_path, form.format("2026-10-25 02:30:00"))
    assert "daylight saving" not in refusal(tmp_path, form.format("2026-10-25T02:30:00Z"))


def test_a_clock_that_jumps_back(tmp_path: Path) -> None:
    """Offsets in the order of the file rise; sorted by time they would be a reset."""
    rows = "0,a,0\n60,a,120\n120,a,240\n90,a,360\n150,a,480\n"
    message = refusal(tmp_path, f"timestamp,partition,offset\n{rows}")
    assert ":5: the clock went back" in message
    shuffled = "120,a,240\n0,a,0\n60,a,120\n"
    trace = loaded(tmp_path, f"timestamp,partition,offset\n{shuffled}")
    assert trace.rates.tolist() == [[2.0], [2.0]]
