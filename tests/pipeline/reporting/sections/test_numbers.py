"""Numbers as readers see them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reporting.sections import numbers

pytestmark = pytest.mark.unit

UNITS = {"%": 100, "in a million": 1_000_000}


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1.0, "100 %"),
        (3 / 480, "0.63 %"),
        (3 / 1200, "0.25 %"),
        (0.0003, "0.030 %"),
        # Two decimals of a percentage would say 0.00 %.
        (3 / 864_847, "3.5 in a million"),
        (3 / 382_456, "7.9 in a million"),
        (3e-9, "0.0030 in a million"),
    ],
)
def test_a_bound_of_a_share(share: float, text: str) -> None:
    assert numbers.at_most(share).replace("\xa0", " ") == text


@given(st.integers(4, 10**12))
def test_a_bound_is_not_below_the_share_and_close_to_it(records: int) -> None:
    value, unit = numbers.at_most(3 / records).split("\xa0")
    bound = Fraction(value) / UNITS[unit]
    share = Fraction(str(3 / records))
    assert share <= bound <= share * Fraction(11, 10)
