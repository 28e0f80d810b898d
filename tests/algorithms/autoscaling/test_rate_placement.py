"""Placement by rate: counts are those of the strategy, and few partitions move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import Group, Seen, balanced_members, registry
from algorithms.autoscaling.largest_first import fill_loads, least_possible
from algorithms.autoscaling.strategies import PLACEMENT
from algorithms.core.arrays import Floats
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.autoscaling import cases, plain_counting, plain_placement
from tests.algorithms.autoscaling.plain_placement import PlainPlacement

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def observed(time: float, rates: list[float], owners: list[int], replicas: int) -> Seen:
    """An observation of as many partitions as there are rates."""
    seen = cases.seen(np.random.default_rng(0), cases.GROUP)
    return seen._replace(
        time=time,
        lags=np.zeros(len(rates)),
        rates=np.array(rates),
        owners=np.array(owners, np.int64),
        replicas=replicas,
    )


def answers(group: Group, *seen: Seen, name: str = "linear", **arguments: Any) -> list[Any]:
    """Replicas and consumers of each answer, None for none."""
    every = cases.decided(name + PLACEMENT, group, *seen, **arguments)
    return [None if replicas < 0 else (replicas, after) for replicas, _, after in every]


ONE_PER_40: dict[str, Any] = {"f_up": 0.8, "f_down": 0.32}
"""Of `linear`: one replica per 40 events/s."""


def test_one_more_takes_partitions_until_both_are_even() -> None:
    """Of 50, 20, 20, 10: 50 moves, since the larger load falls from 100 to 50, and nothing more."""
    group = cases.GROUP._replace(partitions=4)
    seen = observed(1.0, [20.0, 50.0, 10.0, 20.0], [0, 0, 0, 0], 1)
    assert answers(group, seen, f_up=0.8, f_down=0.64) == [(2, [0, 1, 0, 0])]


def test_many_equal_partitions_spread_over_new_members() -> None:
    """Each of 64 is less than 2 % of what the only member has, and yet it must not keep them."""
    group = cases.GROUP._replace(partitions=64, max_replicas=64)
    ((replicas, after),) = answers(group, observed(1.0, [10.0] * 64, [0] * 64, 1), **ONE_PER_40)
    assert replicas == 16
    assert np.bincount(after).tolist() == [4] * 16


def test_one_fewer_moves_only_what_it_had() -> None:
    """Consumer 2 has least; its partitions go, 15 before 5, to 0 with 40 and then 1 with 45."""
    group = cases.GROUP._replace(partitions=5)
    seen = observed(1.0, [40.0, 45.0, 5.0, 15.0, 0.0], [0, 1, 2, 2, 2], 3)
    assert answers(group, seen, f_up=0.8, f_down=0.64) == [(2, [0, 1, 1, 0, 1])]


def test_the_same_count_is_evened_out_after_a_minute() -> None:
    """80 and 20 of 100, where 50 and 50 is possible; not before 60 s have passed, nor again."""
    group = cases.GROUP._replace(partitions=4)
    state = [20.0, 30.0, 30.0, 20.0], [0, 0, 0, 1], 2
    seen = [observed(t, *state) for t in (59.0, 60.0, 61.0, 119.0, 120.0)]
    even = (2, [0, 1, 0, 1])
    assert answers(group, *seen, f_up=0.8, f_down=0.64) == [None, even, None, None, even]


@pytest.mark.parametrize(("most", "moves"), [(22, False), (24, True)])
def test_up_to_15_percent_above_a_packing_is_even(most: int, moves: bool) -> None:
    """Forty partitions of 1 event/s: a packing has 20 and 20, of which 1.15 are 23."""
    owners = [0] * most + [1] * (40 - most)
    group = cases.GROUP._replace(partitions=40, initial_replicas=2)
    seen = observed(60.0, [1.0] * 40, owners, 2)
    assert (answers(group, seen, name="constant") != [None]) == moves


def test_no_answer_during_an_action() -> None:
    """3 s until the replica joins, 2 until the rebalance, and twice 0.5 for what moves."""
    group = cases.GROUP._replace(startup_s=3.0, heartbeat_s=2.0, protocol="cooperative")
    rates = [20.0, 20.0, 20.0, 20.0, 20.0]
    seen = [observed(t, rates, [0] * 5, 1) for t in (1.0, 2.0, 6.0, 6.5, 7.0)]
    assert [one is None for one in answers(group, *seen)] == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("protocol", "seconds"), [("eager", 2.75), ("incremental", 2.75), ("cooperative", 2.75)]
)
def test_a_smaller_group_settles_after_one_rebalance(protocol: str, seconds: float) -> None:
    """Also with `cooperative`: partitions of a member that has left need not be revoked."""
    group = cases.GROUP._replace(partitions=2, protocol=protocol, startup_s=9.0)
    group = group._replace(heartbeat_s=2.0, move_pause_s=0.25)
    seen = [
        observed(1.0, [1.0, 1.0], [0, 1], 2),
        observed(1.0 + seconds - 0.01, [100.0, 100.0], [0, 0], 1),
        observed(1.0 + seconds, [100.0, 100.0], [0, 0], 1),
    ]
    assert [one is None for one in answers(group, *seen)] == [False, True, False]


def test_members_without_partitions_are_remembered() -> None:
    """The third member of two partitions has nothing, and leaves first."""
    group = cases.GROUP._replace(partitions=2)
    seen = [
        observed(1.0, [60.0, 30.0], [0, 0], 1),
        observed(2.0, [60.0, 30.0], [1, 0], 3),
        observed(3.0, [40.0, 20.0], [1, 0], 3),
    ]
    assert answers(group, *seen, **ONE_PER_40) == [(3, [1, 0]), None, (2, [1, 0])]


def test_without_events_all_partitions_weigh_the_same() -> None:
    seen = observed(1.0, [0.0] * 5, [-1] * 5, 0)
    group = cases.GROUP._replace(min_replicas=0, max_replicas=2)
    assert answers(group, seen, name="ds2") == [(1, [0] * 5)]
    two = group._replace(min_replicas=2, initial_replicas=2)
    assert answers(two, seen, name="ds2") == [(2, [0, 1, 0, 1, 0])]


def test_a_group_without_replicas_has_no_owners() -> None:
    """KEDA stops the last replica after 300 s without lag, and starts the first with lag."""
    group = cases.GROUP._replace(min_replicas=0, decision_s=15.0)
    idle = observed(300.0, [0.0] * 5, [0] * 5, 1)
    late = observed(330.0, [20.0, 0.0, 0.0, 0.0, 0.0], [-1] * 5, 0)._replace(lags=np.full(5, 4.0))
    assert cases.decided("keda_hpa" + PLACEMENT, group, idle)[0][:2] == (0, 0)
    assert answers(group, idle, late, name="keda_hpa")[1] == (1, [0] * 5)


def test_owners_beyond_the_ids_of_a_group_do_not_count() -> None:
    seen = observed(1.0, [1.0, 1.0], [0, 10**6], 1)
    assert answers(cases.GROUP._replace(partitions=2), seen) == [(1, [0, 0])]


def group_at(rng: np.random.Generator) -> Group:
    """A random group, also with delays."""
    initial = int(rng.integers(1, 4))
    drawn = cases.group(rng)
    return drawn._replace(
        decision_s=float(rng.choice([1.0, 15.0])),
        startup_s=float(rng.choice([0.0, 0.0, 7.5])),
        heartbeat_s=float(rng.choice([0.0, 0.25])),
        move_pause_s=float(rng.choice([0.0, 0.5])),
        protocol=str(rng.choice(["eager", "cooperative", "incremental"])),
        initial_replicas=min(initial, drawn.max_replicas),
    )


def scale(kind: str, rng: np.random.Generator, partitions: int) -> Floats:
    """Rates that stay, with many ties and exact sums, or that never repeat."""
    if kind == "exact":
        return np.asarray(rng.integers(0, 9, partitions) * 8.0, np.float64)
    return np.round(rng.uniform(0.0, 90.0, partitions), 6)


@pytest.mark.parametrize("kind", ["exact", "varying"])
@pytest.mark.parametrize("name", ["linear", "threshold", "constant"])
def test_decisions_are_those_of_the_plain_placement(name: str, kind: str) -> None:
    """Owners follow the answers, except where a live group does something else."""
    rng = np.random.default_rng(len(name) + len(kind))
    for _ in range(60):
        group = group_at(rng)
        p = group.partitions
        plain, rates, time = PlainPlacement(group), scale(kind, rng, p), 0.0
        owners, replicas = rng.integers(0, group.initial_replicas, p), group.initial_replicas
        seen: list[Seen] = []
        expected = []
        for _ in range(25):
            time += float(rng.choice([1.0, 1.0, 15.0, 61.0]))
            rates = scale(kind, rng, p) if kind == "varying" else rates
            if rng.random() < 0.1:
                owners = rng.integers(-1, group.max_replicas + 2, p)
            lags = rng.uniform(0.0, 60.0, p)
            one = observed(time, rates.tolist(), owners.tolist(), replicas)
            seen.append(one._replace(lags=np.round(lags, 6)))
            count = cases.decided(name, group, *seen)[-1][0]
            answer = plain.decide(seen[-1], count)
            expected.append(None if answer is None else tuple(answer))
            if answer is not None:
                owners, replicas = np.array(answer.owners), answer.replicas
        assert answers(group, *seen, name=name) == expected


@pytest.mark.parametrize("burst", [False, True])
def test_headroom_goes_by_the_packing(burst: bool) -> None:
    """The least n with ``h * peak * share <= C``, of the smoothed rates."""
    rng = np.random.default_rng(7)
    for _ in range(30):
        group = cases.group(rng, burst=burst)
        p, plain = group.partitions, [0.0] * group.partitions
        capacity = group.mu * group.wsla_s - 0.5 if burst else group.mu
        seen, expected, totals = [], [], []
        for k in range(1, 16):
            rates = np.round(rng.uniform(0.0, 60.0, p), 6)
            seen.append(observed(float(k), rates.tolist(), [0] * p, 1))
            new = max(0.05, 1.0 / k)
            plain = [x + new * (r - x) for x, r in zip(plain, rates.tolist(), strict=True)]
            totals.append(plain_counting.added(rates.tolist()))
            planned = 1.2 * max(totals[-10:]) / sum(plain)
            enough = (
                n
                for n in range(1, group.max_replicas)
                if planned * plain_placement.packed(plain, n) <= capacity
            )
            expected.append(next(enough, group.max_replicas))
        state = registry.get("headroom" + PLACEMENT).start(group).counting
        assert counts_of(state, seen) == expected


def counts_of(state: Any, seen: list[Seen]) -> list[int]:
    """Counts of a strategy's state, whatever the placement makes of them."""
    from algorithms.autoscaling.compiled_decisions import decide_once

    return [decide_once(state, one, np.empty(one.rates.size, np.int64))[0] for one in seen]


