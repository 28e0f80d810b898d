"""The plan's model in plain Python: time in ticks, every schedule and distribution tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

TICK = Fraction(1, 20)


def best_cost(
    loads: Sequence[Sequence[Fraction]], settings: Mapping[str, Any], weight: Fraction
) -> Fraction:
    """Least cost over all schedules; all times must be multiples of a tick."""
    counts = range(settings["min_replicas"], settings["max_replicas"] + 1)
    return min(
        _cost(schedule, loads, settings, weight)
        for schedule in product(counts, repeat=len(loads) + 1)
    )


def _cost(
    schedule: Sequence[int],
    loads: Sequence[Sequence[Fraction]],
    settings: Mapping[str, Any],
    weight: Fraction,
) -> Fraction:
    offset = settings["decision_offset_s"]
    cost = Fraction(0)
    for k, load in enumerate(loads):
        before, after = schedule[k], schedule[k + 1]
        late = max(
            sum(load) - settings["mu"] * _served(before, after, settings),
            sum(max(one - settings["mu"] * settings["window_s"], 0) for one in load),
            _uneven(load, before, after, settings),
        )
        cost += before * offset + after * (1 - offset) + weight * late
    return cost


def _served(before: int, after: int, settings: Mapping[str, Any]) -> Fraction:
    """Replica-seconds in the window, tick by tick."""
    return sum(
        (
            TICK * _serving(i * TICK - settings["decision_offset_s"], before, after, settings)
            for i in range(int(settings["window_s"] / TICK))
        ),
        Fraction(0),
    )


def _serving(since: Fraction, before: int, after: int, settings: Mapping[str, Any]) -> int:
    """Replicas that serve at a time since the decision."""
    if since < 0 or before == after:
        return before if since < 0 else after
    joined = since - (settings["startup_s"] if after > before else 0)
    if joined < 0:
        return before
    rebalancing = joined - settings["heartbeat_s"]
    if rebalancing < 0:
        return min(before, after)
    if rebalancing < settings["rebalance_s"] and settings["protocol"] == "eager":
        return 0
    if before == 0:
        # All partitions may go back to their last owners.
        return after
    pauses = rebalancing < settings["rebalance_s"] + settings["move_pause_s"]
    return min(before, after) if pauses else after


def _uneven(
    load: Sequence[Fraction], before: int, after: int, settings: Mapping[str, Any]
) -> Fraction:
    """Late events if the j largest partitions, cut to equal loads, are given to replicas whole."""
    at_once = ("decision_offset_s", "startup_s", "heartbeat_s")
    if any(settings[name] for name in at_once):
        return Fraction(0)
    window = settings["window_s"]
    if settings["protocol"] == "eager" and before != after:
        window = max(window - settings["rebalance_s"], Fraction(0))
    most = settings["mu"] * window
    ordered = sorted(load, reverse=True)
    if after == 0:
        return sum(ordered, Fraction(0))
    return max(
        min(
            sum((max(held * ordered[j - 1] - most, Fraction(0)) for held in parts), Fraction(0))
            for parts in _parts(j, after)
        )
        for j in range(1, len(ordered) + 1)
    )


def _parts(total: int, n: int) -> Iterator[tuple[int, ...]]:
    """All ways to give partitions of equal load to n replicas."""
    return (parts for parts in product(range(total + 1), repeat=n) if sum(parts) == total)
