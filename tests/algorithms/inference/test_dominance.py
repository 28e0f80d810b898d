"""Dominance on means and on replicates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.pairwise_dominance import Beaten, dominated

pytestmark = pytest.mark.unit

# Eighths, whose means are exact: ties stay ties.
matrices = st.tuples(st.integers(1, 4), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(
        *[
            st.lists(
                st.lists(st.integers(0, 3), min_size=shape[1], max_size=shape[1]),
                min_size=shape[0],
                max_size=shape[0],
            ).map(lambda rows: np.array(rows) * 12.0)
            for _ in range(2)
        ]
    )
)


def beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """At most as large in both, and not the same."""
    return a[0] <= b[0] and a[1] <= b[1] and a != b


@given(matrices)
def test_the_definition(pair: tuple[np.ndarray, np.ndarray]) -> None:
    cbs, rscore = pair
    n, k = cbs.shape
    means = [(float(cbs[:, j].mean()), float(rscore[:, j].mean())) for j in range(k)]
    for i in range(k):
        better = [j for j in range(k) if beats(means[j], means[i])]
        times = [
            sum(beats((cbs[r, j], rscore[r, j]), (cbs[r, i], rscore[r, i])) for r in range(n))
            for j in range(k)
        ]
        beaten = dominated(cbs, rscore, i)
        assert beaten.dominators == len(better)
        if not better:
            assert beaten == Beaten(None, 0, 0)
            continue
        assert beaten.by in better
        assert beaten.replicates == times[beaten.by] == max(times[j] for j in better)
        rivals = [j for j in better if times[j] == beaten.replicates]
        assert means[beaten.by][1] == min(means[j][1] for j in rivals)


def test_equal_algorithms_do_not_dominate_each_other() -> None:
    same = np.array([[1.0, 1.0], [2.0, 2.0]])
    assert dominated(same, same, 0) == Beaten(None, 0, 0)


@pytest.mark.parametrize("column", [-1, 2])
def test_columns_that_are_not_there(column: int) -> None:
    with pytest.raises(InvalidParameterError, match="same shape"):
        dominated(np.zeros((1, 2)), np.zeros((1, 2)), column)


def test_objectives_of_other_algorithms() -> None:
    with pytest.raises(InvalidParameterError, match="same shape"):
        dominated(np.zeros((1, 2)), np.zeros((1, 3)), 0)
