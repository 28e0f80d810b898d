"""The benchmark of stated chances: its groups are those of the simulator, its parts independent."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.simulation import simulate
from tools.bench.certainty import certainty_table, families, groups
from tools.bench.certainty.families import FAMILIES, STEP_S, STEPS
from tools.bench.certainty.groups import LATENCY_S, SIZES
from tools.bench.certainty.stated_weeks import StatedWeek

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("size", [18, 24])
def test_constant_groups_are_those_of_the_simulator(size: int) -> None:
    rates = families.load(FAMILIES[3], 1, "recorded", 1).rates
    settings = {"mu": 1.0, "wsla_s": LATENCY_S, "step_s": STEP_S, "initial_replicas": size}
    parts = np.repeat(rates.reshape(-1, 1) / size, size, axis=1)
    result = simulate(parts, "constant", settings=settings | {"decision_s": STEP_S})
    totals = groups.totals(rates, 2)
    k = SIZES.index(size)
    late = 100.0 * (1.0 - totals.late[k, 0] / totals.events[k, 0])
    assert result.sla_percent is not None
    assert 5.0 < late < 99.9
    assert late == pytest.approx(result.sla_percent, abs=0.2)
    assert totals.cost[k, 0] == pytest.approx(24.0 * size)


def test_followers_serve_what_they_saw_before_the_start_up() -> None:
    rates = np.repeat([5.0, 20.0, 5.0], [10, 1, 60])
    replicas = groups.replicas(groups.peaks(rates, 3), 0.0, 1.5)
    assert (replicas[:13] == 8.0).all()
    assert replicas[13] == 30.0
    span = groups.LOOKBACK + groups.HOLD - 1
    assert np.flatnonzero(replicas == 30.0).tolist() == list(range(13, 13 + span))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_weeks_of_a_workload_differ_and_repeat(family: families.Family) -> None:
    one, other = (families.load(family, 0, part, 7) for part in ("recorded", "fresh 0"))
    assert one.rates.shape == (7, STEPS)
    assert (one.rates >= 0.0).all()
    assert one.weekend.sum() == 2
    assert (one.rates != other.rates).any()
    assert (one.rates == families.load(family, 0, "recorded", 7).rates).all()
    assert one.rates.mean() == pytest.approx(families.MEAN, rel=0.6)


def test_half_of_the_families_are_held_out() -> None:
    assert [family.held_out for family in FAMILIES].count(True) == 3


def test_the_page_has_means_and_medians() -> None:
    rows = [
        StatedWeek(
            "diurnal", False, 7, (0.5, 0.8, 0.96), (0.4, 0.8, kept), cost, 0.98, 1.0, 1.0, 0.9
        )
        for kept, cost in ((0.9, 1.0), (1.0, 1.2), (1.0, 2.0))
    ]
    text = certainty_table.page(rows, 3)
    assert "| 7 | 50 → 40 | 80 → 80 | 96 → 97 | 1.20 | 98 → 100 | 1.00 | 90 % |" in text
    assert "3 generated workloads" in text
    assert "\n\n\n" not in text
