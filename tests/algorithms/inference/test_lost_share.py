"""The bound of what may be lost."""

from __future__ import annotations

import pytest

from algorithms.inference.lost_share import lost_high

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("lost", "of", "high"),
    [(0, 1000, 0.003), (0, 300, 0.01), (0, 2, 1.0), (0, 0, 1.0), (3, 3, 1.0), (1, 10, 0.4450)],
)
def test_bound_of_the_share_lost(lost: int, of: int, high: float) -> None:
    """1 of 10: Clopper and Pearson's own table has .0025 to .4450."""
    assert lost_high(lost, of) == pytest.approx(high, abs=5e-5)
