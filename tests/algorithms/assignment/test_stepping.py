"""One step at a time decides what the compiled fold over a whole stream decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.assignment import Observation, registry
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

EVERY = (
    *registry.names(),
    "kd_3",
    "range_2",
    "SR_0.4",
    "SR_1",
    "SR_inf",
    "BFD+M+P",
    "MWF+P",
    "NF+M",
)


def stepped(name: str, rates: cases.Rates, capacity: float, seed: int) -> cases.Consumers:
    algorithm = registry.get(cases.applicable(name, rates))
    state = algorithm.start(rates.shape[1], capacity, seed)
    rows = [algorithm.step(state, Observation(rates=row)).owners for row in rates]
    return np.array(rows, dtype=np.int32)


@pytest.mark.slow
@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("name", EVERY)
def test_steps_are_the_fold(name: str, kind: str) -> None:
    """Ties, arrivals and departures, partitions above capacity: the kinds have all of them."""
    for rates, capacity, seed in cases.streams_of(kind):
        expected = cases.run(name, rates, capacity, seed)
        assert np.array_equal(stepped(name, rates, capacity, seed), expected)


@pytest.mark.slow
@given(st.sampled_from(EVERY), cases.streams())
def test_steps_are_the_fold_of_any_stream(
    name: str, stream: tuple[cases.Rates, float, int]
) -> None:
    assert np.array_equal(stepped(name, *stream), cases.run(name, *stream))


@pytest.mark.parametrize("name", EVERY)
def test_two_states_do_not_meet(name: str) -> None:
    """Stepped in turns, each stream is assigned as it is alone."""
    one, other = (cases.draw(kind, (6, 9), 3)[0] for kind in ("walk", "absences"))
    algorithm = registry.get(name)
    states = [algorithm.start(9, 100.0, 3) for _ in range(2)]
    pairs = [
        [
            algorithm.step(state, Observation(rates=row)).owners
            for state, row in zip(states, rows, strict=True)
        ]
        for rows in zip(one, other, strict=True)
    ]
    for assignment, rates in zip(zip(*pairs, strict=True), (one, other), strict=True):
        assert np.array_equal(np.array(assignment), cases.run(name, rates, 100.0, 3))


def test_a_partition_that_is_not_present_is_absent() -> None:
    algorithm = registry.get("BFD")
    state = algorithm.start(3, 10.0, 0)
    seen = Observation(rates=np.array([4.0, 6.0, 5.0]), present=np.array([True, False, True]))
    assert algorithm.step(state, seen).owners is not None
    assert state.before.tolist() == [0, -1, 0]


@pytest.mark.parametrize("name", ["BFD", "MWF", "SR_1"])
def test_given_owners_take_the_place_of_the_last_decision(name: str) -> None:
    """What really reads the partitions counts, not what was wanted."""
    algorithm = registry.get(name)
    rates, owners = np.array([6.0, 6.0]), np.array([1, 0], dtype=np.int32)
    state = algorithm.start(2, 10.0, 0)
    algorithm.step(state, Observation(rates=rates))
    decision = algorithm.step(state, Observation(rates=rates, owners=owners))
    assert decision.owners is not None
    assert decision.owners.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("observation", "words"),
    [
        ({}, "rates is required"),
        ({"rates": np.ones(3)}, r"rates must .*\(3,\)"),
        ({"rates": np.array([1.0, -1.0])}, r"rates\[.*must be finite"),
        ({"rates": np.ones(2, np.float32)}, "float32"),
        ({"rates": np.ones(2), "present": np.ones(3, bool)}, r"present must .*\(3,\)"),
        ({"rates": np.ones(2), "owners": np.array([0, 2])}, "owners must .*0 to 2"),
        ({"rates": np.ones(2), "owners": np.array([0.0, 1.0])}, "owners must .*float64"),
    ],
)
def test_a_wrong_observation_is_refused(observation: dict[str, Any], words: str) -> None:
    algorithm = registry.get("BFD")
    state = algorithm.start(2, 10.0, 0)
    with pytest.raises(InvalidParameterError, match=words):
        algorithm.step(state, Observation(**observation))
    assert state.before.tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("partitions", "capacity", "seed"), [(0, 1.0, 0), (2, 0.0, 0), (2, 1.0, -1), (2, 1.0, 2**63)]
)
def test_a_wrong_start_is_refused(partitions: int, capacity: float, seed: int) -> None:
    with pytest.raises(InvalidParameterError):
        registry.get("NF").start(partitions, capacity, seed)
