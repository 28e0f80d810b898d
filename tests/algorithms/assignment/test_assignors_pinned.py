"""Results of the assignors that are published, or that follow by hand from their rules."""

from __future__ import annotations

import pytest

from algorithms.assignment import assignors

pytestmark = pytest.mark.unit

N = -1


def assigned(name: str, members: list[int], owners: list[int]) -> list[int]:
    """Result for partitions with the given owners."""
    after: list[int] = assignors.assign(name, len(owners), members, owners).tolist()
    return after


def loads(after: list[int], lags: list[float]) -> dict[int, float]:
    """Lag of each member."""
    return {
        member: sum(lag for owner, lag in zip(after, lags, strict=True) if owner == member)
        for member in after
    }


@pytest.mark.parametrize(
    ("name", "expected", "lag_by_member"),
    [
        ("kip169", [0, 1, 1], {0: 100_000, 1: 110_000}),
        ("range", [0, 0, 1], {0: 160_000, 1: 50_000}),
        ("roundrobin", [0, 1, 0], {0: 150_000, 1: 60_000}),
    ],
)
def test_example_of_kip_169(
    name: str, expected: list[int], lag_by_member: dict[int, float]
) -> None:
    """Lags of 100,000, 60,000 and 50,000 and two members.

    KIP-169 gives the largest to one member and the others to the other one, and compares with
    range, which loads one member with 160,000.
    """
    lags = [100_000.0, 60_000.0, 50_000.0]
    after = assignors.assign(name, 3, [0, 1], [N] * 3, lags).tolist()
    assert after == expected
    assert loads(after, lags) == lag_by_member


def test_range_gives_the_first_members_one_more() -> None:
    """7 = 3 + 2 + 2; ids need not be consecutive."""
    for name in ("range", "kip848_range"):
        assert assigned(name, [8, 2, 5], [N] * 7) == [2, 2, 2, 5, 5, 8, 8]


def test_members_beyond_the_partitions_are_idle() -> None:
    for name in ("range", "roundrobin", "sticky", "kip848_uniform_4_0", "kip169"):
        assert assigned(name, [0, 1, 2, 3], [N, N]) == [0, 1], name


def test_in_a_new_group_kafka_4_1_leaves_extra_places_to_the_last_members() -> None:
    """No member owns anything, so each of the first gives its extra place back."""
    assert assigned("kip848_uniform", [0, 1, 2, 3], [N, N]) == [2, 3]
    assert assigned("kip848_uniform", [0, 1, 2], [N] * 4) == [0, 1, 2, 2]


def test_sticky_fills_in_turn_and_not_one_member_after_the_other() -> None:
    """A new group of two: as round robin. The uniform assignor gives blocks."""
    assert assigned("sticky", [0, 1], [N] * 4) == [0, 1, 0, 1]
    assert assigned("kip848_uniform", [0, 1], [N] * 4) == [0, 0, 1, 1]


def test_a_member_that_leaves_moves_only_its_own_partitions() -> None:
    for name in ("sticky", "cooperative_sticky", "kip848_uniform", "kip848_uniform_4_0"):
        assert assigned(name, [0, 2], [0, 1, 2, 0, 1, 2]) == [0, 0, 2, 0, 2, 2], name


def test_candidates_that_had_a_full_share_come_before_those_that_just_got_one() -> None:
    """Five partitions, q = 1: member 2 owns one, 0 and 1 are filled first; then 2, then 0."""
    assert assigned("sticky", [0, 1, 2], [2, N, N, N, N]) == [2, 0, 1, 2, 0]


def test_only_as_many_members_keep_one_more_as_can() -> None:
    """Six partitions and four members: 0 and 1 keep two of three, and two members get one."""
    assert assigned("sticky", [0, 1, 2, 3], [0, 0, 0, 1, 1, 1]) == [0, 0, 2, 1, 1, 3]
    assert assigned("cooperative_sticky", [0, 1, 2, 3], [0, 0, 0, 1, 1, 1]) == [0, 0, N, 1, 1, N]


def test_an_id_that_is_not_present_owns_nothing() -> None:
    """Nothing is withheld from member 9, which has left."""
    assert assigned("cooperative_sticky", [0, 1], [9, 0, 9, 9]) == [0, 0, 1, 1]


def test_rounds_of_cooperative_sticky_can_end_elsewhere_than_sticky() -> None:
    """The second round lists its candidates again, by id.

    Member 1 gets partition 0, so it comes after member 2, which had a full share before: 3 goes to
    2. In rounds, 3 is withheld first. Then both have a full share, and 3 goes to 1.
    """
    owners = [N, 0, 0, 0, 2]
    assert assigned("sticky", [0, 1, 2], owners) == [1, 0, 0, 2, 2]
    once = assigned("cooperative_sticky", [0, 1, 2], owners)
    assert once == [1, 0, 0, N, 2]
    assert assigned("cooperative_sticky", [0, 1, 2], once) == [1, 0, 0, 1, 2]


def test_kafka_4_1_gives_an_unused_extra_place_back() -> None:
    """Three partitions, two members, one extra place: member 1 uses it, member 0 does not.

    Kafka 4.0.0 reserves it for member 0 and moves a partition there for nothing.
    """
    assert assigned("kip848_uniform", [0, 1], [1, 0, 1]) == [1, 0, 1]
    assert assigned("kip848_uniform_4_0", [0, 1], [1, 0, 1]) == [1, 0, 0]


def test_uniform_gives_unowned_partitions_before_revoked_ones() -> None:
    """Member 0 keeps two of four. Member 1 has one place, and partition 4 comes first."""
    assert assigned("kip848_uniform", [0, 1, 2], [0, 0, 0, 0, N]) == [0, 0, 2, 2, 1]


def test_kip169_compares_ids_as_text() -> None:
    """Ties in partitions and lag: "10" < "100" < "2" < "21" < "9"."""
    ids = [9, 100, 2, 21, 10]
    assert assigned("kip169", ids, [N] * 5) == [10, 100, 2, 21, 9]
    long = [9, 9_223_372_036_854_775_807, 92, 999_999_999_999_999_999, 0]
    assert assigned("kip169", long, [N] * 5) == sorted(long, key=str)


def test_kip169_counts_partitions_before_lag() -> None:
    """The member with almost all the lag still gets as many partitions as the other."""
    after = assignors.assign("kip169", 4, [0, 1], [N] * 4, [0.0, 9.0, 1.0, 0.0]).tolist()
    assert after == [1, 0, 1, 0]
