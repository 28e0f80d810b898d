"""Simulated functions behave as queueing theory says, and planners do what they promise of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from algorithms.autoscaling import ds2, queueing
from algorithms.simulation import simulate_application

pytestmark = [pytest.mark.unit, pytest.mark.slow]

COMMON = {"receiver_queue": 0}
"""One queue for all instances, as theory has it."""

REPLICATES = 30
CONFIDENCE = 0.999
SERVERS = range(1, 16)
LOADS = {0.3: 10_000, 0.7: 16_000, 0.95: 50_000}
"""Events per replicate: the busier, the longer a queue remembers its state."""


def erlang_wait(servers: int, load: float) -> float:
    """Mean wait of exponential services with mean 1 and Poisson arrivals (Erlang 1917)."""
    offered = servers * load
    terms = [offered**i / math.factorial(i) for i in range(servers)]
    waiting = offered**servers / math.factorial(servers) / (1 - load)
    return waiting / (sum(terms) + waiting) / (servers * (1 - load))


def interval(
    servers: int, load: float, events: int, cs: float = 1.0, seed: int = 0
) -> tuple[float, float]:
    """Mean wait over replicates, and half the width of its confidence interval."""
    rate = servers * load
    waits = np.array(
        [
            simulate_application(
                {"f": {"mu": 1.0, "cs": cs, "initial": servers}},
                [],
                {"f": [(events / rate, rate)]},
                "constant",
                settings=COMMON | {"decision_s": events / rate, "seed": seed + replicate},
            ).mean_waits[0]
            for replicate in range(REPLICATES)
        ]
    )
    t = stats.t.ppf((1 + CONFIDENCE) / 2, REPLICATES - 1)
    return float(waits.mean()), float(t * waits.std(ddof=1) / math.sqrt(REPLICATES))


def check_wait(wait: float, half: float, expected: float) -> None:
    assert abs(wait - expected) <= half
    # The interval is narrow, or agreement with it would say little.
    assert half <= 0.15 * expected + 1e-3


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("servers", SERVERS)
def test_erlang(servers: int, load: float) -> None:
    wait, half = interval(servers, load, LOADS[load])
    check_wait(wait, half, erlang_wait(servers, load))


@pytest.mark.parametrize("cs", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("load", [0.3, 0.7])
def test_variability_of_services(load: float, cs: float) -> None:
    """One server and any services: Pollaczek 1930, Khinchine 1932."""
    wait, half = interval(1, load, 20_000, cs)
    check_wait(wait, half, load * (1 + cs * cs) / (2 * (1 - load)))


@pytest.mark.parametrize("load", [0.7, 0.8, 0.95])
def test_allen_cunneen_is_exact_for_one_server(load: float) -> None:
    """From a utilisation of 0.7 on, where its probability of waiting is the utilisation."""
    wait, half = interval(1, load, 50_000, seed=500)
    response = queueing.response_time(load, 1.0, 1)
    assert response == pytest.approx(1 / (1 - load), rel=1e-12)
    check_wait(wait, half, response - 1.0)


@pytest.mark.parametrize("initial", [1, 15])
def test_ds2_needs_one_decision(initial: int) -> None:
    """At constant rates, even if what comes downstream was held back before."""
    functions = {
        "split": {"mu": 4.0, "cs": 0.0, "selectivity": 3.0, "initial": initial},
        "count": {"mu": 10.0, "cs": 0.0, "selectivity": 0.5, "initial": initial},
        "store": {"mu": 3.0, "cs": 0.0, "initial": initial},
    }
    edges = [("split", "count"), ("count", "store")]
    result = simulate_application(
        functions,
        edges,
        {"split": [(600.0, 9.0)]},
        "ds2",
        settings=COMMON | {"spacing": "constant"},
    )
    assert {scaling.time for scaling in result.scalings} == {30.0}
    fields = {
        name: {"rate_true": each["mu"], "selectivity": each.get("selectivity", 1.0)}
        for name, each in functions.items()
    }
    planned = ds2.plan(fields, edges, {"split": 9.0})
    assert planned == {"split": 3, "count": 3, "store": 5}
    assert result.instances[1:].tolist() == [list(planned.values())] * 19


@pytest.mark.parametrize("rate", [3.0, 7.0, 12.0])
def test_queueing_keeps_its_bound(rate: float) -> None:
    """With exponential times, what it measures leads to the planner's count and a mean in bound."""
    enough = queueing.replicas(rate, 2.0, 1.0)
    result = simulate_application(
        {"f": {"mu": 2.0, "initial": enough}},
        [],
        {"f": [(6000.0, rate)]},
        "queueing",
        {"r_max": 1.0},
        COMMON | {"decision_s": 300.0, "seed": 5},
    )
    assert result.instances.mean() == pytest.approx(enough, abs=0.3)
    assert result.paths[0].mean is not None
    assert result.paths[0].mean <= 1.0
