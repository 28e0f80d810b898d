"""What is measured: all algorithms at all sizes."""

from types import SimpleNamespace

import pytest

from algorithms.assignment import registry
from tools.bench import kernels, timing

pytestmark = pytest.mark.unit


def test_every_algorithm_is_measured_at_every_size(monkeypatch):
    """With the clock replaced."""
    monkeypatch.setattr(kernels, "kernel_seconds", lambda name, rates: rates.shape[1] * 1e-7)
    rows = list(kernels.measure())
    names = (*registry.reference_set(), *kernels.BEYOND)
    cells = [(size, name) for size in kernels.SIZES for name in names]
    assert [(row.partitions, row.algorithm) for row in rows] == cells
    assert rows[0].us_per_assignment == pytest.approx(3.2)


def test_larger_streams_are_shorter():
    """Yet never so short that nothing has a past."""
    assert [kernels.stream(size).shape for size in (200, 1_000)] == [(200, 200), (40, 1_000)]
    assert kernels.stream(20_000).shape == (kernels.FEWEST_ITERATIONS, 20_000)


def clock(monkeypatch, *ticks):
    """Let the module that measures read these times, one after the other."""
    readings = iter(ticks)
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: next(readings)))


def test_the_median_is_taken_of_calls_within_bounds(monkeypatch):
    """Three calls of 1, 5 and 3 s, then two of 1 and 2 s."""
    clock(monkeypatch, 0.0, 0.0, 1.0, 1.0, 6.0, 6.0, 9.0, 9.0)
    assert timing.median_seconds(lambda: None, seconds=0.0, fewest=3, most=9) == 3.0
    clock(monkeypatch, 0.0, 0.0, 1.0, 1.0, 1.0, 3.0)
    assert timing.median_seconds(lambda: None, seconds=60.0, fewest=1, most=2) == 1.5
