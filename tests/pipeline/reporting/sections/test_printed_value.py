"""Numbers as they are printed, and ours beside them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reporting.sections.printed_value import Printed

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("97.4", 97.4, 1),
        ("100", 100.0, 0),
        ("3,946,980", 3_946_980.0, 0),
        ("217.33\u00a0s", 217.33, 2),
        ("85.6 (85.4 in the section before)", 85.6, 1),
    ],
)
def test_the_first_number_counts(text: str, value: float, decimals: int) -> None:
    assert Printed.of(text) == Printed(text, value, value, decimals)


def test_a_bound_has_a_sign_and_no_digits() -> None:
    for printed in (Printed.of("< 1"), Printed.of("never above 1")):
        assert (printed.value, printed.is_bound) == (1.0, True)
        assert [printed.difference(value) for value in (0.724, 1.3)] == ["-", "+"]


def test_a_text_without_a_number_has_no_value() -> None:
    printed = Printed.of("C0: none".replace("0", ""))
    assert math.isnan(printed.value)
    assert printed.difference(3.0) is None


@pytest.mark.parametrize(
    ("text", "value", "matches"),
    [
        ("32.7", 32.71666, True),
        ("414.11", 414.11666, True),  # cut off; rounded it would be 414.12
        ("414.12", 414.11666, True),
        ("414.11", 414.18333, False),
        ("600", 600.58333, True),
        ("25.5", 25.39, False),
        ("6", 5.0, False),
        ("100", math.inf, False),
    ],
)
def test_printed_like(text: str, value: float, matches: bool) -> None:
    assert Printed.of(text).matches(value) is matches


@given(st.integers(0, 10**6), st.integers(0, 3), st.floats(0.0, 0.999))
def test_every_value_matches_what_is_printed_of_it(whole: int, decimals: int, rest: float) -> None:
    value = (whole + rest) / 10**decimals
    for printed in (f"{value:.{decimals}f}", f"{whole / 10**decimals:.{decimals}f}"):
        assert Printed.of(printed).matches(value)
    further = f"{(whole + 2) / 10**decimals:.{decimals}f}"
    assert not Printed.of(further).matches(value)


def test_differences_have_the_sign_of_ours_less_theirs() -> None:
    printed = Printed.of("25.5")
    assert [printed.difference(value) for value in (25.4, 25.52, 25.7)] == ["-", "=", "+"]
    assert printed.difference(math.nan) is None
    assert printed.difference(math.inf) == "+"


def test_our_values_show_more_decimals_unless_they_are_whole() -> None:
    assert Printed.of("100").beside(99.9876) == "99.988"
    assert Printed.of("6").beside(4.0) == "4"
    assert Printed.of("392.15").beside(401.5) == "401.500"
    assert Printed.of("6").beside(math.nan) == "–"
