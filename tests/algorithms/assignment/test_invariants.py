"""Invariants of every algorithm on any stream, independent of the exact assignment."""

import math

import numpy as np
import pytest
from hypothesis import given

from algorithms.assignment import registry
from algorithms.scores import assignment_scores
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

FAMILIES = (registry.ANY_FIT, registry.MODIFIED_ANY_FIT)
EVERY = (*registry.names(), "kd_3", "range_2")
_PARAMETRIC = ("SR_0", "SR_0.7", "SR_inf", "BFD+M+P", "MWF+P")
KEEPING = (
    *(name for name in registry.names() if registry.get(name).keeps_capacity),
    *_PARAMETRIC,
)
# What the paper's equations promise, beyond the contract of every algorithm.
FITTING = (
    *(name for name in registry.names() if registry.get(name).family in FAMILIES),
    *_PARAMETRIC,
)
SHUFFLING = [
    name
    for name in FITTING
    if registry.get(name).family == registry.ANY_FIT and not registry.get(name).decreasing
]
# Sums of float speeds are compared with the capacity up to rounding.
SLACK = 1e-9


def loads(rates: cases.Rates, consumers: cases.Consumers) -> list[dict[int, list[float]]]:
    """List per iteration the speeds that each consumer holds."""
    result: list[dict[int, list[float]]] = []
    for row, ids in zip(rates.tolist(), consumers.tolist(), strict=True):
        held: dict[int, list[float]] = {}
        for speed, consumer in zip(row, ids, strict=True):
            if not math.isnan(speed):
                held.setdefault(consumer, []).append(speed)
        result.append(held)
    return result


def is_complete(rates: cases.Rates, consumers: cases.Consumers) -> bool:
    """Whether present partitions, and only these, have a consumer in 0 .. P-1."""
    present = ~np.isnan(rates)
    in_range = (consumers >= 0) & (consumers < rates.shape[1])
    return bool((in_range == present).all() and (consumers[~present] == -1).all())


def is_feasible(rates: cases.Rates, consumers: cases.Consumers, capacity: float) -> bool:
    """Whether only consumers of a single partition are loaded above the capacity."""
    return all(
        len(speeds) == 1 or sum(speeds) <= capacity * (1 + SLACK)
        for held in loads(rates, consumers)
        for speeds in held.values()
    )


@pytest.mark.parametrize("name", EVERY)
def test_every_present_partition_is_assigned_once(name: str) -> None:
    """One cell per partition makes "at most once" true; this is "at least once", and no more."""
    for rates, capacity, seed in cases.all_streams():
        assert is_complete(rates, cases.run(name, rates, capacity, seed))


@pytest.mark.parametrize("name", KEEPING)
def test_no_consumer_above_capacity_unless_it_holds_one(name: str) -> None:
    """Every algorithm that says so keeps to the capacity."""
    for rates, capacity, seed in cases.all_streams():
        assert is_feasible(rates, cases.run(name, rates, capacity, seed), capacity)


@pytest.mark.parametrize("name", KEEPING)
def test_there_are_consumers_enough_for_the_total_speed(name: str) -> None:
    """At least ceil(sum / C). A partition above the capacity fills one consumer: it counts as C."""
    for rates, capacity, seed in cases.all_streams():
        for held in loads(rates, cases.run(name, rates, capacity, seed)):
            speeds = [speed for members in held.values() for speed in members]
            full = sum(min(speed / capacity, 1.0) for speed in speeds)
            assert len(held) >= math.ceil(full - SLACK)


@pytest.mark.parametrize("name", [name for name in FITTING if name != "SR_0"])
def test_number_of_consumers_is_bounded_by_the_total_speed(name: str) -> None:
    """At most 2 sum / C + 1, which even next fit guarantees.

    Not so SR_0, to which consumers cost nothing: it keeps those that it has.
    """
    for rates, capacity, seed in cases.all_streams():
        for held in loads(rates, cases.run(name, rates, capacity, seed)):
            total = sum(speed for members in held.values() for speed in members)
            assert len(held) <= 2 * total / capacity + 1 + SLACK


@pytest.mark.parametrize("name", cases.ANY_FIT)
def test_no_two_consumers_could_be_merged(name: str) -> None:
    """Any fit opens a consumer only for a partition that fits nowhere, Algorithm 1 included."""
    for rates, capacity, seed in cases.all_streams():
        for held in loads(rates, cases.run(name, rates, capacity, seed)):
            lightest = sorted(sum(speeds) for speeds in held.values())[:2]
            assert len(lightest) < 2 or sum(lightest) > capacity * (1 - SLACK)


@pytest.mark.parametrize("name", FITTING)
def test_ids_start_contiguous(name: str) -> None:
    """At the first iteration nothing has a last consumer, so the lowest closed id opens."""
    for kind in cases.KINDS:
        for rates, capacity, seed in cases.streams_of(kind):
            first = cases.run(name, rates, capacity, seed)[0]
            used = sorted(set(first[first >= 0].tolist()))
            assert used == list(range(len(used)))


@pytest.mark.parametrize("name", [name for name in FITTING if name != "NF0"])
def test_a_consumer_keeps_its_id_when_its_only_partition_stays(name: str) -> None:
    """Equations 12 to 14: full partitions open their last consumer again, in any order.

    Not so NF0, which finds consumer 0 open: the first partition of each shuffled order takes it.
    """
    rates = np.full((20, 6), 10.0)
    consumers = cases.run(name, rates, 10.0, 5)
    assert sorted(consumers[0].tolist()) == [0, 1, 2, 3, 4, 5]
    assert (consumers == consumers[0]).all()


