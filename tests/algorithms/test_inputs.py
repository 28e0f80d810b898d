"""Arguments that no assignment can be computed for are refused, by name and by value."""

import math
from typing import Any

import numpy as np
import pytest

from algorithms import errors, metrics, registry
from tests.algorithms import cases

pytestmark = pytest.mark.unit

EVERY = (*registry.names(), "kd_1")
FINE = np.array([[1.0, 2.0], [3.0, math.nan]])


def refused(name: str, rates: Any, capacity: Any, seed: Any) -> str:
    """Return the message with which an assignment is refused."""
    with pytest.raises(errors.InvalidParameterError) as caught:
        registry.get(name).assign(rates, capacity, seed)
    return str(caught.value)


@pytest.mark.parametrize("value", [-1.0, -1e-300, math.inf, -math.inf])
@pytest.mark.parametrize("name", EVERY)
def test_rates_are_finite_and_not_negative(name: str, value: float) -> None:
    """The message says where, counting iterations from 1 as the tables do."""
    rates = FINE.copy()
    rates[1, 0] = value
    message = refused(name, rates, 10.0, 0)
    assert "rates[1, 0]" in message
    assert "iteration 2" in message
    assert str(value) in message


@pytest.mark.parametrize("name", EVERY)
def test_rates_are_a_matrix_of_floats(name: str) -> None:
    """Other types and shapes would be compiled for, or misread."""
    assert "float32" in refused(name, FINE.astype(np.float32), 10.0, 0)
    assert "int64" in refused(name, np.ones((2, 2), dtype=np.int64), 10.0, 0)
    assert "list" in refused(name, [[1.0]], 10.0, 0)
    for shape in ((3,), (1, 2, 3), (0, 3), (3, 0)):
        assert str(shape) in refused(name, np.ones(shape), 10.0, 0)


@pytest.mark.parametrize("capacity", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", EVERY)
def test_capacity_is_finite_and_positive(name: str, capacity: float) -> None:
    """Also for static assignments, which do not need it: an input is right or wrong."""
    assert f"capacity is {capacity}" in refused(name, FINE, capacity, 0)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, True, None])
@pytest.mark.parametrize("name", EVERY)
def test_seed_is_what_a_table_can_hold(name: str, seed: object) -> None:
    """Also for algorithms that do not use it."""
    assert f"seed is {seed}" in refused(name, FINE, 10.0, seed)


@pytest.mark.parametrize("name", EVERY)
def test_the_layout_in_memory_does_not_matter(name: str) -> None:
    """Transposed, strided and read-only arrays hold the same stream."""
    rates, capacity = cases.draw("absences", (8, 5), 1)
    plain = cases.run(name, rates, capacity, 1)
    wide = np.repeat(rates, 2, axis=1)
    locked = rates.copy()
    locked.flags.writeable = False
    for same in (np.asfortranarray(rates), wide[:, ::2], locked):
        assert np.array_equal(cases.run(name, same, capacity, 1), plain)


def test_metrics_refuse_arrays_of_different_streams() -> None:
    """One row or partition too few would silently shift everything."""
    consumers = np.array([[0, 1], [0, -1]], dtype=np.int32)
    short = np.ones((1, 2))
    with pytest.raises(errors.InvalidParameterError, match=r"\(2, 2\).*\(1, 2\)"):
        metrics.rscore(short, consumers, 10.0)
    with pytest.raises(errors.InvalidParameterError, match=r"\(2, 2\).*\(1, 2\)"):
        metrics.audit(short, consumers, 10.0)
    with pytest.raises(errors.InvalidParameterError, match="int64"):
        metrics.n_consumers(consumers.astype(np.int64))
    with pytest.raises(errors.InvalidParameterError, match="capacity"):
        metrics.rscore(FINE, consumers, 0.0)


@pytest.mark.parametrize(
    ("z", "minimum"),
    [([1, 2], [1]), ([], []), ([1], [0]), ([-1], [1]), ([1], [-1]), ([[1]], [[1]])],
)
def test_cbs_refuses_what_has_no_ratio(z: list[int], minimum: list[int]) -> None:
    """Different lengths, nothing at all, or consumers where the minimum has none."""
    with pytest.raises(errors.InvalidParameterError, match="minimum"):
        metrics.cbs(np.array(z, dtype=np.int32), np.array(minimum, dtype=np.int32))
