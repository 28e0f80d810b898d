"""Levels of days: the capacity that keeps the objective, against a queue of single events."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.day_levels import day_levels

pytestmark = pytest.mark.unit


def late_share(counts: np.ndarray, capacity: float, latency_s: float) -> float:
    """Of events that arrive evenly within steps of a second, served one after the other."""
    late, total, free = 0, 0, 0.0
    for step, count in enumerate(counts):
        for i in range(count):
            arrival = step + (i + 0.5) / count
            start = max(arrival, free)
            late += start - arrival > latency_s
            total += 1
            free = start + 1.0 / capacity
    return late / total


def test_a_level_is_the_capacity_of_which_a_little_less_is_too_late() -> None:
    rng = np.random.default_rng(3)
    counts = rng.poisson(np.repeat(rng.uniform(100.0, 900.0, 20), 5))
    capacity = math.exp(day_levels(counts.astype(float), np.array([0, 100]), 1.0, 2.0, 0.05)[0])
    assert late_share(counts, 1.01 * capacity, 2.0) <= 0.05
    assert late_share(counts, 0.99 * capacity, 2.0) > 0.05


def test_levels_follow_the_load() -> None:
    rates = np.random.default_rng(1).uniform(1.0, 5.0, (200, 3))
    edges = np.array([0, 120, 200])
    levels = day_levels(rates, edges, 60.0, 30.0, 0.01)
    assert day_levels(3.0 * rates, edges, 60.0, 30.0, 0.01) == pytest.approx(levels + math.log(3.0))
    alone = day_levels(rates[120:], np.array([0, 80]), 60.0, 30.0, 0.01)
    assert alone[0] == pytest.approx(levels[1])


def test_the_busiest_member_decides() -> None:
    """One of four members has two thirds of the load, and a hundredth of all events may be late."""
    rates = np.tile([600.0, 100.0, 100.0, 100.0], (50, 1))
    level = day_levels(rates, np.array([0, 50]), 1.0, 1.0, 0.01)[0]
    assert 580.0 < math.exp(level) < 600.0


def test_a_day_without_events_has_no_level() -> None:
    levels = day_levels(np.array([0.0, 0.0, 4.0, 4.0]), np.array([0, 2, 4]), 1.0, 0.5, 0.01)
    assert levels[0] == -math.inf
    assert np.isfinite(levels[1])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"step_s": 0.0}, "step_s must be finite and above 0 s"),
        ({"latency_s": math.inf}, "latency_s must be finite and above 0 s"),
        ({"late_share": 1.0}, "late_share must be at least 0 and below 1"),
        ({"edges": np.array([0, 5])}, "edges must ascend within 0 and 4 steps"),
        ({"edges": np.array([0, 2, 2])}, "edges must ascend"),
    ],
)
def test_wrong_arguments(changed: dict[str, object], message: str) -> None:
    arguments = {"edges": np.array([0, 4]), "step_s": 1.0, "latency_s": 1.0, "late_share": 0.01}
    with pytest.raises(InvalidParameterError, match=message):
        day_levels(np.ones(4), **(arguments | changed))  # type: ignore[arg-type]
