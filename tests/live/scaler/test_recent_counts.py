"""Counts of the last hour, and their file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algorithms.autoscaling.blind_answers import HOUR_S
from live.scaler import recent_counts
from live.scaler.recent_counts import RecentCounts

pytestmark = pytest.mark.unit

OF = {"shop/billing": "d1"}


def test_counts_are_of_the_hour_before_the_newest() -> None:
    recent = RecentCounts()
    assert (recent.last, recent.greatest) == (None, 0)
    for at_s, count in ((0.0, 9), (10.0, 9), (20.0, 4), (HOUR_S + 10, 5)):
        recent.add(at_s, count)
    # The 9 was in force until 10 s, an hour ago.
    assert (recent.last, recent.greatest) == (5, 9)
    recent.add(HOUR_S + 11, 3)
    assert recent.rows == [(20.0, 4), (HOUR_S + 10, 5), (HOUR_S + 11, 3)]


def test_a_file_keeps_them_for_another_clock(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    counts = RecentCounts([(100.0, 9), (200.0, 4)])
    recent_counts.save(file, {"shop/billing": ("d1", counts)}, 1_000_000.0)
    assert [*tmp_path.iterdir()] == [file]
    loaded = recent_counts.load(file, OF, 50.0, 1_000_210.0)
    assert loaded["shop/billing"].rows == [(-60.0, 9), (40.0, 4)]


def test_a_file_keeps_that_a_group_was_idle(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    counts = RecentCounts([(100.0, 9), (200.0, 0)])
    recent_counts.save(file, {"shop/billing": ("d1", counts)}, 0.0)
    loaded = recent_counts.load(file, OF, 210.0, 210.0)["shop/billing"]
    assert (loaded.last, loaded.greatest) == (0, 9)


def test_a_jump_of_the_wall_clock_forgets_or_keeps_but_never_ends_later(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    recent_counts.save(file, {"shop/billing": ("d1", RecentCounts([(0.0, 9)]))}, 1_000_000.0)
    back = recent_counts.load(file, OF, 50.0, 900_000.0)
    assert back["shop/billing"].rows == [(50.0, 9)]
    ahead = recent_counts.load(file, OF, 50.0, 1_000_000.0 + HOUR_S + 1)
    assert ahead["shop/billing"].rows == []


def test_counts_of_other_settings_say_nothing(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    recent_counts.save(file, {"shop/billing": ("d0", RecentCounts([(0.0, 9)]))}, 0.0)
    assert recent_counts.load(file, OF, 0.0, 0.0) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"groups": {"shop/billing": {"of": "d1", "counts": [[0]]}}}',
        '{"groups": {"shop/billing": {"of": "d1", "counts": [[0, -1]]}}}',
        '{"groups": {"shop/billing": {"of": "d1", "counts": [[0, 2.5]]}}}',
        '{"groups": {"shop/billing": {"of": "d1", "counts": [[NaN, 2]]}}}',
        json.dumps({"groups": {"shop/billing": {"of": "d1", "counts": [["x", 2]]}}}),
    ],
)
def test_a_damaged_file_is_no_history(tmp_path: Path, text: str) -> None:
    file = tmp_path / "history.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"."):
        recent_counts.load(file, OF, 0.0, 0.0)
