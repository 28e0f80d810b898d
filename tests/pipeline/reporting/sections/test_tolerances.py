"""Rules that published figures are judged by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.tolerances import (
    Bound,
    Judged,
    Measured,
    bounded,
    by_own_rule,
    one_further,
    one_more_stream,
    shown,
)
from schemas.verdicts import CONSISTENT, NOT_COMPARABLE, NOT_REPRODUCED, OPEN, REPRODUCED

pytestmark = pytest.mark.unit


def judged(text: str, streams: Sequence[float]) -> Judged:
    return one_more_stream(Printed.of(text), "s", Measured(streams))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (11.0, 12.0, True),
        (11.84, 12.0, True),  # 11.84 is printed 11.8
        (11.86, 12.0, False),
        (11.0, 11.76, True),
        (11.0, 11.74, False),
    ],
)
def test_a_printed_number_stands_for_what_is_printed_so(
    low: float, high: float, expected: bool
) -> None:
    assert Printed.of("11.8").possible(low, high) is expected


def test_a_published_range_lies_within_as_a_whole() -> None:
    span = Printed.of("70,000 to 82,000")
    assert span.possible(70_000, 82_000)
    assert not span.possible(70_001, 82_000)
    assert not span.possible(70_000, 81_999)


def test_interval_ends_at_zero() -> None:
    one = judged("0", [0.0, 0.0, 5.0])
    assert one.low == 0.0
    assert one.verdict == CONSISTENT
    assert str(one.interval).startswith("0 to ")


@pytest.mark.parametrize(
    ("spread", "expected"),
    [(0.0, REPRODUCED), (0.7, REPRODUCED), (3.0, CONSISTENT), (40.0, CONSISTENT)],
)
def test_a_wide_interval_says_little(spread: float, expected: str) -> None:
    """Reproduced takes an interval no wider than 25 % of the published value to either side."""
    streams = 10.0 + spread * np.linspace(-1.0, 1.0, 20)
    one = judged("10", streams)
    assert one.verdict == expected
    assert (one.high - one.low <= 5.0) == (expected == REPRODUCED)


def test_outside_a_wide_interval_is_not_consistent() -> None:
    one = judged("100", [0.0, 10.0, 20.0])
    assert one.verdict == NOT_REPRODUCED


@pytest.mark.parametrize("values", [[], [1.0, np.inf], [np.nan, 1.0]])
def test_values_that_are_not_finite_give_no_verdict(values: list[float]) -> None:
    one = judged("1.0", values)
    assert one.verdict == NOT_COMPARABLE


def test_many_streams_bound_a_further_one_by_their_own_values() -> None:
    """A normal interval that is cut at 0 rejects no low value; skewed streams do."""
    streams = np.r_[np.linspace(30.0, 40.0, 90), np.linspace(100.0, 900.0, 10)]
    below = judged("5", streams)
    assert below.verdict == NOT_REPRODUCED
    assert (below.low, below.high) == (np.sort(streams)[1], np.sort(streams)[-2])
    inside = judged("35", streams)
    assert inside.verdict == CONSISTENT
    few = judged("5", streams[::3])
    assert (few.low, few.verdict) == (0.0, CONSISTENT)


@pytest.mark.parametrize(("count", "outside"), [(39, 1), (78, 1), (79, 2), (100, 2), (119, 3)])
def test_at_most_5_percent_of_further_streams_lie_outside(count: int, outside: int) -> None:
    one = one_further(np.arange(1.0, count + 1.0))
    assert (one.low, one.high) == (outside, count + 1 - outside)
    assert 2 * outside / (count + 1) <= 0.05 < 2 * (outside + 1) / (count + 1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 2.9], REPRODUCED), ([1.0, 3.0], NOT_REPRODUCED), ([0.4, 0.6], NOT_REPRODUCED)],
)
def test_all_bounds_have_to_hold(values: list[float], expected: str) -> None:
    rule = bounded(Bound("maximum", 1.0, "<", 3.0), Bound("median", 0.5, "≥", 1.0))
    one = rule(Printed.of("about 2"), "s", Measured(values, "ours"))
    assert (one.verdict, one.ours, one.our_value) == (expected, "ours", max(values))
    assert one.note.replace("\u00a0", " ") == "required: maximum < 3 s, median ≥ 1 s"


def test_a_bound_is_kept_at_its_limit_unless_it_says_below() -> None:
    signs = {sign: Bound("maximum", 1.0, sign, 2.0).holds([1.0, 2.0]) for sign in "<≤≥"}
    assert signs == {"<": False, "≤": True, "≥": True}


def test_what_is_only_shown_has_its_median() -> None:
    one = shown(Printed.of("30"), "s", Measured([1.0, 2.0, 9.0], "ours"))
    assert (one.verdict, one.ours, one.our_value) == (NOT_COMPARABLE, "ours", 2.0)


def test_a_claim_with_its_own_rule_has_the_interval_of_our_value() -> None:
    known = Measured((0.5,), "0.5 in 9 seeds", (0.2, 0.8), OPEN)
    one = by_own_rule(Printed("It works."), "", known)
    assert (one.verdict, one.low, one.high, one.interval) == (OPEN, 0.2, 0.8, "0.20 to 0.80")
    assert by_own_rule(Printed("It works."), "", Measured((0.5,), says=OPEN)).interval is None