WEIGHTS = st.lists(st.integers(0, 1000).map(float), min_size=1, max_size=12)


def stock(weights: list[float], owners: list[int]) -> balanced_members.Balanced:
    """Members that own partitions."""
    members = balanced_members.create(len(weights), 8, 0)
    balanced_members.take_stock(members, np.array(owners), 0, np.array(weights))
    return members


@given(WEIGHTS, st.integers(1, 8), st.randoms(use_true_random=False))
def test_growing_never_makes_a_load_larger(weights: list[float], n: int, draws: Any) -> None:
    """Every partition moves at most once, each from its old owner to a member with less."""
    owners = [draws.randrange(n) for _ in weights]
    members, array = stock(weights, owners), np.array(weights)
    before = members.loads[: members.number[0]].max()
    replicas = max(n, int(members.number[0]))
    balanced_members.resize(members, np.array(owners), replicas, array)
    balanced_members.even_out(members, array)
    after = np.empty(len(weights), np.int64)
    balanced_members.name_owners(members, np.array(owners), after)
    loads = [sum(w for w, o in zip(weights, after, strict=True) if o == id_) for id_ in range(99)]
    assert max(loads) <= before
    assert sorted(filter(None, loads)) == sorted(filter(None, members.loads[:replicas].tolist()))
    moved = after != np.array(owners)
    assert moved.tolist() == members.placed.tolist()
    # Each move gains, so members do not swap partitions of no weight.
    assert not moved[array == 0.0].any()


