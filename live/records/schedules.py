"""The schedule of a run's records, as its settings say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Protocol

from live.live_settings import BURSTS, DRIFT, HASHED, LiveSettings
from live.records.burst_schedule import BurstSchedule, DriftSchedule, times_at
from live.records.run_clock import RunClock
from live.records.send_schedule import DueRecord, SendSchedule

Rates = Sequence[Sequence[float]]
"""Bytes/s by iteration and partition."""

BURSTS_NS = "bursts_ns"
"""In the producer's report, if bursts drift: when each was due, ns since the stream began."""


class Schedule(Protocol):
    """When the records of a stream are due."""

    @property
    def partitions(self) -> int:
        """Number of partitions."""

    def records(self) -> Iterator[DueRecord]:
        """All records by due time."""

    def counts(self) -> Iterator[list[int]]:
        """Number of records of each partition that are due in each iteration, in order."""


def to_send(settings: LiveSettings, rates: Rates) -> Schedule:
    """The schedule of a producer; that of `DRIFT` follows the time that its loop takes.

    settings: `began_ns` is the start of the first iteration.
    """
    if settings.arrivals != DRIFT:
        return _pure(settings, rates)
    clock = RunClock(settings.clock_offset_ns)
    return DriftSchedule(
        *_arguments(settings, rates),
        _phase_ns(settings),
        lambda: clock.now() - settings.began_ns,
        _keys_seed(settings),
    )


def as_sent(settings: LiveSettings, rates: Rates, bursts_ns: Sequence[int]) -> Schedule:
    """The schedule that a producer had, whose bursts came at these times if they drifted."""
    if settings.arrivals != DRIFT:
        return _pure(settings, rates)
    return BurstSchedule(
        *_arguments(settings, rates), lambda end_ns: bursts_ns, _keys_seed(settings)
    )


def _pure(settings: LiveSettings, rates: Rates) -> Schedule:
    arguments = _arguments(settings, rates)
    if settings.arrivals != BURSTS:
        return SendSchedule(*arguments)
    return BurstSchedule(*arguments, partial(times_at, _phase_ns(settings)), _keys_seed(settings))


def _arguments(settings: LiveSettings, rates: Rates) -> tuple[Rates, float, int]:
    return rates, settings.iteration_s, settings.record_bytes


def _keys_seed(settings: LiveSettings) -> int | None:
    return settings.seed if settings.keys == HASHED else None


def _phase_ns(settings: LiveSettings) -> int:
    """At least a nanosecond: the start of an iteration is part of the one before it."""
    return max(round(settings.phase_s * 10**9), 1)
