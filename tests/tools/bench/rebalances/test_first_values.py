"""The drawn times beside measured ones are those of the simulator with its own heartbeats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation import scripted
from tools.bench.rebalances.cells import COOPERATIVE, EAGER, JOIN, KIP_848, LEAVE, Cell
from tools.bench.rebalances.first_values import LEAST_ROUNDS_S, ROUND_S, SETTLED, drawn

pytestmark = pytest.mark.unit

SEEDS = 400

SIMULATED: dict[str, dict[str, Any]] = {
    EAGER: {"protocol": "eager", "heartbeats": "in_step", "assignor": "range"},
    COOPERATIVE: {
        **{"protocol": "cooperative", "heartbeats": "in_step"},
        "assignor": "cooperative_sticky",
    },
    KIP_848: {"protocol": "incremental", "heartbeats": "drawn", "assignor": "kip848_uniform"},
}


def settled_s(cell: Cell, event: str) -> tuple[np.ndarray, int]:
    """How long the event took, by seed, and how many partitions moved."""
    before, after = cell.members, cell.members - 1
    if event == JOIN:
        before, after = after, before
    settings = PAPER_GROUP | {
        **{"initial_replicas": before, "rebalance_s": ROUND_S, "heartbeat_s": cell.heartbeat_s},
        **{"second_heartbeat_s": max(cell.heartbeat_s, LEAST_ROUNDS_S)},
        **{"assignment_interval_s": cell.interval_s, "decision_s": 1.0, "observe": "now"},
        **SIMULATED[cell.protocol],
    }
    if cell.protocol == KIP_848:
        settings["second_heartbeat_s"] = cell.heartbeat_s
    answer = (after, 0, [0] * cell.partitions)
    rates = np.ones((20, cell.partitions))
    moved: list[int] = []
    taken: list[float] = []
    for seed in range(SEEDS):
        script = scripted.strategy([None, answer, *[None] * 18])
        result, _, actions = simulate_in_detail(rates, script, settings=settings | {"seed": seed})
        moved.append(result.partitions_moved)
        taken.append(actions.settled_after_s[0])
    return np.array(taken), round(float(np.median(moved)))


@pytest.mark.parametrize("event", [JOIN, LEAVE])
@pytest.mark.parametrize(
    "cell",
    [
        *(Cell(EAGER, 3.0), Cell(COOPERATIVE, 3.0), Cell(KIP_848, 5.0, 1.0)),
        *(Cell(EAGER, 0.5), Cell(COOPERATIVE, 0.5), Cell(KIP_848, 0.5)),
    ],
    ids=lambda cell: cell.name,
)
def test_the_simulator_takes_the_drawn_times(cell: Cell, event: str) -> None:
    """Kolmogorov and Smirnov's distance exceeds 1.95 / √n in one of a thousand samples."""
    taken, moved = settled_s(cell, event)
    # Each of those who get something of a member that leaves gets one partition.
    receivers = min(moved, cell.members - 1) if event == LEAVE else 1
    expected = drawn(cell, event, receivers, moved)[SETTLED]
    if not expected.uniform_s:
        assert taken == pytest.approx(np.full(SEEDS, expected.constant_s))
        return
    places = (np.sort(taken) - expected.constant_s) / expected.uniform_s
    even = (np.arange(SEEDS) + 0.5) / SEEDS
    assert np.abs(np.clip(places, 0.0, 1.0) ** expected.draws - even).max() < 1.95 / np.sqrt(SEEDS)
