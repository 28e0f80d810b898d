"""Algorithms of the assignment registry as strategies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from algorithms.assignment import Observation, stepping
from algorithms.assignment import registry as assignment_registry
from algorithms.assignment.algorithm import Algorithm, Start
from algorithms.autoscaling import registry
from algorithms.autoscaling.dispatch import cacheable
from algorithms.core.arrays import Floats, Ints
from algorithms.core.compiled import kernel
from tests.algorithms.autoscaling import cases

pytestmark = pytest.mark.unit

EVERY = (*assignment_registry.names(), "kd_2", "SR_0.4", "SR_inf", "BFD+M", "MWF+P", "NF+M+P")


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_decisions_are_steps_from_the_present_owners(name: str) -> None:
    """The capacity is that of a consumer at f_up, in millionths; the seed is that of the group."""
    rng = np.random.default_rng(len(name))
    for _ in range(6):
        group = cases.group(rng, partitions=int(rng.integers(2, 10)), max_replicas=9)
        seen = [cases.seen(rng, group) for _ in range(5)]
        seen = [one._replace(owners=one.owners % group.partitions) for one in seen]
        algorithm = assignment_registry.get(name)
        capacity = float(round(group.mu * 0.9 * 1e6, 3))
        state = algorithm.start(group.partitions, capacity, group.seed)
        for one, answer in zip(seen, cases.decided(name, group, *seen), strict=True):
            owners = one.owners.astype(np.int32)
            rates = np.array([float(round(rate * 1e6)) for rate in one.rates])
            placed = algorithm.step(state, Observation(rates=rates, owners=owners)).owners
            assert placed is not None
            assert answer == (len(set(placed.tolist())), 2, placed.tolist())


def test_consumers_keep_their_ids() -> None:
    """Consumer 3 keeps 60 of 90, and gets 10 and 20; consumer 1 keeps 30, and gets the other 50."""
    rng = np.random.default_rng(0)
    fields = {"rates": np.array([60.0, 50.0, 30.0, 20.0, 10.0]), "replicas": 2}
    seen = cases.seen(rng, cases.GROUP, owners=np.array([3, 3, 1, 1, 1]), **fields)
    assert cases.decided("MWF", cases.GROUP, seen)[0] == (2, 2, [3, 1, 1, 3, 3])


def test_ties_are_those_of_six_decimals() -> None:
    """0.3 and 0.1 + 0.2 are equally heavy, though their floats differ: the lower id comes first.

    It keeps its partition and gets that of 0.1; were it second, both would keep what they have.
    """
    group = cases.GROUP._replace(partitions=3, mu=0.5)
    seen = cases.seen(
        np.random.default_rng(0),
        group,
        rates=np.array([0.3, 0.1, 0.2]),
        owners=np.array([0, 1, 1]),
        replicas=2,
    )
    assert 0.1 + 0.2 > 0.3
    assert cases.decided("MWF", group, seen)[0] == (2, 2, [0, 0, 1])


def test_a_full_consumer_is_full_in_decimals() -> None:
    """Three times 19 is 0.57 of 100, whose float is less."""
    assert 100.0 * 0.57 < 57.0
    group = cases.GROUP._replace(partitions=3, mu=100.0)
    seen = cases.seen(np.random.default_rng(0), group, rates=np.full(3, 19.0))
    assert cases.decided("BFD", group, seen, f_up=0.57)[0][0] == 1


def test_static_groups_are_round_robin_for_good() -> None:
    rng = np.random.default_rng(0)
    seen = [cases.seen(rng, cases.GROUP) for _ in range(3)]
    assert cases.decided("kd_2", cases.GROUP, *seen) == [(2, 2, [0, 1, 0, 1, 0])] * 3


def test_f_up_is_the_share_of_a_consumer_that_is_used() -> None:
    rng = np.random.default_rng(0)
    seen = cases.seen(rng, cases.GROUP, rates=np.full(5, 50.0))
    assert cases.decided("BFD", cases.GROUP, seen)[0][0] == 5
    assert cases.decided("BFD", cases.GROUP, seen, f_up=1.0)[0][0] == 3


def test_owners_beyond_the_ids_of_an_algorithm_are_ignored() -> None:
    rng = np.random.default_rng(0)
    owners = np.array([7, 7, 7, 2, 2])
    far = cases.seen(rng, cases.GROUP, owners=owners)
    unowned = far._replace(owners=np.where(owners == 7, -1, owners))
    assert cases.decided("BFD", cases.GROUP, far) == cases.decided("BFD", cases.GROUP, unowned)


class Each(NamedTuple):
    """State of an algorithm of another package: a consumer per partition."""

    before: Ints


def start(partitions: int, capacity: float, seed: int) -> Each:
    """Start it."""
    return Each(np.full(partitions, -1, dtype=np.int32))


@stepping.makes_steps(Each)
@kernel
def _step(state: Each, rates: Floats, after: Ints) -> None:
    for p in range(rates.shape[0]):
        after[p] = p


def test_algorithms_of_other_packages_work_but_their_code_is_not_cached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a process that lacks the package could not read any cached decision."""
    algorithm = Algorithm("EACH", "each", "One each", False, "here", False, Start(__name__, ()))
    monkeypatch.setitem(assignment_registry._ALGORITHMS, "EACH", algorithm)
    rng = np.random.default_rng(0)
    seen = cases.seen(rng, cases.GROUP)
    assert cases.decided("EACH", cases.GROUP, seen) == [(5, 2, [0, 1, 2, 3, 4])]
    assert not cacheable(registry.get("EACH").start(cases.GROUP))
    assert cacheable(registry.get("BFD+P").start(cases.GROUP))
