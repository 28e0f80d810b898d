"""Starts the decisions of an autoscaling strategy on a broker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from live.controller.invalid_messages import InvalidMessages
from live.controller.latest_speeds import LatestSpeeds
from live.controller.partition_lags import LagReader
from live.controller.scaled_decisions import (
    GivenSteps,
    MeasuredSteps,
    ScaledDecisions,
    StepRates,
)
from live.controller.scaled_strategy import Lags, ScaledStrategy
from live.controller.topic_reader import TopicReader
from live.live_settings import GIVEN, MEASURED, LiveSettings
from live.records import rates_file
from live.records.journal import Journal


def scaled_decisions(
    settings: LiveSettings, label: str, rates: Path, journal: Journal
) -> ScaledDecisions:
    """Decisions of a strategy, which reads lags only if it needs them.

    rates: File with the rates of the stream; there need be none where speeds are measured.
    journal: Where it says that measured speeds are too old, and messages invalid.
    """
    stream = _stream(settings, rates)
    strategy = ScaledStrategy(label, settings, stream)
    journal.write(
        "scaling",
        strategy=label,
        decision_s=strategy.settings.decision_s * strategy.group.pace,
        replicas=strategy.replicas,
    )
    lags = _lags(settings, journal) if strategy.needs_lags else no_lags(settings.partitions)
    if settings.speeds == GIVEN:
        seen: StepRates = GivenSteps(stream, strategy.group.steps)
    else:
        seen = measured_steps(settings, journal)
    return ScaledDecisions(strategy, seen, lags, settings)


def measured_steps(settings: LiveSettings, journal: Journal) -> MeasuredSteps:
    """The monitor's speeds; invalid ones, and that they are too old, go to the journal."""
    topic = settings.topic("speed")
    reject = InvalidMessages(journal, topic).reject
    measurements = TopicReader(settings.bootstrap, topic, reject, settings.security.confluent)
    return MeasuredSteps(LatestSpeeds(measurements, settings, journal))


def _stream(settings: LiveSettings, rates: Path) -> Sequence[Sequence[float]]:
    if settings.speeds == MEASURED and not rates.exists():
        return [[0.0] * settings.partitions]
    return rates_file.read(rates, settings.iterations, settings.partitions)


def _lags(settings: LiveSettings, journal: Journal) -> Callable[[], Lags]:
    """Present lags; invalid progress goes to the journal."""
    return LagReader(settings, InvalidMessages(journal, settings.topic("progress")).reject).take


def no_lags(partitions: int) -> Callable[[], Lags]:
    """Lags of a strategy that does not look at them."""
    nothing = Lags(np.zeros(partitions), np.ones(partitions, np.bool_))
    return lambda: nothing
