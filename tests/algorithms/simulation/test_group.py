"""The compiled simulation agrees with a plain one in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from algorithms.assignment import assignors
from algorithms.core import keyed_draws
from algorithms.simulation import latency_percentiles, latency_segments
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation import scenarios, scripted
from tests.algorithms.simulation.checks import check_counts, check_lags, check_latency
from tests.algorithms.simulation.plain_group import Group
from tests.algorithms.simulation.scenarios import Scenario

pytestmark = pytest.mark.unit


def check(case: Scenario) -> None:
    """Compare everything: what the strategy sees, counts, lags and latencies."""
    reader = scripted.Reader(case.answers)
    plain = Group(case.rates, case.setup, reader).run()
    detailed = simulate_in_detail(
        case.workload, scripted.strategy(case.answers), settings=case.settings
    )
    scripted.check_sights(scripted.STARTED[-1], reader.sights)
    check_counts(detailed, plain)
    check_lags(detailed, plain)
    check_latency(detailed, plain, case.setup)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_random_scenarios(block: int) -> None:
    """All settings, all kinds of answers, many events at one instant."""
    for seed in range(40 * block, 40 * (block + 1)):
        check(scenarios.scenario(seed))


def test_scenarios_have_every_assignor_and_drawn_events() -> None:
    cases = [scenarios.scenario(seed) for seed in range(400)]
    assert {case.settings["assignor"] for case in cases} == {*assignors.names()}
    assert sum("poisson" in case.settings for case in cases) > 50


@pytest.mark.slow
def test_many_more_random_scenarios() -> None:
    """As above, and longer ones."""
    for seed in range(10_000, 10_300):
        check(scenarios.scenario(seed))
    for seed in range(20_000, 20_100):
        check(scenarios.scenario(seed, steps=30))


@pytest.mark.slow
@pytest.mark.parametrize(("most_stored", "many"), [(3, 10_000), (10_000, 3), (20, 3)])
def test_many_latencies(most_stored: int, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not fit the buffer, or are counted in bins first: the percentiles are the same."""
    monkeypatch.setattr(latency_segments, "MOST_STORED", most_stored)
    monkeypatch.setattr(latency_percentiles, "_MANY", many)
    for seed in range(60):
        check(scenarios.scenario(seed))


@pytest.mark.slow
def test_service_rates_that_vary() -> None:
    """Each consumer has its own rate in each step, whatever the others have."""
    for seed in range(60):
        case = scenarios.scenario(500 + seed)
        mu, step_s = case.settings["mu"], case.settings["step_s"]
        root = case.settings.get("seed", 7 + seed)
        cv = (0.3, 2.0, 8.0)[seed % 3]
        shape = mu * step_s / cv**2

        def speed(step: int, member: int, shape: float = shape, root: int = root) -> Fraction:
            # Compiled functions return plain integers, and take those for signed.
            cell = np.uint64(keyed_draws.key(root, 1, step, member))
            return Fraction(keyed_draws.gamma(cell, shape) / shape)

        case.setup.speed = speed
        case.settings |= {"service_cv": cv, "seed": root}
        check(case)
