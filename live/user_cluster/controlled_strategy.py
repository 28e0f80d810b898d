"""Strategies of a controller that scales its StatefulSet: ``controller:NAME+placement``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.autoscaling import strategies
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation.broker_group import ITERATION_S, BrokerGroup
from live.live_settings import MEASURED, LiveSettings
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named

BY_RATES = ("constant", "ds2", "headroom", "linear")
"""Strategies that decide on rates alone. Lags of a group are counted in records, and its speeds are
in bytes/s, so that one cannot be held against the other."""

ENDLESS = 10**9
"""Iterations of a group that works for as long as it is wanted."""

WINDOW_S = 3.0
"""Shortest window of the monitor, seconds."""


def is_controlled(label: str) -> bool:
    """Whether a label is of such a strategy."""
    return strategies.is_controlled(label)


def check(label: str, settings: LiveSettings) -> None:
    """Raise InputError unless the controller of a group can run a strategy with its arguments."""
    from algorithms.autoscaling import candidates

    try:
        every = candidates.parse(label, settings.partitions, 1.0, 1.0)
    except AlgorithmError as error:
        raise InputError(f"`strategy` {named(label)}: {error}") from None
    if len(every) != 1:
        raise InputError(f"`strategy` {named(label)}: write one strategy of the sweep")
    (one,) = every
    counting = (strategies.inner_of(one.strategy) or "").removesuffix(strategies.PLACEMENT)
    if counting not in BY_RATES:
        form = f"{strategies.CONTROLLER}:{{}}{strategies.PLACEMENT}"
        raise InputError(
            f"`strategy` {one.strategy}: {counting} decides on more than rates, and the controller "
            f"measures bytes/s alone; choose one of {', '.join(map(form.format, BY_RATES))}"
        )
    group = BrokerGroup(*endless(settings).sizes)
    try:
        group.check(one, group.settings(one), np.zeros(settings.partitions))
    except AlgorithmError as error:
        raise InputError(f"`strategy` {one.strategy}: {error}") from None


def endless(settings: LiveSettings) -> LiveSettings:
    """Settings of a group that works on measured speeds until it is ended.

    A second of the strategy's clock is one of the brokers'. The monitor's window is its shortest,
    as the strategy itself averages from one decision to the next.
    """
    return replace(
        settings,
        speeds=MEASURED,
        iteration_s=ITERATION_S,
        iterations=ENDLESS,
        window_s=WINDOW_S,
    )
