"""The kernel that the simulator calls: from compiled code, in place, with any members."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from algorithms.assignment import assignors
from algorithms.assignment.assignors import placement
from algorithms.assignment.assignors.placement import Scratch
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from tests.algorithms.assignment import assignor_cases as cases
from tests.algorithms.assignment import naive_assignors as naive
from tests.algorithms.assignment.assignor_cases import Group

pytestmark = pytest.mark.unit


@kernel
def grow_and_shrink(
    code: int, members: Longs, owners: Longs, lags: Floats, scratch: Scratch
) -> None:
    """Rebalance for one member, then two, up to all, and back; counts no references."""
    n = members.shape[0]
    for i in range(1, 2 * n):
        placement.settle(code, members[: min(i, 2 * n - i)], owners, lags, owners, scratch)


def arrays(group: Group) -> tuple[Longs, Longs, Floats]:
    """Members ascending, owners and lags as kernels take them."""
    members = np.array(sorted(group.members), dtype=np.int64)
    return members, np.array(group.owners, dtype=np.int64), np.array(group.lags)


@pytest.mark.slow
@given(group=cases.groups())
def test_a_compiled_caller_rebalances_in_place(group: Group) -> None:
    """Members are a slice, and the work arrays keep what earlier calls have left there."""
    members, _, lags = arrays(group)
    scratch = placement.scratch(group.partitions, members.size)
    for name in cases.NAMES:
        owners = np.array(group.owners, dtype=np.int64)
        grow_and_shrink(assignors.code_of(name), members, owners, lags, scratch)
        expected = group.owners
        for i in range(1, 2 * members.size):
            present = members[: min(i, 2 * members.size - i)].tolist()
            expected = naive.settled(
                naive.ASSIGNORS[name], group.partitions, present, expected, group.lags
            )
        assert owners.tolist() == expected, name


@given(group=cases.groups())
def test_settling_gives_every_partition_an_owner(group: Group) -> None:
    members, owners, lags = arrays(group)
    after = np.empty(group.partitions, np.int64)
    scratch = placement.scratch(group.partitions, members.size)
    for name in cases.NAMES:
        placement.settle(assignors.code_of(name), members, owners, lags, after, scratch)
        expected = naive.settled(naive.ASSIGNORS[name], *group._replace(members=members.tolist()))
        assert after.tolist() == expected, name
        assert owners.tolist() == group.owners, name


@pytest.mark.parametrize("name", cases.NAMES)
def test_without_members_all_partitions_wait(name: str) -> None:
    unowned = np.empty(0, np.int64)
    after = np.zeros(3, np.int64)
    for rebalance in (placement.place, placement.settle):
        owners, lags = np.array([0, 1, -1]), np.zeros(3)
        rebalance(assignors.code_of(name), unowned, owners, lags, after, placement.scratch(3))
        assert after.tolist() == [-1, -1, -1]


def test_codes_are_positions_of_names() -> None:
    codes = [assignors.code_of(name) for name in assignors.names()]
    assert codes == list(range(len(codes)))


def test_owners_are_found_whether_ids_have_gaps_or_not() -> None:
    """Members 0, 1, 2 and 5, 900, 2**62; absent ids lie between, below and above them."""
    scratch = placement.scratch(6)
    code = assignors.code_of("sticky")
    after = np.empty(6, np.int64)
    for ids in ([0, 1, 2], [5, 900, 2**62]):
        members = np.array(ids, dtype=np.int64)
        owners = np.array([ids[2], ids[1], ids[0], ids[2], ids[1], ids[0]])
        placement.place(code, members, owners, np.zeros(6), after, scratch)
        assert after.tolist() == owners.tolist()
    absent = np.array([-1, 0, 4, 6, 901, 2**62 + 1])
    placement.place(code, members, absent, np.zeros(6), after, scratch)
    assert after.tolist() == ids * 2
