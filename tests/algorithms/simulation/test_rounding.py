"""Numbers are rounded as in exact decimals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from algorithms.simulation.rounding import six_decimals

pytestmark = pytest.mark.unit


@given(st.floats(0.0, 1e15))
@example(0.0078125)
@example(0.0234375)
@example(2.5e-6)
@example(4503599627.370496)
def test_as_python_rounds(x: float) -> None:
    """Ties of the binary value go to the even digit: 0.0078125 to 0.007812."""
    assert six_decimals(x) == pytest.approx(round(x, 6), rel=3e-16)
    if x < 4e9:
        assert six_decimals(x) == round(x, 6)


def test_near_ties() -> None:
    """Where scaling by a million rounds to a tie that is none."""
    rng = np.random.default_rng(1)
    ties = (rng.integers(0, 10**9, 20_000) + 0.5) / 1e6
    for x in (*ties, *np.nextafter(ties, 0.0), *np.nextafter(ties, 1e9)):
        assert six_decimals(float(x)) == round(float(x), 6)
