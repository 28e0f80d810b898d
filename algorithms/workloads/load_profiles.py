"""Generated total rates of a topic: the shapes of load that autoscaling is tried on.

Every profile goes between a low and a high rate. Only basic operations are used, so the rates have
the same bits on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.core.arrays import MAX_PARTITIONS, Floats, check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.portable_math import exp, log

Profile = Callable[[int, np.random.Generator], Floats]


def generate(profile: str, steps: int, low: float, high: float, seed: int = 0) -> Floats:
    """Generate the total rate of a topic, step by step.

    profile: One of `names`; see below.
    steps: Number of steps N, at least 1.
    low, high: Least and greatest rate in events/s, ``0 <= low <= high``.
    seed: Seed of the random profiles, ``0 .. 2**63 - 1``: ``steps`` and ``bursts``.
    Returns: float64[N], rates in events/s, between `low` and `high`.

    - ``steady``: always `high`.
    - ``ramp``: evenly from `low` to `high`.
    - ``steps``: ten levels of equal length, each uniform between the two.
    - ``diurnal``: two days; each rises smoothly from `low` to `high` at noon, and falls again.
    - ``bursts``: `low`, interrupted by bursts. Gaps between them are exponential with a mean of 60
      steps, bursts 10 steps long, and their heights uniform in the upper half.
    - ``flash_crowd``: `low` for a third of the time, up to `high` within 10 steps, and back by
      exponential decay with a time constant of a tenth of the time.

    O(N).

    >>> generate("ramp", 5, 0.0, 100.0).tolist()
    [0.0, 25.0, 50.0, 75.0, 100.0]
    >>> generate("diurnal", 8, 0.0, 100.0).tolist()
    [0.0, 50.0, 100.0, 50.0, 0.0, 50.0, 100.0, 50.0]
    """
    if profile not in _PROFILES:
        raise InvalidParameterError(
            f"profile must be one of {', '.join(_PROFILES)} (got {profile!r})"
        )
    n = check_count("steps", steps, 1, MAX_PARTITIONS)
    bottom, top = float(low), float(high)
    if not 0.0 <= bottom <= top < np.inf:
        raise InvalidParameterError(
            f"low and high must be finite, with 0 <= low <= high (got {low} and {high})"
        )
    rng = np.random.Generator(np.random.PCG64(check_seed(seed)))
    return np.minimum(bottom + (top - bottom) * _PROFILES[profile](n, rng), top)


def names() -> tuple[str, ...]:
    """Names of all profiles, in display order.

    >>> names()
    ('steady', 'ramp', 'steps', 'diurnal', 'bursts', 'flash_crowd')
    """
    return tuple(_PROFILES)


_LEVELS = 10
_DAYS = 2
_MEAN_GAP, _BURST = 60.0, 10
_RISE, _START, _DECAY = 10, 1.0 / 3.0, 0.1


def _steady(n: int, rng: np.random.Generator) -> Floats:
    return np.ones(n)


def _ramp(n: int, rng: np.random.Generator) -> Floats:
    return np.arange(n) / max(n - 1, 1)


def _steps(n: int, rng: np.random.Generator) -> Floats:
    return np.asarray(rng.random(_LEVELS)[np.arange(n) * _LEVELS // n])


def _diurnal(n: int, rng: np.random.Generator) -> Floats:
    hour = np.arange(n) * _DAYS % n / n
    sun = 1.0 - np.abs(2.0 * hour - 1.0)
    # The cubic that is flat at both ends.
    return sun * sun * (3.0 - 2.0 * sun)


def _bursts(n: int, rng: np.random.Generator) -> Floats:
    rates = np.zeros(n)
    start = 0
    while True:
        # 1 - u is never 0.
        start += int(-_MEAN_GAP * log(1.0 - rng.random()))
        if start >= n:
            return rates
        rates[start : start + _BURST] = 0.5 + 0.5 * rng.random()
        start += _BURST


def _flash_crowd(n: int, rng: np.random.Generator) -> Floats:
    start = int(n * _START)
    rates = np.zeros(n)
    for k in range(start, n):
        since = k - start
        decay = exp(-(since - _RISE) / (_DECAY * n))
        rates[k] = (since + 1) / (_RISE + 1) if since < _RISE else decay
    return rates


_PROFILES: dict[str, Profile] = {
    "steady": _steady,
    "ramp": _ramp,
    "steps": _steps,
    "diurnal": _diurnal,
    "bursts": _bursts,
    "flash_crowd": _flash_crowd,
}
