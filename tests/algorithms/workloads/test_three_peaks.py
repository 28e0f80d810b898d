"""The generated rate with the shape of a published workload."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.workloads.three_peaks import MEAN, PEAK, three_peaks

pytestmark = pytest.mark.unit


def test_ten_minutes_have_the_published_mean_and_peak() -> None:
    rates = three_peaks(600)
    assert rates.mean() == pytest.approx(MEAN, abs=1e-6)
    assert rates.max() == pytest.approx(PEAK, abs=0.02)
    # The published file's mean and peak, as its paper's figures show them.
    assert (MEAN, PEAK) == (181.25, 350.0)


def test_it_turns_at_three_peaks_and_two_valleys() -> None:
    rates = three_peaks(600)
    rises = np.sign(np.diff(rates))
    turns = np.flatnonzero(rises[1:] * rises[:-1] < 0) + 1
    assert np.abs(turns - [125, 212.5, 300, 387.5, 475]).max() <= 1
    assert rates[turns].round().tolist() == [200, 150, 275, 150, 350]
    assert rates[0] < 0.1
    assert rates[-1] < 0.1


@pytest.mark.parametrize("steps", [1, 6, 60, 7200])
def test_any_number_of_steps_has_the_whole_shape(steps: int) -> None:
    rates = three_peaks(steps, 2.0)
    assert rates.shape == (steps,)
    assert ((rates >= 0.0) & (rates <= 2.0)).all()
    if steps >= 60:
        assert rates.mean() == pytest.approx(2.0 * MEAN / PEAK, rel=1e-3)


@pytest.mark.parametrize("high", [-1.0, math.nan, math.inf])
def test_wrong_peaks_are_refused(high: float) -> None:
    with pytest.raises(InvalidParameterError, match="high must be finite and at least 0"):
        three_peaks(6, high)
