"""Scores of agents, the share that succeeds, and what follows for a claim."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.claim_shares import NOT_REPRODUCED, OPEN, REPRODUCED
from algorithms.inference.intervals import Interval
from algorithms.learning import broker_optimum
from algorithms.learning.cluster_settings import BrokerSettings

SUCCESS = 0.95
"""Score from which a seed succeeds."""

MARGIN = 0.05
"""Difference in scores that does not count: what a seed that succeeds may lack."""

FEWEST = 30
"""Seeds without which there is no verdict but `OPEN`."""

_RESAMPLES = 9999


def scores(returns: Floats, brokers: BrokerSettings, reward: str, starts: Longs) -> Floats:
    """Return of each agent between random actions (0) and the optimum (1).

    returns: float64[...], mean returns over held-out episodes.
    starts: int64[n], brokers at the start of the held-out episodes: both ends are their exact
        means.
    Raises InvalidParameterError if random actions are as good as the optimum.
    """
    worst, best = broker_optimum.ends(brokers, reward, starts)
    result: Floats = (np.asarray(returns) - worst) / (best - worst)
    return result


def word_of_equality(low: float, high: float) -> str:
    """What the interval of a difference in scores says of the claim that there is none.

    Equal if the whole interval is within `MARGIN`, different if it is outside, else open: a
    difference is not absent because it is not significant.

    >>> word_of_equality(-0.04, 0.01), word_of_equality(0.06, 0.1), word_of_equality(-0.2, 0.2)
    ('reproduced', 'not reproduced', 'open')
    """
    if max(abs(low), abs(high)) < MARGIN:
        return REPRODUCED
    return NOT_REPRODUCED if max(low, -high) > MARGIN else OPEN


def iqm_interval(values: Floats, seed: int) -> Interval:
    """Interquartile mean over all agents, with a stratified bootstrap interval at 95 %.

    values: float64[S, G], scores of S seeds in G strata, such as rewards; seeds are resampled
        within each stratum.

    Agarwal et al. 2021: the mean of the middle half of all S G values, of which the values at both
    ends count in part. 9999 resamples; NaN ends for one seed.
    """
    array = np.asarray(values, np.float64)
    if array.ndim != 2 or array.size == 0 or not np.isfinite(array).all():
        raise InvalidParameterError(
            f"values must be finite, one row per seed and one column per stratum (got {array})"
        )
    middle = float(_middle_mean(array.reshape(1, -1))[0])
    if array.shape[0] < 2:
        return Interval(middle, np.nan, np.nan)
    draws = np.random.Generator(np.random.PCG64(seed))
    rows = draws.integers(0, array.shape[0], size=(_RESAMPLES, *array.shape))
    resampled = array[rows, np.arange(array.shape[1])].reshape(_RESAMPLES, -1)
    low, high = np.quantile(_middle_mean(resampled), (0.025, 0.975)).tolist()
    return Interval(middle, min(low, middle), max(high, middle))


def _middle_mean(values: Floats) -> Floats:
    """Mean of the middle half of each row; values that the quartiles cut count in part."""
    n = values.shape[1]
    edges = np.clip(np.array([0.25, 0.75]) * n, 0, n)
    weights = np.clip(np.arange(1, n + 1) - edges[0], 0, 1) - np.clip(
        np.arange(1, n + 1) - edges[1], 0, 1
    )
    ranked = np.sort(values, axis=1)
    # Rounding must not put the mean of equal values beside them.
    result: Floats = np.clip(ranked @ (weights / weights.sum()), ranked[:, 0], ranked[:, -1])
    return result
