"""The time of an import, and its pages."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.inputs.prometheus import time_range
from pipeline.inputs.prometheus.time_range import MOST_POINTS, MOST_SAMPLES, TimeRange

pytestmark = pytest.mark.unit

NOW = 1_714_564_830.5


@st.composite
def ranges(draw: st.DrawFn) -> TimeRange:
    step = draw(st.integers(1, 7_200))
    start = draw(st.integers(0, 10**9 // step)) * step
    return TimeRange(start, start + draw(st.integers(1, 50_000)) * step, step)


@given(ranges(), st.integers(1, 20_000))
def test_pages_have_all_times_once(whole: TimeRange, series: int) -> None:
    pages = list(time_range.pages(whole, series))
    assert pages[0].start == whole.start
    assert pages[-1].end == whole.end
    assert all(a.end + whole.step == b.start for a, b in pairwise(pages))
    assert sum(page.points for page in pages) == whole.points
    for page in pages:
        assert page.points <= MOST_POINTS
        assert page.points * series <= max(MOST_SAMPLES, series)


@given(ranges(), st.integers(1, 3_000))
def test_a_later_import_has_the_same_inner_pages(whole: TimeRange, later: int) -> None:
    moved = whole._replace(
        start=whole.start + later * whole.step, end=whole.end + later * whole.step
    )
    first, second = (list(time_range.pages(one, 3)) for one in (whole, moved))
    inner = {page for page in first[1:-1] if page.start > moved.start}
    assert inner - set(second) <= {second[0]}
    assert all(page in second for page in inner if page != second[0])


def test_lengths_and_times() -> None:
    assert time_range.asked("2d", None, "60s", NOW) == (1_714_392_060, 1_714_564_800, 60)
    given_times = ("2024-05-01T10:00:00Z", "2024-05-01T13:00+02:00")
    assert time_range.asked(*given_times, "30m", NOW) == (1_714_557_600, 1_714_561_200, 1_800)
    assert time_range.asked("2h", "1d", "1h", NOW).end <= NOW - 86_400


@pytest.mark.parametrize(
    ("since", "until", "step", "words"),
    [
        ("yesterday", None, "60s", "--since must be a length of time"),
        ("2", None, "60s", "--since must be a length of time"),
        ("2d", "x", "60s", "--until must be a length of time"),
        ("2d", None, "60", "--step must be a length of time"),
        ("2d", None, "0s", "--step must be a length of time"),
        ("2999-01-01", None, "60s", "--since must be before --until"),
        ("1h", "2999-01-01", "60s", "both in the past"),
        ("1m", None, "1h", "must give 2 to 1,000,000 times"),
        ("2w", None, "1s", "got 1,209,600"),
        ("99999999w", None, "1s", "times"),
    ],
)
def test_what_is_wrong_is_said(since: str, until: str | None, step: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        time_range.asked(since, until, step, NOW)
