"""The least-loaded packing next to the fewest replicas: instances, runs, the page."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.bounds import packing_gaps
from algorithms.bounds.effort import effort
from tools.bench.packing import instances, packing_runs, packing_table
from tools.bench.packing.instances import Cell, Packed
from tools.bench.packing.packing_runs import Run

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("correlation", instances.CORRELATIONS)
def test_instances_are_related_as_their_cell_says(correlation: float) -> None:
    cell = Cell(1000, correlation)
    rates, lags = instances.drawn(cell, 0)
    between = np.corrcoef(np.log(rates), np.log(lags))[0, 1]
    assert between == pytest.approx(correlation, abs=0.1)
    rate_cap, lag_cap = instances.capacities()
    assert (rate_cap, lag_cap) == (180.0, 90.0)
    assert rates.mean() == pytest.approx(instances.SHARE * rate_cap)
    assert lags.mean() == pytest.approx(instances.SHARE * lag_cap)
    assert np.array_equal(rates, instances.drawn(cell, 0)[0])
    assert not np.array_equal(rates, instances.drawn(cell, 1)[0])


def test_a_packed_instance_has_an_interval_and_its_gap() -> None:
    rows = [instances.packed(Cell(9, -0.9), number) for number in range(20)]
    assert all(row.is_proved and row.most == row.gap >= 0 for row in rows)
    assert any(row.gap for row in rows)
    assert not Packed(Cell(9, 0.0), 5, 3, 4, 0.1).is_proved


def test_gaps_are_those_of_what_the_strategy_saw() -> None:
    """Three replicas where two are enough, at each decision in the run."""
    rates = np.tile([50.0, 50.0, 40.0, 30.0, 30.0], (4, 1))
    settings = {"mu": 1000.0 / 9.0, "wsla_s": 1e6, "initial_replicas": 5}
    gaps = packing_gaps.along_run(rates, settings, False, effort(1.0))
    assert gaps.packed.tolist() == [3, 3, 3]
    assert gaps.lower.tolist() == gaps.upper.tolist() == [2, 2, 2]


def test_equal_partitions_get_the_same_replicas_from_both() -> None:
    workload = packing_runs.Workload("5 equal", "steps", 0)
    row = packing_runs.run(workload)
    assert row.decisions > 100
    assert (row.unequal, row.greatest) == (0, 0)


def test_shares_of_unequal_partitions_are_drawn() -> None:
    drawn = [
        packing_runs.rates_of(packing_runs.Workload("12 unequal", "bursts", number))
        for number in (0, 0, 1)
    ]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    assert drawn[0].shape == (packing_runs.STEPS, 12)


def test_the_published_shape_is_run_at_each_time_between_burst_and_decision() -> None:
    shaped = [each for each in packing_runs.workloads(1) if each.group == packing_runs.SHAPED]
    assert [each.number for each in shaped] == list(range(6))
    rates = packing_runs.rates_of(shaped[0])
    assert rates.shape == (600, 9)
    # Shares of partitions are rounded up.
    assert rates.sum(axis=1).max() == pytest.approx(350.0, abs=9.0)
    first, later = packing_runs.run(shaped[0]), packing_runs.run(shaped[2])
    assert first.on_time[0] < later.on_time[0]


def test_the_page_has_a_row_for_each_cell_and_group() -> None:
    packed = [
        *(Packed(Cell(9, 0.0), 5, 4, 4, 0.001) for _ in range(3)),
        *(Packed(Cell(64, 0.9), 20, 17, 18, 0.5) for _ in range(2)),
    ]
    along = [Run("5 equal", 100, 0, 0, (99.0, 99.0), (20.0, 19.0))] * 2
    text = packing_table.page(packed, along)
    assert text.startswith("# The least-loaded packing next to the fewest replicas\n")
    row = "| 9 | 0 | 3 | 1.00 (1.00 to 1.00) | 1 | 1.00 | 0 (0 to 0) % | 100 % | 1.0 ms | 0.00 s |"
    assert row in text
    assert "| 64 | 0.9 | 2 | 2.00 (2.00 to 2.00) | 2 | 3.00 | 0 (0 to 0) % | 0 % |" in text
    assert "| 5 equal | 200 | 0.0 % | 0 | 99.00 % | 0.00 (0.00 to 0.00) | 20.00 | -1.00 (" in text