@given(WEIGHTS, st.integers(2, 8), st.randoms(use_true_random=False))
def test_shrinking_moves_partitions_of_leaving_members_only(
    weights: list[float], n: int, draws: Any
) -> None:
    owners = [draws.randrange(n) for _ in weights]
    members, array = stock(weights, owners), np.array(weights)
    left = draws.randrange(1, int(members.number[0]) + 1)
    loads = sorted(members.loads[: members.number[0]].tolist())
    balanced_members.resize(members, np.array(owners), left, array)
    stay = set(members.ids[:left].tolist())
    kept = sorted(members.loads[:left].tolist())
    assert kept == loads[len(loads) - left :]
    balanced_members.place_orphans(members, array)
    after = np.empty(len(weights), np.int64)
    balanced_members.name_owners(members, np.array(owners), after)
    assert all(a == o for a, o in zip(after.tolist(), owners, strict=True) if o in stay)
    assert set(after.tolist()) <= stay
    # Graham: the last one that raised the largest load went to the least loaded member.
    largest = float(members.loads[:left].max())
    assert largest <= max(kept[-1], sum(weights) / left + max(weights))


@given(WEIGHTS, st.integers(1, 12))
def test_packing_is_within_grahams_bound(weights: list[float], n: int) -> None:
    array = np.array(weights)
    order = np.argsort(-array, kind="stable")
    loads = np.empty(n)
    largest = fill_loads(array, order, n, loads, np.empty(n, np.int64))
    assert largest == loads.max() == plain_placement.packed(weights, n)
    assert loads.sum() == array.sum()
    assert array.max() <= least_possible(array, order, n) <= largest
    least = max(array.sum() / n, array.max())
    assert largest <= least + array.max() * (1.0 - 1.0 / n) + 1e-9


def test_the_group_moves_what_the_answers_say() -> None:
    """Two hot partitions of nine: members get one each, not neighbours, and results repeat."""
    rates = np.full((300, 9), 20.0)
    rates[:, :2] = 110.0
    rates[150:] *= 0.25
    settings = PAPER_GROUP | {"mu": 200.0}
    runs = [
        simulate_in_detail(rates, "headroom" + PLACEMENT, {"h": 1.0}, settings) for _ in range(2)
    ]
    assert runs[0].result.replicas.tolist() == runs[1].result.replicas.tolist()
    assert [run.actions.moved.tolist() for run in runs] == [runs[0].actions.moved.tolist()] * 2
    result = runs[0].result
    assert (int(result.replicas.max()), int(result.replicas[-1])) == (2, 1)
    assert (
        result.replica_minutes
        < simulate_in_detail(rates, "headroom", {"h": 1.0}, settings).result.replica_minutes
    )
