"""Greatest load under an assignment: exact up to a bound, and above the bound where that is so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.assignment import assignors
from algorithms.autoscaling import assigned_loads
from algorithms.simulation import drawn_placements

pytestmark = [pytest.mark.unit, pytest.mark.slow]

TOPICS = st.lists(st.integers(1, 7), min_size=1, max_size=4)


@pytest.mark.parametrize("assignor", ["range", "kip848_range", "roundrobin"])
@given(topics=TOPICS, members=st.integers(1, 9), data=st.data())
def test_load_of_the_assignor_up_to_a_bound(
    assignor: str, topics: list[int], members: int, data: st.DataObject
) -> None:
    partitions = sum(topics)
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=partitions)), float)
    weights = weights[:partitions]
    bound = data.draw(st.floats(0.0, 40.0))
    owners = drawn_placements.owners(assignor, members, tuple(topics))
    expected = float(np.bincount(owners, weights).max())
    # Scratch space is overwritten, whatever it has.
    loads = np.full(members, 7.0)
    greatest = [assigned_loads.greatest(owners, weights, bound, loads)]
    if assignors.code_of(assignor) in assigned_loads.BY_BLOCKS:
        starts = np.concatenate([[0], np.cumsum(topics)]).astype(np.int64)
        greatest.append(assigned_loads.greatest_of_blocks(starts, weights, bound, loads))
    for load in greatest:
        assert load == expected if expected <= bound else load > bound
