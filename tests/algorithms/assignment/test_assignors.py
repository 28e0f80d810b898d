"""Assignors of one topic: what each one promises, and the plain implementations agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from algorithms.assignment import assignors
from tests.algorithms.assignment import assignor_cases as cases
from tests.algorithms.assignment import naive_assignors as naive
from tests.algorithms.assignment.assignor_cases import Group

pytestmark = pytest.mark.unit

SHAPES = ((1, 1), (5, 9), (9, 5), (16, 4), (64, 7), (100, 33), (300, 299))


def assigned(name: str, group: Group) -> list[int]:
    """Result of the public function as plain numbers."""
    after: list[int] = assignors.assign(name, *group).tolist()
    return after


def settled(name: str, group: Group) -> list[int]:
    """Owners after all rounds, by the public function alone."""
    after = group.owners
    while True:
        after = assigned(name, group._replace(owners=after))
        if cases.UNOWNED not in after:
            return after


def test_every_assignor_has_a_plain_counterpart() -> None:
    assert tuple(naive.ASSIGNORS) == assignors.names()


@given(group=cases.groups())
def test_the_plain_implementation_agrees_on_any_group(group: Group) -> None:
    for name in cases.NAMES:
        assert assigned(name, group) == naive.ASSIGNORS[name](*group)


@pytest.mark.parametrize("name", cases.NAMES)
@pytest.mark.parametrize(("partitions", "n"), SHAPES)
def test_the_plain_implementation_agrees_on_larger_groups(
    name: str, partitions: int, n: int
) -> None:
    for seed in range(12):
        group = cases.drawn(seed, partitions, n)
        assert assigned(name, group) == naive.ASSIGNORS[name](*group)


@given(group=cases.groups())
def test_members_get_equal_shares(group: Group) -> None:
    """Counts differ by at most 1, once nothing is withheld, and only members own partitions."""
    for name in cases.NAMES:
        after = settled(name, group)
        shares = cases.counts(group, after)
        assert sum(shares) == group.partitions
        assert max(shares) - min(shares) <= 1


@given(group=cases.groups())
def test_one_round_is_enough(group: Group) -> None:
    for name in cases.BALANCED:
        assert cases.UNOWNED not in assigned(name, group)


@given(group=cases.groups())
def test_as_many_partitions_stay_as_in_any_balanced_assignment(group: Group) -> None:
    for name in cases.KEEPING:
        first = assigned(name, group)
        assert cases.kept(group.owners, first) == cases.most_kept(group)
        assert cases.kept(group.owners, settled(name, group)) == cases.most_kept(group)


@given(group=cases.groups())
def test_a_balanced_group_stays_as_it_is(group: Group) -> None:
    for name in cases.KEEPING:
        after = settled(name, group)
        assert assigned(name, group._replace(owners=after)) == after


@given(group=cases.groups())
def test_cooperative_withholds_just_what_sticky_moves_between_members(group: Group) -> None:
    once, target = assigned("cooperative_sticky", group), assigned("sticky", group)
    for before, now, then in zip(group.owners, once, target, strict=True):
        moves = before in group.members and before != then
        assert now == (cases.UNOWNED if moves else then)


@given(group=cases.groups())
def test_cooperative_withholds_nothing_in_the_second_round(group: Group) -> None:
    once = assigned("cooperative_sticky", group)
    assert cases.UNOWNED not in assigned("cooperative_sticky", group._replace(owners=once))


@given(group=cases.groups())
def test_the_order_of_members_does_not_matter(group: Group) -> None:
    for name in cases.NAMES:
        turned = group._replace(members=group.members[::-1])
        assert assigned(name, turned) == assigned(name, group)


@given(group=cases.groups())
def test_equal_inputs_give_equal_results_and_are_not_changed(group: Group) -> None:
    for name in cases.NAMES:
        members, owners = np.array(group.members), np.array(group.owners)
        lags = np.array(group.lags)
        first = assignors.assign(name, group.partitions, members, owners, lags)
        again = assignors.assign(name, group.partitions, members, owners, lags)
        assert first.dtype == np.int64
        assert first.tolist() == again.tolist()
        assert members.tolist() == group.members
        assert owners.tolist() == group.owners
        assert lags.tolist() == group.lags


@given(group=cases.groups())
def test_only_kip169_reads_lags(group: Group) -> None:
    for name in [name for name in cases.NAMES if name != "kip169"]:
        without = assignors.assign(name, group.partitions, group.members, group.owners)
        assert without.tolist() == assigned(name, group)


@given(group=cases.groups())
def test_only_sticky_and_uniform_read_owners(group: Group) -> None:
    for name in ["range", "kip848_range", "roundrobin", "kip169"]:
        unowned = [cases.UNOWNED] * group.partitions
        assert assigned(name, group._replace(owners=unowned)) == assigned(name, group)
