"""Load that varies within the steps of a recording, whose rates are means."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import Floats, check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import derive_seed

MOST_VARIATION = 2.0


def varied(rates: Floats, parts: int, variation: float, seed: int) -> Floats:
    """Rates that vary within each step around the mean that was recorded.

    rates: float64[N × parts, P], rates of the parts of N recorded steps.
    parts: Parts of a recorded step, at least 1. One part has the mean of its step.
    variation: Coefficient of variation of the parts of a step, at most 2.
    Returns: float64[N × parts, P], all partitions vary together; each step keeps its events.

    Independent factors from a Gamma distribution, divided by their mean over the step. Their
    variance is that of `variation` after the division.

    >>> rates = varied(np.full((6, 1), 10.0), 3, 0.3, 1)
    >>> rates.reshape(2, 3).mean(axis=1).round(9).tolist()
    [10.0, 10.0]
    """
    parts = check_count("parts", parts, 1, max(len(rates), 1))
    if not 0.0 <= variation <= MOST_VARIATION:
        raise InvalidParameterError(
            f"variation must be at least 0 and at most {MOST_VARIATION:g} (got {variation})"
        )
    if len(rates) % parts:
        raise InvalidParameterError(
            f"rates must have a whole number of steps of {parts} parts (got {len(rates)})"
        )
    if variation == 0.0 or parts == 1:
        return rates
    drawn = variation * math.sqrt(parts / (parts - 1.0))
    generator = np.random.Generator(np.random.PCG64(derive_seed(check_seed(seed), "within steps")))
    factors = generator.gamma(drawn**-2.0, drawn**2.0, (len(rates) // parts, parts))
    factors /= np.maximum(factors.mean(axis=1, keepdims=True), 1e-300)
    return np.ascontiguousarray(rates * factors.reshape(-1, 1))
