"""Blocks of time."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.time_blocks import DAY_S, PARTS, block_edges, block_sums

pytestmark = pytest.mark.unit


@given(st.integers(1, 5000), st.floats(0.01, 100.0), st.none() | st.floats(0.01, 1e5))
def test_blocks_are_a_partition_of_the_steps(
    steps: int, step_s: float, block_s: float | None
) -> None:
    """Every step is in one block; all have the same size, but the last, within half of it."""
    edges = block_edges(steps, step_s, block_s)
    assert (edges[0], edges[-1]) == (0, steps)
    sizes = np.diff(edges)
    assert (sizes >= 1).all()
    if len(sizes) > 1:
        assert (sizes[:-1] == sizes[0]).all()
        assert 0.5 * sizes[0] <= sizes[-1] <= 1.5 * sizes[0]


def test_a_recording_of_several_days_has_days_as_blocks() -> None:
    hours = 1.0 / 24.0
    assert np.diff(block_edges(7 * 24, DAY_S * hours)).tolist() == [24] * 7
    # Ten hours of an eighth day are too few for a block of their own, fourteen are enough.
    assert np.diff(block_edges(7 * 24 + 10, 3600.0)).tolist() == [24] * 6 + [34]
    assert np.diff(block_edges(7 * 24 + 14, 3600.0)).tolist() == [24] * 7 + [14]


def test_a_shorter_recording_has_twelve_blocks() -> None:
    assert np.diff(block_edges(7200, 1.0)).tolist() == [600] * PARTS
    assert len(block_edges(2 * 24, 3600.0)) == PARTS + 1


def test_a_block_has_at_least_a_step_and_at_most_all() -> None:
    assert block_edges(3, 60.0, 1.0).tolist() == [0, 1, 2, 3]
    assert block_edges(3, 60.0, 1e9).tolist() == [0, 3]
    assert block_edges(1, 60.0).tolist() == [0, 1]


@given(st.lists(st.integers(0, 100), min_size=1, max_size=200), st.integers(1, 50))
def test_sums_of_blocks(values: list[int], size: int) -> None:
    edges = block_edges(len(values), 1.0, float(size))
    sums = block_sums(np.array(values, float), edges)
    bounds = itertools.pairwise(edges)
    assert sums.tolist() == [sum(values[a:b]) for a, b in bounds]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.0), "steps must be"),
        ((5, 0.0), r"step_s must be finite and above 0 s \(got 0.0\)"),
        ((5, 1.0, float("nan")), r"block_s must be finite and above 0 s \(got nan\)"),
    ],
)
def test_wrong_lengths(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        block_edges(*arguments)  # type: ignore[arg-type]
