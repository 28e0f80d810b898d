"""The generated rate with the shape of the published workload of two hours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.workloads.taxi_days import MEAN, PEAK, taxi_days

pytestmark = pytest.mark.unit

SECONDS = 7207


def test_two_hours_have_the_published_mean_and_peak() -> None:
    rates = taxi_days(SECONDS)
    # Of the published file: 1,312,207 events.
    assert rates.sum() == pytest.approx(1_312_207, rel=1e-4)
    assert rates.mean() == pytest.approx(MEAN, abs=0.02)
    assert PEAK - 0.5 < rates.max() < PEAK
    assert np.argmax(rates) == 6060


def test_three_nights_lie_between_the_days() -> None:
    rates = taxi_days(SECONDS)
    for night, day in ((2510, 2990), (4670, 5160), (6830, 6060)):
        assert rates[night] < 35.0
        assert rates[day] > 280.0


def test_rates_are_those_between_the_turning_points() -> None:
    """Read off the published figure: the first rise, and the valley after the first peak."""
    rates = taxi_days(SECONDS)
    assert rates[[60, 130, 180]] == pytest.approx([251, 261, 350], abs=2.0)
    assert rates[95] == pytest.approx(335 + (260 - 335) * 15.5 / 50)


@pytest.mark.parametrize("steps", [1, 6, 7207, 14_414])
def test_any_number_of_steps_has_the_whole_shape(steps: int) -> None:
    rates = taxi_days(steps, 2.0)
    assert rates.shape == (steps,)
    assert ((rates >= 0.0) & (rates <= 2.0)).all()
    if steps >= SECONDS:
        assert rates.mean() == pytest.approx(2.0 * MEAN / PEAK, rel=1e-3)


@pytest.mark.parametrize("high", [-1.0, math.nan, math.inf])
def test_wrong_peaks_are_refused(high: float) -> None:
    with pytest.raises(InvalidParameterError, match="high must be finite and at least 0"):
        taxi_days(6, high)
