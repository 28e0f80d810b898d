"""Generated total rates have the shapes that their names promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.workloads import load_profiles
from algorithms.workloads.load_profiles import generate

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("profile", load_profiles.names())
@pytest.mark.parametrize("steps", [1, 2, 7, 600])
def test_rates_are_within_bounds_and_repeatable(profile: str, steps: int) -> None:
    rates = generate(profile, steps, 20.0, 500.0, seed=3)
    assert rates.shape == (steps,)
    assert ((rates >= 20.0) & (rates <= 500.0)).all()
    assert np.array_equal(rates, generate(profile, steps, 20.0, 500.0, seed=3))


@pytest.mark.parametrize("profile", ["steps", "bursts"])
def test_random_profiles_depend_on_the_seed(profile: str) -> None:
    one, other = (generate(profile, 600, 0.0, 1.0, seed) for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_a_steady_load_is_high() -> None:
    assert (generate("steady", 9, 1.0, 7.0) == 7.0).all()


def test_a_ramp_rises_evenly() -> None:
    rates = generate("ramp", 101, 100.0, 200.0)
    assert rates == pytest.approx(100.0 + np.arange(101))


def test_steps_have_ten_levels() -> None:
    rates = generate("steps", 1000, 0.0, 1.0, seed=5)
    changes = np.flatnonzero(np.diff(rates)) + 1
    assert changes.tolist() == list(range(100, 1000, 100))


def test_two_days_are_alike_and_symmetric() -> None:
    rates = generate("diurnal", 480, 50.0, 150.0)
    assert np.array_equal(rates[:240], rates[240:])
    assert rates[1:240] == pytest.approx(rates[239:0:-1])
    assert rates[120] == 150.0
    assert rates[0] == 50.0
    assert (np.diff(rates[:121]) > 0.0).all()


def test_bursts_are_short_and_high() -> None:
    rates = generate("bursts", 100_000, 0.0, 100.0, seed=1)
    low = rates == 0.0
    assert (rates[~low] >= 50.0).all()
    starts = np.flatnonzero(~low & np.append(True, low[:-1]))
    assert np.diff(starts).mean() == pytest.approx(70.0, rel=0.1)
    assert 0.8 < low.mean() < 0.9


def test_a_flash_crowd_comes_fast_and_leaves_slowly() -> None:
    rates = generate("flash_crowd", 900, 10.0, 510.0)
    assert (rates[:300] == 10.0).all()
    assert rates.argmax() == 310
    assert rates[310] == 510.0
    assert (np.diff(rates[299:311]) > 0.0).all()
    assert rates[400] == pytest.approx(10.0 + 500.0 / np.e)
    assert (np.diff(rates[310:]) < 0.0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"profile": "storm"}, "profile must be one of steady, .*'storm'"),
        ({"steps": 0}, "steps"),
        ({"low": -1.0}, r"0 <= low <= high \(got -1.0 and 2.0\)"),
        ({"low": 3.0}, r"\(got 3.0 and 2.0\)"),
        ({"high": np.inf}, "finite"),
        ({"high": np.nan}, "finite"),
        ({"seed": -1}, "seed must be between 0"),
    ],
)
def test_a_wrong_argument_is_refused(arguments: dict[str, Any], words: str) -> None:
    call: dict[str, Any] = {"profile": "steady", "steps": 3, "low": 1.0, "high": 2.0} | arguments
    with pytest.raises(InvalidParameterError, match=words):
        generate(**call)
