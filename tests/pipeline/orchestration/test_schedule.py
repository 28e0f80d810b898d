"""What the environment says of the DAGs' times: taken as it is meant, or refused by name."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from pipeline.base.errors import InputError
from pipeline.orchestration import schedule
from pipeline.settings.presets import PRESETS

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is set."""
    for name in (schedule.SCHEDULE, schedule.PRESET, schedule.DEADLINE, schedule.FACTOR):
        monkeypatch.delenv(name, raising=False)


def test_without_settings_it_is_one_in_the_night() -> None:
    assert schedule.nightly_schedule() == "0 1 * * *"
    assert schedule.nightly_preset() == "nightly"
    assert schedule.deadline() == timedelta(hours=3)
    assert schedule.time_limit("stage") == timedelta(hours=4)


@pytest.mark.parametrize("text", ["30 2 * * 1-5", "@daily", " 0 */6 * * * "])
def test_a_schedule_can_be_chosen(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(schedule.SCHEDULE, text)
    assert schedule.nightly_schedule() == text.strip()


@pytest.mark.parametrize(
    "text", ["", "every night", "0 25 * * *", "0 0 1 * * *", "1 *", "@nightly"]
)
def test_what_is_no_schedule_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(schedule.SCHEDULE, text)
    with pytest.raises(InputError, match=rf"NIGHTLY_SCHEDULE .*cron.*{re.escape(repr(text))}"):
        schedule.nightly_schedule()


def test_any_preset_can_be_the_nights(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PRESETS:
        monkeypatch.setenv(schedule.PRESET, name)
        assert schedule.nightly_preset() == name
    monkeypatch.setenv(schedule.PRESET, "weekly")
    with pytest.raises(InputError, match=r"NIGHTLY_PRESET must be one of paper, .*'weekly'"):
        schedule.nightly_preset()


@pytest.mark.parametrize(
    ("text", "hours"), [("0.5", 0.5), ("12", 12), ("8760", 8760), ("0", None), ("0.0", None)]
)
def test_the_deadline_can_be_moved_or_left_out(
    monkeypatch: pytest.MonkeyPatch, text: str, hours: float | None
) -> None:
    monkeypatch.setenv(schedule.DEADLINE, text)
    expected = None if hours is None else timedelta(hours=hours)
    assert schedule.deadline() == expected


@pytest.mark.parametrize("text", ["-1", "8761", "nan", "inf", "three", ""])
def test_a_deadline_is_a_number_of_hours(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(schedule.DEADLINE, text)
    with pytest.raises(InputError, match=rf"DEADLINE_HOURS .* 0 and 8760 .*{text!r}"):
        schedule.deadline()


def test_time_limits_can_be_raised_together_and_not_lowered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = schedule.time_limit("check")
    monkeypatch.setenv(schedule.FACTOR, "2.5")
    assert schedule.time_limit("check") == 2.5 * before
    monkeypatch.setenv(schedule.FACTOR, "0.5")
    with pytest.raises(InputError, match=r"TIME_LIMIT_FACTOR .* 1 and 1000 .*'0\.5'"):
        schedule.time_limit("check")
