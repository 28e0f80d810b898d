"""Strategies see the rates that they are given, and all else of their group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import registry
from algorithms.autoscaling.given_rates import Workload, with_rates
from algorithms.core.arrays import Floats
from algorithms.simulation import group_run
from algorithms.simulation.group_settings import check_settings
from algorithms.simulation.incident_kinds import READINGS, Blind
from algorithms.simulation.incident_times import Incident

pytestmark = [pytest.mark.unit, pytest.mark.slow]

SECONDS, PARTS = 40, 4
"""Seconds of a workload, and steps of each of them."""


def simulated(
    name: str,
    arrived: Floats,
    seen: Floats | None,
    incidents: tuple[Incident, ...] = (),
    **further: Any,
) -> Any:
    """A group of 200 events/s per replica that decides each second, in steps of 0.25 s."""
    strategy = registry.get(name)
    own = {"mu": 200.0, "step_s": 1.0 / PARTS, "decision_s": 1.0, "startup_s": 0.0, **further}
    settings = check_settings(own, arrived.shape[1], strategy.decision_s, strategy.observe)
    if seen is not None:
        is_now = settings.observe == "now"
        strategy = with_rates(strategy, Workload(seen, settings.step_s, PARTS, is_now))
    return group_run.run_group(
        arrived, strategy, {}, settings, has_percentiles=False, incidents=incidents
    )


def steps(by_second: Floats) -> Floats:
    return np.repeat(by_second, PARTS, axis=0)


def rising() -> Floats:
    """Rates that rise and fall, another for each of five partitions."""
    second = np.arange(SECONDS)[:, np.newaxis]
    return 40.0 + 30.0 * np.sin(second / 6.0) + np.arange(5.0)


@pytest.mark.parametrize("name", ["linear", "least_loaded_2", "linear+placement"])
@pytest.mark.parametrize("observe", ["last", "now"])
def test_rates_that_arrive_as_they_are_given_change_nothing(name: str, observe: str) -> None:
    workload = steps(rising())
    plain = simulated(name, workload, None, observe=observe)
    given = simulated(name, workload, workload, observe=observe)
    assert plain.trajectory.replicas.tolist() == given.trajectory.replicas.tolist()
    assert len(set(plain.trajectory.replicas.tolist())) > 1
    np.testing.assert_allclose(plain.trajectory.lag, given.trajectory.lag, atol=1e-6)


@pytest.mark.parametrize("reads", READINGS)
@pytest.mark.parametrize("name", ["linear", "least_loaded_2"])
def test_a_blind_group_reads_given_rates_as_wrongly_as_others(name: str, reads: str) -> None:
    workload = steps(rising())
    blind = (Incident("blind", 20.0, Blind(blind_s=15.0, reads=reads), "blind"),)
    plain = simulated(name, workload, None, blind).trajectory.replicas.tolist()
    assert simulated(name, workload, workload, blind).trajectory.replicas.tolist() == plain
    assert simulated(name, workload, None).trajectory.replicas.tolist() != plain


def test_a_second_without_a_burst_is_not_noticed() -> None:
    """Every eighth second has no burst, and the next one two: counted events scale down."""
    even = np.full((SECONDS, 5), 60.0)
    bursts = np.zeros((SECONDS * PARTS, 5))
    bursts[::PARTS] = even * PARTS
    bursts[8 * PARTS :: 8 * PARTS] = 0.0
    bursts[9 * PARTS :: 8 * PARTS] *= 2.0
    counted = simulated("linear", bursts, None, arrivals="burst").trajectory.replicas
    given = simulated("linear", bursts, steps(even), arrivals="burst").trajectory.replicas
    assert set(given[2 * PARTS :].tolist()) == {4}
    assert counted[2 * PARTS :].min() == 1


def test_what_waits_is_that_of_the_group() -> None:
    """A burst that is not given: Algorithm 2, which sees lags, decides otherwise from then on."""
    quiet = steps(np.full((SECONDS, 5), 12.0))
    burst = quiet.copy()
    burst[10 * PARTS] += 800.0
    calm = simulated("least_loaded_2", quiet, quiet).trajectory.replicas
    late = simulated("least_loaded_2", burst, quiet).trajectory.replicas
    assert calm[: 10 * PARTS].tolist() == late[: 10 * PARTS].tolist()
    assert calm[10 * PARTS :].tolist() != late[10 * PARTS :].tolist()
