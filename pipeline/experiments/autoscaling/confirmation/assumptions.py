"""Assumptions of a recommendation beside what a later recording shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pipeline.experiments.autoscaling.recommendation.recorded_load import RecordedLoad
from pipeline.experiments.autoscaling.recommendation.todays_group import Served

MOST_CHANGE = 0.1
"""Change of a value, or share of the events on other partitions, from which it has moved."""


class Assumption(NamedTuple):
    """A value then and now."""

    name: str
    unit: str
    then: Any
    now: float | None
    """None where the recording does not show it."""
    change: float | None
    """Relative change; for shares, the part of the events that is on other partitions."""

    @property
    def has_moved(self) -> bool:
        """Whether the change matters."""
        return self.change is not None and abs(self.change) > MOST_CHANGE


def compared(
    record: Mapping[str, Any], load: RecordedLoad, served: Served | None
) -> tuple[Assumption, ...]:
    """All assumptions of a recommendation.

    record: Content of its file.
    load: That of the new recording.
    served: What its members serve, if it shows that.
    """
    return tuple(_all(record, load, served))


def _all(
    record: Mapping[str, Any], load: RecordedLoad, served: Served | None
) -> Iterator[Assumption]:
    before, mu, times = record["load"], float(record["asked"]["mu"]), record["times"]
    for name, key in (("mean rate", "mean"), ("95 % of rates", "p95")):
        yield _of("events/s", name, float(before[key]), getattr(load, key))
    then, now = aligned(before["shares"], load.shares)
    names = set(then) | set(now)
    moved = 0.5 * sum(abs(then.get(name, 0.0) - now.get(name, 0.0)) for name in names)
    yield Assumption(
        "greatest share", "%", 100 * max(then.values()), 100 * max(now.values()), moved
    )
    yield _of("", "partitions", float(len(then)), float(len(now)))
    # A rate without lag says only that consumers serve at least that much.
    is_measured = served is not None and served.intervals > 0
    is_faster = served is not None and served.rate > mu
    rate = served.rate if served is not None and (is_measured or is_faster) else None
    yield _of("events/s", "--mu", mu, rate)
    yield Assumption("start-up", "s", times["startup_s"], None, None)
    yield Assumption("rebalance", "s", times["rebalance_s"], None, None)


def _of(unit: str, name: str, then: float, now: float | None) -> Assumption:
    change = None if now is None or then == 0.0 else now / then - 1.0
    return Assumption(name, unit, then, now, change)


def aligned(
    then: Mapping[str, float], now: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """Shares by the same names: topics that were renamed count by their place."""
    if set(then) & set(now) or len(then) != len(now):
        return dict(then), dict(now)
    return dict(then), dict(zip(then, now.values(), strict=True))
