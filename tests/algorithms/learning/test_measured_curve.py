"""The measured curve: its medians, interpolation and range, and the same formulas in JAX."""

from __future__ import annotations

import math
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
)
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.measured_curve import BROKERS, LOADS, MEDIANS, SPREAD
from algorithms.learning.measured_latencies import ROWS

pytestmark = pytest.mark.unit

MEASURED = check_brokers(
    BrokerSettings(curve="measured", max_brokers=BROKERS[-1], load=LOADS[-1], spread=SPREAD)
)


def test_every_number_of_brokers_was_measured_under_every_load():
    assert BROKERS == (3, 4, 5, 6, 7)
    assert {(row.brokers, row.load) for row in ROWS} == {(n, x) for n in BROKERS for x in LOADS}
    assert all(0.0 < value < math.inf for row in ROWS for value in row.latencies_ms)


def test_measured_points_are_medians_of_all_scrapes():
    for load in LOADS:
        for n in BROKERS:
            values = [v for row in ROWS if (row.brokers, row.load) == (n, load) for v in row[3]]
            latency = broker_model.latency_ms(MEASURED, n, load, np)
            assert float(latency) == pytest.approx(np.median(values))


def test_between_loads_it_is_interpolated():
    least, most = LOADS[0], LOADS[-1]
    middle = measured_curve.latency_ms(np.array(BROKERS), (LOADS[0] + LOADS[1]) / 2, np)
    assert middle == pytest.approx((np.array(MEDIANS[0]) + np.array(MEDIANS[1])) / 2)
    both = measured_curve.latency_ms(np.array([[3], [7]]), np.array([least, most]), np)
    assert both == pytest.approx(
        np.array([[MEDIANS[0][0], MEDIANS[-1][0]], [MEDIANS[0][-1], MEDIANS[-1][-1]]])
    )


def test_spread_is_that_of_logarithms_around_each_cell():
    logs = {}
    for row in ROWS:
        logs.setdefault((row.brokers, row.load), []).extend(np.log(row.latencies_ms))
    squares = sum(np.var(cell, ddof=1) * (len(cell) - 1) for cell in logs.values())
    freedom = sum(len(cell) - 1 for cell in logs.values())
    assert pytest.approx(math.sqrt(squares / freedom), abs=5e-4) == SPREAD


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_brokers": 8}, r"max_brokers must be between 3 and 7 with curve measured \(got 8\)"),
        ({"min_brokers": 2}, r"min_brokers must be between 3 and 7 .*\(got 2\)"),
        ({"load": LOADS[-1] + 0.1}, r"load must be between .* with curve measured"),
        ({"load": (LOADS[0], LOADS[0] / 2), "steps": 2}, r"load must be between .*measured"),
        ({"curve": "invented"}, r"curve must be one of formula, measured"),
    ],
)
def test_what_was_not_measured_is_refused(change, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_brokers(replace(MEASURED, **change))


def test_training_sees_the_same_latency():
    modules = jax_loading.load()
    loads = np.linspace(LOADS[0], LOADS[-1], 5)
    for load in loads:
        in_jax = modules.jax.jit(
            lambda n, x: broker_model.latency_ms(MEASURED, n, x, modules.numpy)
        )(np.arange(3, 8, dtype=np.int32), np.float32(load))
        plain = broker_model.latency_ms(MEASURED, np.arange(3, 8), load, np)
        assert np.asarray(in_jax) == pytest.approx(plain, rel=1e-5)


@pytest.mark.parametrize("name", ["optimal", "random"])
def test_simulation_agrees_with_exact_values(name):
    settings = replace(MEASURED, slo_weighted_ms=float(np.median(MEDIANS[-1])))
    agent = AgentSettings(held_out=1000)
    starts = broker_rollout.held_out(settings, 1000, 7).starts
    values = {"optimal": broker_optimum.optimum, "random": broker_optimum.random_values}[name]
    rollout = broker_baselines.run(settings, agent, "weighted", name, 7, 0)
    difference = rollout.returns - values(settings, "weighted")[starts - 3]
    assert abs(difference.mean()) <= 4.0 * difference.std() / np.sqrt(1000) + 1e-9
