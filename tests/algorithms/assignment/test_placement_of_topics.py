"""The compiled placement of several topics is that of `assign_group`, with padded ids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.assignment import assignors
from algorithms.assignment.assignors import assign_group, most_useful, placement
from algorithms.core.input_errors import InvalidParameterError

pytestmark = pytest.mark.unit

Sizes = tuple[int, ...]


@st.composite
def groups(draw: st.DrawFn) -> tuple[Sizes, list[int], list[int], list[float]]:
    """Two to four topics, members with gaps between ids, owners and lags of any kind."""
    sizes = tuple(draw(st.lists(st.integers(1, 6), min_size=2, max_size=4)))
    members = sorted(draw(st.sets(st.integers(0, 120), min_size=1, max_size=13)))
    p = sum(sizes)
    owner = st.one_of(st.sampled_from(members), st.just(-1), st.integers(0, 120))
    owners = draw(st.lists(owner, min_size=p, max_size=p))
    lags = draw(st.lists(st.integers(0, 4).map(float), min_size=p, max_size=p))
    return sizes, members, owners, lags


@given(groups(), st.sampled_from(assignors.names()))
def test_placement_is_that_of_assign_group(
    group: tuple[Sizes, list[int], list[int], list[float]], name: str
) -> None:
    sizes, members, owners, lags = group
    columns = [("abcd"[t], i) for t, size in enumerate(sizes) for i in range(size)]
    after = np.empty(len(columns), np.int64)
    placement.place(
        assignors.code_of(name),
        np.array(members),
        np.array(owners),
        np.array(lags),
        after,
        placement.scratch(len(columns), len(members), sizes),
    )
    padded = {m: f"{m:04d}" for m in members}
    placed = assign_group(
        name,
        {"abcd"[t]: size for t, size in enumerate(sizes)},
        list(padded.values()),
        {
            padded[m]: [c for c, owner in zip(columns, owners, strict=True) if owner == m]
            for m in members
        },
        lags={
            topic: {i: lags[c] for c, (t, i) in enumerate(columns) if t == topic}
            for topic in "abcd"[: len(sizes)]
        },
    )
    expected = {one: m for m in members for one in placed[padded[m]]}
    assert after.tolist() == [expected.get(column, -1) for column in columns]


@pytest.mark.parametrize("name", assignors.names())
def test_as_many_members_are_useful_as_get_partitions(name: str) -> None:
    for sizes in ((3, 3), (1, 5, 2), (4,)):
        most = most_useful(name, sizes)
        topics = {"abc"[t]: size for t, size in enumerate(sizes)}
        busy = [
            sum(map(bool, assign_group(name, topics, [f"{m:02d}" for m in range(n)]).values()))
            for n in range(1, 15)
        ]
        assert max(busy) == most == busy[most - 1]


def test_useful_members_of_nothing_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="assignor"):
        most_useful("rang", (3, 3))
    with pytest.raises(InvalidParameterError, match="topics must hold at least one topic"):
        most_useful("range", ())
