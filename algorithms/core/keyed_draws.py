"""Random numbers that depend on a key alone, such as (seed, step, consumer).

Whatever else is drawn, and in which order, a key always gives the same number, with the same bits
on every machine.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.compiled import kernel
from algorithms.core.portable_math import exp, log, log_factorial

GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""Step of the state of SplitMix64 from one number to the next."""

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
_UNIT = 2.0**-53
_FEW = 10.0
"""Mean from which Poisson counts are drawn by rejection instead of by summing probabilities."""


@kernel
def mix(z: np.uint64) -> np.uint64:
    """Hash 64 bits, one to one: the output function of SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def key(seed: int, kind: int, row: int, column: int) -> np.uint64:
    """State from which a cell's numbers are drawn; `kind` separates the purposes of one seed."""
    state = mix(np.uint64(seed) + GAMMA)
    state = mix(state + np.uint64(kind + 1) * GAMMA)
    state = mix(state + np.uint64(row + 1) * GAMMA)
    return mix(state + np.uint64(column + 1) * GAMMA)


@kernel
def unit(state: np.uint64) -> float:
    """Number strictly between 0 and 1 from a state of SplitMix64; multiples of 2^-54."""
    return (np.float64(mix(state) >> _S11) + 0.5) * _UNIT


@kernel
def gamma(state: np.uint64, shape: float) -> float:
    """Draw from the Gamma distribution with the given shape and scale 1.

    Marsaglia and Tsang 2000, with normal numbers from Marsaglia's polar method. A shape below 1 is
    raised by 1, and the result multiplied by a power of a uniform number (their Section 6).
    """
    raised = shape + 1.0 if shape < 1.0 else shape
    d = raised - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    factor = 1.0
    if shape < 1.0:
        state += GAMMA
        factor = exp(log(unit(state)) / shape)
    while True:
        state += GAMMA
        u = 2.0 * unit(state) - 1.0
        state += GAMMA
        v = 2.0 * unit(state) - 1.0
        square = u * u + v * v
        if not 0.0 < square < 1.0:
            continue
        normal = u * math.sqrt(-2.0 * log(square) / square)
        root = 1.0 + c * normal
        if root <= 0.0:
            continue
        cube = root * root * root
        state += GAMMA
        if log(unit(state)) < 0.5 * normal * normal + d * (1.0 - cube + log(cube)):
            return factor * d * cube


@kernel
def poisson(state: np.uint64, mean: float) -> float:
    """Draw a Poisson count.

    Below a mean of 10 by summing probabilities, else by transformed rejection: Hörmann 1993,
    algorithm PTRS.
    """
    if mean < _FEW:
        return _few(unit(state + GAMMA), mean)
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    log_mean = log(mean)
    while True:
        state += GAMMA
        u = unit(state) - 0.5
        state += GAMMA
        v = unit(state)
        us = 0.5 - abs(u)
        count = np.floor((2.0 * a / us + b) * u + mean + 0.43)
        if us >= 0.07 and v <= squeeze:
            return float(count)
        if count < 0.0 or (us < 0.013 and v > us):
            continue
        density = count * log_mean - mean - log_factorial(count)
        if log(v * inverse / (a / (us * us) + b)) <= density:
            return float(count)


@kernel
def _few(u: float, mean: float) -> float:
    """Least count whose cumulative probability reaches u."""
    count = 0.0
    probability = exp(-mean)
    total = probability
    while u > total and probability > 0.0:
        count += 1.0
        probability *= mean / count
        total += probability
    return count
