"""Groups with incidents: the kernels agree with a plain simulation in exact fractions."""

from __future__ import annotations

import math

import pytest

from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation import incident_cases, scripted
from tests.algorithms.simulation.checks import check_counts, check_lags, check_latency, near
from tests.algorithms.simulation.incident_cases import Hit
from tests.algorithms.simulation.plain_incidents import HitGroup
from tests.algorithms.simulation.plain_latency import longest

pytestmark = pytest.mark.unit


def check(one: Hit) -> None:
    """Compare everything: what the strategy sees, counts, lags and latencies."""
    case = one.case
    reader = scripted.Reader(case.answers)
    group = HitGroup(case.rates, case.setup, reader, one.happenings, one.rise, one.first)
    plain = group.run()
    detailed = simulate_in_detail(
        case.workload,
        scripted.strategy(case.answers),
        settings=case.settings,
        incidents=one.incidents,
    )
    scripted.check_sights(scripted.STARTED[-1], reader.sights)
    check_counts(detailed, plain)
    check_lags(detailed, plain)
    check_latency(detailed, plain, case.setup)
    for incident, over_s in zip(one.incidents, detailed.actions.over_s, strict=True):
        if incident.kind != "warm_up":
            exact = group.over.get(one.happenings.index(one.of[incident]))
            assert over_s == (math.inf if exact is None else near(exact))
    half = 1 / (2 * case.setup.mu)
    waits = longest(plain.arrivals, plain.departures, case.setup.step_s)[: len(case.rates)]
    waits += [0 * half] * (len(case.rates) - len(waits))
    assert detailed.trajectory.longest_s.tolist() == [near(wait + half) for wait in waits]


@pytest.mark.slow
@pytest.mark.parametrize("kind", incident_cases.KINDS)
def test_incidents_of_one_kind(kind: str) -> None:
    for seed in range(300):
        check(incident_cases.hit(seed, (kind,)))


@pytest.mark.slow
def test_incidents_of_all_kinds_at_once() -> None:
    for seed in range(1_000, 1_300):
        check(incident_cases.hit(seed, incident_cases.ALL))
