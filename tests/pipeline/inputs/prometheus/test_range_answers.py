"""Answers as arrays, and pages as files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.base.errors import StageError
from pipeline.inputs.prometheus import range_answers, stored_pages
from pipeline.inputs.prometheus.stored_pages import StoredPages
from pipeline.inputs.prometheus.time_range import TimeRange

pytestmark = pytest.mark.unit

WHOLE = TimeRange(100, 150, 10)


def answer(*series: tuple[str, list[tuple[float, str]]], **said: Any) -> dict[str, Any]:
    result = [
        {"metric": {"partition": name}, "values": [list(pair) for pair in pairs]}
        for name, pairs in series
    ]
    data = {"resultType": "matrix", "result": result}
    return {"status": "success", "data": data, **said}


def test_pages_are_joined_by_time() -> None:
    pages = [
        answer(("a", [(100, "1"), (110, "2")]), ("b", [(110, "-1")])),
        answer(("a", [(120.004, "3"), (150, "NaN")]), ("c", [(120, "9")])),
    ]
    found = range_answers.values(pages, WHOLE, {("a",): 0, ("b",): 1}, ["partition"])
    np.testing.assert_array_equal(found[:, 0], [1, 2, 3, np.nan, np.nan, np.nan])
    assert np.isnan(found[:, 1]).all()
    assert range_answers.first_time(pages[0]) == 100
    assert range_answers.first_time(answer()) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": None},
        {"data": {"resultType": "vector", "result": []}},
        {"data": {"resultType": "matrix", "result": [5]}},
        answer(("a", [(90, "1")])),
        answer(("a", [(160, "1")])),
        answer(("a", [(100, "x")])),
        {"data": {"resultType": "matrix", "result": [{"metric": {}, "histograms": []}]}},
    ],
)
def test_other_answers_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(StageError, match="Prometheus has"):
        range_answers.check(wrong, WHOLE)


def test_too_many_series_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_answers, "MOST_SERIES", 1)
    with pytest.raises(StageError, match=r"at most 1 series \(got 2\); choose fewer topics"):
        range_answers.check(answer(("a", []), ("b", [])), WHOLE)


def test_pages_are_named_by_what_was_asked(tmp_path: Path) -> None:
    pages = StoredPages(tmp_path / "p", "http://a")
    pages.store("q", WHOLE, answer())
    assert pages.load("q", WHOLE) == answer()
    assert pages.file("q", WHOLE).name.endswith("-100-150.json")
    assert pages.load("other", WHOLE) is None
    assert pages.load("q", WHOLE._replace(step=5)) is None
    assert StoredPages(tmp_path / "p", "http://b").load("q", WHOLE) is None


def test_a_damaged_page_counts_as_missing(tmp_path: Path) -> None:
    pages = StoredPages(tmp_path / "p", "http://a")
    pages.store("q", WHOLE, answer())
    file = pages.file("q", WHOLE)
    file.write_bytes(file.read_bytes()[:-20])
    assert pages.load("q", WHOLE) is None


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = StoredPages(tmp_path / "t.csv.pages", "http://a")
    pages.store("q", WHOLE, answer())
    whole = pages.file("q", WHOLE).read_bytes()

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("pipeline.inputs.prometheus.stored_pages.json.dump", fails)
    with pytest.raises(StageError, match="No space left"):
        pages.store("q", WHOLE, answer(warnings=["new"]))
    assert [file.read_bytes() for file in pages.folder.iterdir()] == [whole]
    stored_pages.remove(tmp_path / "t.csv")
    assert not pages.folder.exists()
