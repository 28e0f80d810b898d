"""Functions built from basic operations agree with those of the C library."""

import math

import numpy as np
import pytest

from algorithms.core import portable_math

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("scale", [1e-300, 1e-16, 1e-3, 0.5, 1.0, 2.0, 1e3, 1e18, 1e300])
def test_logarithms(scale: float) -> None:
    for x in np.random.default_rng(1).uniform(0.5, 2.0, 200) * scale:
        assert portable_math.log(float(x)) == pytest.approx(math.log(x), rel=4e-16, abs=4e-16)


def test_logarithms_near_one_keep_their_digits() -> None:
    for exponent in range(1, 50):
        x = 1.0 + 2.0**-exponent
        assert portable_math.log(x) == pytest.approx(math.log(x), rel=4e-16, abs=0.0)


def test_exponentials() -> None:
    for x in np.random.default_rng(2).uniform(-699.0, 699.0, 500):
        assert portable_math.exp(float(x)) == pytest.approx(math.exp(x), rel=1e-15, abs=0.0)
    assert portable_math.exp(0.0) == 1.0
    assert (portable_math.exp(-701.0), portable_math.exp(701.0)) == (0.0, math.inf)


@pytest.mark.parametrize("n", [0, 1, 2, 9, 15, 16, 17, 40, 1000, 10**9])
def test_factorials(n: int) -> None:
    expected = math.lgamma(n + 1)
    assert portable_math.log_factorial(float(n)) == pytest.approx(expected, rel=1e-14, abs=1e-15)
