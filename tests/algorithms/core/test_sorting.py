"""Sorted orders: largest key first, ties by index, for any keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from algorithms.core import sorting

pytestmark = pytest.mark.unit

_RNG = np.random.default_rng(7)
_N = 500
KEYS = {
    "even": _RNG.uniform(0, 100, _N),
    "half at the ends": np.clip(_RNG.uniform(-100, 200, _N), 0, 100),
    "all equal": np.full(_N, 3.0),
    "all 0": np.zeros(_N),
    "all absent": np.full(_N, sorting.ABSENT),
    "0 and absent": np.where(_RNG.random(_N) < 0.5, 0.0, sorting.ABSENT),
    "some absent": np.where(_RNG.random(_N) < 0.3, sorting.ABSENT, _RNG.uniform(0, 1, _N)),
    "one far above": np.append(_RNG.uniform(0, 1, _N - 1), 1e9),
    "heavy tail": _RNG.pareto(0.5, _N),
    "ascending": np.arange(_N, dtype=float),
    "descending": np.arange(_N, dtype=float)[::-1].copy(),
    "sawtooth": np.arange(_N) % 7 * 1.0,
    "least numbers": _RNG.integers(0, 9, _N) * 5e-324,
    "greatest numbers": _RNG.uniform(0, np.finfo(float).max, _N),
    "crowded below": _RNG.uniform(0, 1, _N) ** 30,
}


def order_of(keys: np.ndarray) -> list[int]:
    order, spare = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    sorting.descending(keys, order, spare)
    return order.tolist()


def plainly(keys: np.ndarray) -> list[int]:
    return sorted(range(keys.size), key=lambda i: (-keys[i], i))


@pytest.mark.parametrize("name", KEYS)
def test_order_is_that_of_a_plain_sort(name: str) -> None:
    assert order_of(KEYS[name]) == plainly(KEYS[name])


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 63, 64, 65, 200])
def test_every_length(n: int) -> None:
    for keys in KEYS.values():
        assert order_of(keys[:n].copy()) == plainly(keys[:n])


@given(
    arrays.arrays(
        np.float64,
        st.integers(33, 120),
        elements=st.floats(0, 1e300) | st.sampled_from([0.0, sorting.ABSENT, 50.0, 100.0]),
    )
)
def test_any_keys(keys: np.ndarray) -> None:
    assert order_of(keys) == plainly(keys)
