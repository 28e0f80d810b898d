"""What is measured: the whole list at all sizes, the reference where it can be afforded."""

from types import SimpleNamespace

import pytest

from algorithms.assignment import registry
from tools.bench import kernels, timing

pytestmark = pytest.mark.unit


def test_every_algorithm_is_measured_at_every_size(monkeypatch):
    """With the clock replaced: kernels grow in proportion, the reference with the square."""
    monkeypatch.setattr(kernels, "kernel_seconds", lambda name, rates: rates.shape[1] * 1e-7)
    monkeypatch.setattr(
        kernels, "reference_seconds", lambda name, rates: rates.shape[1] ** 2 * 1e-7
    )
    rows = list(kernels.measure())
    names = (*registry.reference_set(), *kernels.BEYOND)
    cells = [(size, name) for size in kernels.SIZES for name in names]
    assert [(row.partitions, row.algorithm) for row in rows] == cells
    assert rows[0].us_per_assignment == pytest.approx(3.2)
    measured = {row.partitions for row in rows if row.reference_us is not None}
    assert measured == {32, 200, 1_000}


def test_the_reference_is_measured_while_it_is_quick():
    """A tenfold size takes a hundred times as long."""
    assert kernels.affordable(32, None)
    assert kernels.affordable(1_000, (100, 0.01))
    assert not kernels.affordable(10_000, (100, 0.01))


def test_larger_streams_are_shorter():
    """Yet never so short that nothing has a past."""
    assert [kernels.stream(size).shape for size in (200, 1_000)] == [(200, 200), (40, 1_000)]
    assert kernels.stream(20_000).shape == (kernels.FEWEST_ITERATIONS, 20_000)


@pytest.mark.parametrize("name", ["NF", "MBF"])
def test_the_reference_and_the_kernel_must_agree(monkeypatch, name):
    """Times of two computations that differ say nothing."""
    rates = kernels.stream(200)[:2, :40].copy()
    assert kernels.reference_seconds(name, rates) > 0.0
    monkeypatch.setattr(kernels.naive, "migrations", lambda assigned: [0, -1])
    with pytest.raises(RuntimeError, match=f"{name} and its reference differ on 40"):
        kernels.reference_seconds(name, rates)


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
