"""Costs of simulated groups in blocks: they add up to the figures of the whole run."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.time_blocks import block_edges
from algorithms.simulation.group_costs import Prices, block_totals, check_prices
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail

pytestmark = pytest.mark.unit


def loads(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.0, 160.0, (60, 4)) * rng.uniform(0.2, 1.5, (60, 1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("block_s", [3.5, 20.0, 1000.0])
def test_blocks_add_up_to_the_run(seed: int, block_s: float) -> None:
    """Events that wait at the end are late, too, if they depart late: as in `sla_percent`."""
    settings = {"step_s": 0.5, "startup_s": 1.3, "wsla_s": 0.2, "decision_offset_s": 0.1}
    detailed = simulate_in_detail(loads(seed), "linear", settings=PAPER_GROUP | settings)
    result = detailed.result
    edges = block_edges(60, 0.5, block_s)
    prices = Prices(replica_hour=3.0, late_event=0.25, move=7.0)
    totals = block_totals(detailed, edges, 0.5, prices)
    assert totals.cost.shape == totals.events.shape == totals.late.shape == (edges.size - 1,)
    events, late = totals.events.sum(), totals.late.sum()
    assert result.sla_percent is not None
    assert events == pytest.approx(detailed.trajectory.arrived.sum())
    assert 100.0 * (1.0 - late / events) == pytest.approx(result.sla_percent, abs=1e-9)
    expected = 3.0 * result.replica_minutes / 60 + 0.25 * late + 7.0 * result.partitions_moved
    assert totals.cost.sum() == pytest.approx(expected)
    assert result.partitions_moved > 0
    assert 0.0 < late < events


def test_moves_count_in_the_block_in_which_their_action_began() -> None:
    """The second replica is asked for at 1 s, and joins at 4 s in the next block."""
    rates = np.full((6, 2), 150.0)
    detailed = simulate_in_detail(
        rates, "linear", settings=PAPER_GROUP | {"startup_s": 3.0, "mu": 200.0}
    )
    assert detailed.actions.time_s.tolist() == [1.0]
    totals = block_totals(detailed, np.array([0, 3, 6]), 1.0, Prices(0.0, 0.0, 1.0))
    assert totals.cost.tolist() == [1.0, 0.0]
    # An action at the edge belongs to the block that begins there.
    totals = block_totals(detailed, np.array([0, 1, 6]), 1.0, Prices(0.0, 0.0, 1.0))
    assert totals.cost.tolist() == [0.0, 1.0]


def test_replicas_are_paid_by_the_hour_by_default() -> None:
    detailed = simulate_in_detail(np.full((10, 2), 1.0), "constant",
                                  settings={"initial_replicas": 2})  # fmt: skip
    totals = block_totals(detailed, np.array([0, 4, 10]), 1.0)
    assert totals.cost == pytest.approx(np.array([8.0, 12.0]) / 3600.0)
    assert totals.late.tolist() == [0.0, 0.0]


def test_events_that_never_depart_are_late() -> None:
    """The first five of 100 are in time: event x waits 0.9 x, and half a service time is added."""
    settings = {"mu": 1.0, "wsla_s": 5.0, "drain_limit_s": 0.0}
    detailed = simulate_in_detail(np.full((10, 1), 10.0), "constant", settings=settings)
    totals = block_totals(detailed, np.array([0, 5, 10]), 1.0)
    assert totals.events.tolist() == pytest.approx([5.0, 95.0])
    assert totals.late.tolist() == pytest.approx([0.0, 95.0])


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        (Prices(-1.0), r"replica_cost must be at least 0 \(got -1.0\)"),
        (Prices(1.0, float("nan")), "late_cost must be a finite number"),
        (Prices(1.0, 0.0, -2.0), r"move_cost must be at least 0 \(got -2.0\)"),
        (Prices(1.0, 1e308), r"late_cost must be at most 1e\+15 \(got 1e\+308\)"),
        (Prices(0.0), "^replica_cost .*0.0"),
    ],
)
def test_wrong_prices(prices: Prices, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        check_prices(prices)
    assert check_prices(Prices(0, 1, 0)) == Prices(0.0, 1.0, 0.0)
