"""Times that bounds charge for an action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.bounds.plan_terms import check_group

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("settings", "soonest_s", "late_s"),
    [
        ({}, 3.0, 0.0),
        # A group that may be empty: its first rebalance is sooner or later than others.
        ({"initial_rebalance_s": 1.0}, 1.0, 2.0),
        ({"initial_rebalance_s": 7.0}, 3.0, 4.0),
        ({"initial_rebalance_s": 7.0, "min_replicas": 1}, 3.0, 0.0),
        ({"initial_rebalance_s": 7.0, "protocol": "incremental"}, 5.0, 0.0),
    ],
)
def test_the_first_rebalance_of_an_empty_group_is_between_the_bounds(
    settings: dict[str, Any], soonest_s: float, late_s: float
) -> None:
    own = {"min_replicas": 0, "max_poll_records": 0, **settings}
    _, terms = check_group(np.ones((3, 2)), own)
    assert (terms.heartbeat_s, terms.late_s) == (soonest_s, late_s)
    least_s = 10.0 + soonest_s + terms.rebalance_s + late_s
    assert terms.longest_s >= least_s
