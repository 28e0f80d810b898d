"""The order in which strategies run on a stream."""

from __future__ import annotations

import pytest

from pipeline.experiments.live.running.run_order import ordered

pytestmark = pytest.mark.unit

ASKING = ("asking:least_loaded_2", "asking:linear", "asking:linear:assignor=range")


def test_other_strategies_run_as_they_are_written() -> None:
    assert ordered(("MWF", "kd_2", "BFD"), 7) == ["MWF", "kd_2", "BFD"]


def test_the_seed_of_a_stream_draws_the_order_of_groups_that_ask() -> None:
    orders = {tuple(ordered(ASKING, seed)) for seed in range(60)}
    assert len(orders) == 6
    assert all(sorted(order) == sorted(ASKING) for order in orders)
    assert ordered(ASKING, 5) == ordered(tuple(reversed(ASKING)), 5)