@pytest.mark.parametrize("name", [*cases.DECREASING, *cases.MODIFIED])
def test_an_arriving_partition_takes_the_lowest_closed_id(name: str) -> None:
    """Partition 1 leaves and 3, the smallest, arrives: it gets the id that 1 gave back.

    Not so online, where 3 may come first and take the lowest id of all.
    """
    nan = math.nan
    rates = np.array([[9.0, 8.0, 7.0, nan], [9.0, nan, 7.0, 6.0]])
    consumers = cases.run(name, rates, 10.0, 5)
    assert consumers[1, 3] == consumers[0, 1]
    assert consumers[1, [0, 2]].tolist() == consumers[0, [0, 2]].tolist()


@pytest.mark.parametrize("name", cases.DECREASING)
def test_constant_speeds_never_migrate_in_decreasing_algorithms(name: str) -> None:
    """The same order meets the same open consumers, each opened under its last id."""
    for kind in ("walk", "ties", "oversized", "decimals"):
        rates, capacity = cases.draw(kind, (1, 30), 4)
        consumers = cases.run(name, np.repeat(rates, 5, axis=0), capacity, 4)
        assert (consumers == consumers[0]).all()


@pytest.mark.parametrize("name", EVERY)
@given(stream=cases.streams())
def test_migrations_and_rscore_follow_the_ids(
    name: str, stream: tuple[cases.Rates, float, int]
) -> None:
    """Migrations are exactly the changed ids of partitions that were there before."""
    rates, capacity, seed = stream
    consumers = cases.run(name, rates, capacity, seed)
    n_migrations = assignment_scores.n_migrations(consumers)
    scores = assignment_scores.rscore(rates, consumers, capacity)
    assert n_migrations[0] == 0
    assert scores[0] == 0.0
    both = ~np.isnan(rates[1:]) & ~np.isnan(rates[:-1])
    moved = both & (consumers[1:] != consumers[:-1])
    assert n_migrations[1:].tolist() == moved.sum(axis=1).tolist()
    moved_speed = np.where(moved, rates[1:], 0.0).sum(axis=1)
    assert scores[1:] == pytest.approx(moved_speed / capacity)
    totals = np.nansum(rates, axis=1) / capacity
    assert (scores >= 0).all()
    assert (scores <= totals * (1 + SLACK)).all()
    assert not scores[n_migrations == 0].any()


def test_static_assignment_never_migrates() -> None:
    """A partition returns to the consumer it left from, however long it was away."""
    rates, capacity = cases.draw("sparse", (30, 7), 2)
    consumers = cases.run("kd_3", rates, capacity, 2)
    assert not assignment_scores.n_migrations(consumers).any()
    for partition in range(7):
        assert set(consumers[:, partition].tolist()) <= {-1, partition % 3}


@pytest.mark.parametrize("name", EVERY)
def test_the_future_does_not_matter(name: str) -> None:
    """An assignment depends on what was measured until then: a fold over the iterations."""
    for kind in ("walk", "ties", "absences"):
        rates, capacity = cases.draw(kind, (20, 9), 6)
        whole = cases.run(name, rates, capacity, 6)
        for length in (1, 2, 13):
            start = cases.run(name, np.ascontiguousarray(rates[:length]), capacity, 6)
            assert np.array_equal(start, whole[:length])


@pytest.mark.parametrize("name", EVERY)
def test_runs_are_repeatable_and_leave_their_input_alone(name: str) -> None:
    """The same call gives the same bits, also after other streams were assigned."""
    rates, capacity = cases.draw("absences", (20, 9), 7)
    before = rates.copy()
    first = cases.run(name, rates, capacity, 7)
    cases.run(name, *cases.draw("ties", (5, 12), 8), 8)
    assert np.array_equal(cases.run(name, rates, capacity, 7), first)
    assert np.array_equal(rates, before, equal_nan=True)


def seeded(name: str) -> set[bytes]:
    """What an algorithm returns with five seeds."""
    rates, capacity = cases.draw("walk", (20, 9), 9)
    return {cases.run(name, rates, capacity, seed).tobytes() for seed in range(5)}


@pytest.mark.parametrize("name", SHUFFLING)
def test_shuffled_orders_depend_on_the_seed(name: str) -> None:
    assert len(seeded(name)) == 5


@pytest.mark.parametrize(
    "name",
    [*(name for name in EVERY if registry.get(name).decreasing), "kd_3", "range_2", "SR_0.7"],
)
def test_sorted_orders_and_fixed_groups_do_not_look_at_the_seed(name: str) -> None:
    assert len(seeded(name)) == 1


@pytest.mark.parametrize("name", EVERY)
def test_the_unit_of_speed_does_not_matter(name: str) -> None:
    """Speeds and capacity in another unit (a power of two is exact) give the same ids."""
    for kind in ("walk", "ties", "oversized", "absences"):
        rates, capacity = cases.draw(kind, (12, 9), 10)
        same = cases.run(name, rates * 4096.0, capacity * 4096.0, 10)
        assert np.array_equal(same, cases.run(name, rates, capacity, 10))


def test_the_helpers_can_fail() -> None:
    """An invariant that is never false proves nothing."""
    rates = np.array([[6.0, 5.0, math.nan]])
    fine = np.array([[0, 1, -1]], dtype=np.int32)
    assert is_complete(rates, fine)
    assert is_feasible(rates, fine, 10.0)
    assert not is_feasible(rates, np.array([[0, 0, -1]], dtype=np.int32), 10.0)
    for wrong in ([0, -1, -1], [0, 1, 2], [0, 3, -1], [0, 1, -2]):
        assert not is_complete(rates, np.array([wrong], dtype=np.int32))
