"""A measured curve: its medians, interpolation and range, and the same formulas in JAX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import (
    broker_baselines,
    broker_model,
    broker_optimum,
    broker_rollout,
    jax_loading,
    measured_curve,
    measured_latencies,
)
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.measured_latencies import MeasuredRow

pytestmark = pytest.mark.unit

ROWS = tuple(
    MeasuredRow(n, load, repeat, (90.0 / n + 40.0 * load + repeat, 100.0 / n + 60.0 * load), ())
    for load in (0.25, 1.0)
    for n in (3, 4, 5, 6, 7)
    for repeat in (0, 1)
)
MEASURED = BrokerSettings(curve="measured", max_brokers=7, load=1.0)


@pytest.fixture(autouse=True)
def _measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the rows had been measured; optima of other rows are forgotten."""
    monkeypatch.setattr(measured_latencies, "ROWS", ROWS)
    broker_optimum._both.cache_clear()
    yield
    broker_optimum._both.cache_clear()


def test_measured_points_are_medians_of_all_scrapes():
    for load in (0.25, 1.0):
        for n in range(3, 8):
            values = [v for row in ROWS if row[:2] == (n, load) for v in row.latencies_ms]
            latency = broker_model.latency_ms(MEASURED, n, load, np)
            assert float(latency) == pytest.approx(np.median(values))


def test_between_loads_it_is_interpolated():
    sizes = np.arange(3, 8)
    low, high = (measured_curve.latency_ms(sizes, load, np) for load in (0.25, 1.0))
    middle = measured_curve.latency_ms(sizes, 0.5, np)
    assert middle == pytest.approx(low + (high - low) / 3.0)
    both = measured_curve.latency_ms(np.array([[3], [7]]), np.array([0.25, 1.0]), np)
    assert both == pytest.approx(np.array([[low[0], high[0]], [low[-1], high[-1]]]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_brokers": 8}, r"max_brokers must be between 3 and 7 with curve measured \(got 8\)"),
        ({"min_brokers": 2}, r"min_brokers must be between 3 and 7 .*\(got 2\)"),
        ({"load": 1.1}, r"load must be between 0\.25 and 1 with curve measured \(got 1\.1\)"),
        ({"load": (0.25, 0.1), "steps": 2}, r"load must be between .*measured \(got 0\.1\)"),
        ({"curve": "invented"}, r"curve must be one of formula, measured"),
    ],
)
def test_what_was_not_measured_is_refused(change, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_brokers(replace(MEASURED, **change))
    check_brokers(MEASURED)


def test_without_rows_the_curve_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(measured_latencies, "ROWS", ())
    with pytest.raises(InvalidParameterError, match=r"curve must be formula .*make bench-brokers"):
        check_brokers(MEASURED)


def test_shipped_rows_have_every_number_of_brokers_under_every_load(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.undo()
    rows = measured_latencies.ROWS
    pairs = {(row.brokers, row.load) for row in rows}
    assert pairs == {(n, load) for n in range(3, 8) for load in {row.load for row in rows}}


def test_training_sees_the_same_latency():
    modules = jax_loading.load()
    compiled = modules.jax.jit(lambda n, x: broker_model.latency_ms(MEASURED, n, x, modules.numpy))
    for load in np.linspace(0.25, 1.0, 5):
        in_jax = compiled(np.arange(3, 8, dtype=np.int32), np.float32(load))
        plain = broker_model.latency_ms(MEASURED, np.arange(3, 8), load, np)
        assert np.asarray(in_jax) == pytest.approx(plain, rel=1e-5)


@pytest.mark.parametrize("name", ["optimal", "random"])
def test_simulation_agrees_with_exact_values(name):
    settings = replace(MEASURED, slo_weighted_ms=75.0)
    agent = AgentSettings(held_out=1000)
    starts = broker_rollout.held_out(settings, 1000, 7).starts
    values = {"optimal": broker_optimum.optimum, "random": broker_optimum.random_values}[name]
    rollout = broker_baselines.run(settings, agent, "weighted", name, 7, 0)
    difference = rollout.returns - values(settings, "weighted")[starts - 3]
    assert abs(difference.mean()) <= 4.0 * difference.std() / np.sqrt(1000) + 1e-9
