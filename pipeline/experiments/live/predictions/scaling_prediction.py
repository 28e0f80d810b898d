"""Prediction A of autoscaling strategies: the simulated group of the family `autoscaling`."""

from __future__ import annotations

import numpy as np

from algorithms.autoscaling import registry
from algorithms.core.arrays import Floats
from algorithms.simulation import group_figures, group_run
from algorithms.simulation.broker_group import STARTUP_S
from live.controller.scaled_strategy import group_of
from live.live_settings import LiveSettings
from pipeline.experiments.live.predictions.latency_quantities import SHARES, Quantities
from pipeline.inputs.policies import strategy_policies


def predict(
    settings: LiveSettings, rates: Floats, strategy: str, gap_s: float, startup_s: float | None
) -> Quantities:
    """Quantities of a stream under a strategy, from its rates alone, after the first iteration.

    settings: Capacities, and length of an iteration.
    rates: ``float64[N, P]``, bytes/s.
    gap_s: Time until data of a partition that moved is read again, s.
    startup_s: Time until a new consumer is ready, s; None if none was started.

    The simulated group serves its partitions evenly, not in the order of arrival. Its steps are
    those of the strategy's clock.
    """
    group = group_of(settings)
    (one,) = strategy_policies.parse(strategy, settings.partitions, 1.0, 1.0)
    startup = STARTUP_S if startup_s is None else startup_s
    first_rate = float(rates[0].sum())
    figures = group_run.later_figures(
        group.events(np.repeat(rates, group.steps, axis=0)),
        registry.get(one.strategy),
        one.arguments,
        group.settings(one, first_rate, gap_s, startup),
        group.steps,
    )
    places = [int(np.flatnonzero(share == group_figures.SHARES)[0]) for share in SHARES]
    return Quantities(
        figures.replicas, figures.moved, *(figures.waits[places] * group.pace).tolist()
    )
