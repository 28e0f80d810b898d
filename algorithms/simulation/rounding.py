"""Numbers as strategies see them."""

from __future__ import annotations

import numpy as np

from algorithms.core.compiled import kernel

_SCALE = 1e6
_SPLIT = 134217729.0
"""2^27 + 1: cuts a float into two parts whose products are exact (Dekker 1971)."""

_INTEGERS = 2.0**52
"""From here on a float has no fraction."""


@kernel
def six_decimals(x: float) -> float:
    """Round a number of at least 0 to six decimals, exactly: ties of the binary value to even.

    As Python's ``round(x, 6)``. Scaling in floats alone would round twice.
    """
    scaled = x * _SCALE
    if not scaled < _INTEGERS:
        return x
    cut = _SPLIT * x
    high = cut - (cut - x)
    # What the product lost through rounding.
    lost = (high * _SCALE - scaled) + (x - high) * _SCALE
    whole = np.floor(scaled)
    above_half = (scaled - whole - 0.5) + lost
    odd = whole - 2.0 * np.floor(0.5 * whole)
    up = above_half > 0.0 or (above_half == 0.0 and odd > 0.0)
    return float((whole + 1.0 if up else whole) / _SCALE)
