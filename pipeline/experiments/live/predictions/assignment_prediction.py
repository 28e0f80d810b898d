"""Prediction A: the latency model on the assignments of the simulated algorithm."""

from __future__ import annotations

import numpy as np

from algorithms.assignment import registry
from algorithms.core.arrays import Bools, Floats, Ints
from algorithms.scores import latency_quantiles
from live.live_settings import LiveSettings
from pipeline.experiments.live.predictions.latency_quantities import (
    SHARES,
    Quantities,
    mean_consumers,
    migrations,
)


def predict(
    settings: LiveSettings, rates: Floats, strategy: str, gap_s: float, counted: Bools
) -> Quantities:
    """Quantities of a stream under an algorithm, from its rates alone.

    settings: Capacities, length of an iteration, and seed of the stream.
    rates: ``float64[N, P]``, bytes/s.
    gap_s: Time until data of a partition that moved is read again, s.
    counted: Iterations whose latencies count, ``bool[N]``.
    """
    simulated = owners(settings, rates, strategy)
    quantiles = latency_quantiles.quantiles(
        rates,
        simulated,
        settings.consumer_rate,
        SHARES,
        settings.iteration_s,
        gap_s,
        np.asarray(counted),
    )
    return Quantities(mean_consumers(simulated), migrations(simulated), *quantiles.tolist())


def owners(settings: LiveSettings, rates: Floats, strategy: str) -> Ints:
    """Owners that an algorithm assigns in each iteration, ``int32[N, P]``."""
    return registry.get(strategy).assign(rates, settings.capacity, settings.seed)
