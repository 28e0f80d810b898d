"""Logarithm, exponential and factorial from basic operations only.

Addition, multiplication, division and square root are rounded alike on every machine; the
functions of C libraries are not. Random numbers that are drawn with these have the same bits
everywhere.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.compiled import kernel

_LN2 = 0.6931471805599453
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""ln 2 as a sum, whose first part has so few digits that integer multiples of it are exact."""

_HALF_LN_2PI = 0.9189385332046727
_ROOT_HALF = 0.7071067811865476
_LOG_TERMS, _EXP_TERMS = 12, 14
_FROM_STIRLING = 16


@kernel
def log(x: float) -> float:
    """Natural logarithm of a positive finite number, to a few units in the last place.

    ``x = m 2^e`` with m near 1, and ``ln m = 2 artanh((m - 1) / (m + 1))`` by its series.
    """
    m, e = math.frexp(x)
    if m < _ROOT_HALF:
        m *= 2.0
        e -= 1
    s = (m - 1.0) / (m + 1.0)
    square = s * s
    total = 0.0
    for i in range(_LOG_TERMS, -1, -1):
        total = total * square + 1.0 / (2 * i + 1)
    return e * _LN2_HIGH + (2.0 * s * total + e * _LN2_LOW)


@kernel
def exp(x: float) -> float:
    """Exponential between -700 and 700, 0 below, infinity above; Taylor series near 0."""
    if x < -700.0:
        return 0.0
    if x > 700.0:
        return np.inf
    n = np.floor(x / _LN2 + 0.5)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    total = 1.0
    for i in range(_EXP_TERMS, 0, -1):
        total = total * r / i + 1.0
    return math.ldexp(total, int(n))


@kernel
def log_factorial(n: float) -> float:
    """``ln n!`` of an integer; Stirling's series from 16 on."""
    if n < _FROM_STIRLING:
        product = 1.0
        for i in range(2, int(n) + 1):
            product *= i
        return log(product)
    w = 1.0 / (n * n)
    series = (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w / 1680.0))) / n
    return (n + 0.5) * log(n) - n + _HALF_LN_2PI + series
