"""Members that learn of a rebalance at their own heartbeats."""

from __future__ import annotations

import pytest

from tests.algorithms.simulation import scenarios
from tests.algorithms.simulation.test_group import check

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("kind", ["drawn", "in_step"])
@pytest.mark.parametrize("block", range(4))
def test_random_scenarios(kind: str, block: int) -> None:
    """The plain simulation agrees in everything, with all settings and kinds of answers."""
    for seed in range(40 * block, 40 * (block + 1)):
        check(scenarios.with_heartbeats(scenarios.scenario(seed), kind))
