"""Members that learn of a rebalance at their own heartbeats."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation import scenarios, scripted
from tests.algorithms.simulation.plain_group import Group
from tests.algorithms.simulation.plain_settings import Answer
from tests.algorithms.simulation.test_group import check

pytestmark = pytest.mark.unit

OWN = ("drawn", "in_step")
PROTOCOLS = ("eager", "cooperative", "incremental")
HEARTBEAT_S, ROUND_S = 3.0, 0.25


def runs(answers: list[Answer], steps: int = 30, **settings: Any) -> Detailed:
    """Eight partitions with few events; an answer per second, the first at 0 s."""
    settings = PAPER_GROUP | {
        **{"decision_s": 1.0, "observe": "now", "max_replicas": 8},
        **{"heartbeat_s": HEARTBEAT_S, "second_heartbeat_s": None, "rebalance_s": ROUND_S},
        **settings,
    }
    answers = answers + [None] * (steps - len(answers))
    return simulate_in_detail(
        np.full((steps, 8), 1.0), scripted.strategy(answers), settings=settings
    )


def count(n: int) -> Answer:
    return n, 0, [0] * 8


def settled_s(before: int, after: int, seeds: int = 200, **settings: Any) -> Floats:
    """How long a scaling took that began at 1 s, by seed."""
    own = {"initial_replicas": before, **settings}
    results = [runs([None, count(after)], seed=seed, **own) for seed in range(seeds)]
    return np.array([each.actions.settled_after_s[0] for each in results])


def assert_uniform(values: Floats, low: float, high: float, greatest_of: int = 1) -> None:
    """Kolmogorov and Smirnov's distance exceeds 1.95 / √n in one of a thousand samples."""
    assert values.min() >= low - 1e-9
    assert values.max() <= high + 1e-9
    placed = np.sort((values - low) / (high - low)) ** greatest_of
    even = (np.arange(placed.size) + 0.5) / placed.size
    assert np.abs(placed - even).max() < 1.95 / np.sqrt(placed.size)


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize("block", range(4))
def test_random_scenarios(kind: str, block: int) -> None:
    """The plain simulation agrees in everything, with all settings and kinds of answers."""
    for seed in range(40 * block, 40 * (block + 1)):
        check(scenarios.with_heartbeats(scenarios.scenario(seed), kind))


@pytest.mark.parametrize("kind", OWN)
def test_random_scenarios_with_drawn_starts_and_work_in_flight(kind: str) -> None:
    for seed in range(60):
        case = scenarios.with_drawn_starts(scenarios.scenario(seed), seed)
        check(scenarios.with_heartbeats(case, kind))
        case = scenarios.with_work_in_flight(scenarios.scenario(seed), seed)
        check(scenarios.with_heartbeats(case, kind))


@pytest.mark.parametrize("kind", ["whole", *OWN])
def test_random_scenarios_in_which_partitions_that_stay_wait(kind: str) -> None:
    for seed in range(40):
        case = scenarios.with_kept_pauses(scenarios.scenario(seed), seed)
        check(scenarios.with_heartbeats(case, kind))


@pytest.mark.slow
@pytest.mark.parametrize("kind", OWN)
def test_many_more_random_scenarios(kind: str) -> None:
    for seed in range(50_000, 50_200):
        check(scenarios.with_heartbeats(scenarios.scenario(seed, steps=20), kind))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", OWN)
def test_many_scenarios_depend_on_the_phases(kind: str, protocol: str) -> None:
    """What the comparison is about happens in it."""
    other = 0
    for seed in range(120):
        case = scenarios.scenario(seed)
        if case.settings["protocol"] == protocol:
            served = []
            for each in ("whole", kind):
                own = scenarios.with_heartbeats(case, each)
                plain = Group(own.rates, own.setup, scripted.Reader(own.answers)).run()
                served.append(plain.segments)
            other += served[0] != served[1]
    assert other > 8


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_heartbeats_all_are_the_same(protocol: str) -> None:
    """Members learn at once, and no batch cuts time into other parts: bit for bit."""
    zero = {"heartbeat_s": 0.0, "second_heartbeat_s": 0.0, "assignment_interval_s": 0.0}
    for seed in range(60):
        case = scenarios.scenario(seed)
        settings = case.settings | zero | {"protocol": protocol, "max_poll_records": 0}
        call = (case.workload, scripted.strategy(case.answers))
        whole = simulate_in_detail(*call, settings=settings)
        for kind in OWN:
            own = simulate_in_detail(*call, settings=settings | {"heartbeats": kind})
            assert repr(own.result) == repr(whole.result)
            for ours, theirs in zip(own[1:], whole[1:], strict=True):
                for one, other in zip(ours, theirs, strict=True):
                    assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 5), (5, 2), (8, 7), (3, 0), (0, 3)])
def test_a_classic_rebalance_lasts_at_most_as_long_as_with_whole_intervals(
    kind: str, before: int, after: int
) -> None:
    for protocol in ("eager", "cooperative"):
        own: dict[str, Any] = {"protocol": protocol, "min_replicas": 0}
        whole = settled_s(before, after, 1, **own)[0]
        drawn = settled_s(before, after, 40, heartbeats=kind, **own)
        assert drawn.max() <= whole + 1e-9
        assert (drawn.min() < whole - 0.5) == (before > 0)


@pytest.mark.parametrize(("before", "after", "interval_s"), [(1, 4, 0.0), (4, 8, 1.0), (8, 5, 1.0)])
def test_an_incremental_rebalance_takes_two_heartbeats_at_most(
    before: int, after: int, interval_s: float
) -> None:
    """Of those who give something up, and then of those who get it."""
    own: dict[str, Any] = {"protocol": "incremental", "assignment_interval_s": interval_s}
    taken = settled_s(before, after, heartbeats="drawn", assignor="kip848_uniform", **own)
    assert taken.max() <= 2 * HEARTBEAT_S + ROUND_S + 1e-9


def test_an_eager_round_waits_for_the_last_of_the_members_that_are_there() -> None:
    """The greatest of as many uniform times as there are members that did not just join."""
    for before in (1, 3):
        taken = settled_s(before, 5, 400, heartbeats="drawn")
        assert_uniform(taken - ROUND_S, 0.0, HEARTBEAT_S, greatest_of=before)
    # Of six members, two leave at once and need not learn of it.
    assert_uniform(settled_s(6, 4, 400, heartbeats="drawn") - ROUND_S, 0.0, HEARTBEAT_S, 4)


def test_each_eager_member_stops_at_its_own_heartbeat() -> None:
    """Two of eight partitions belong to each of four members: they wait from then until the end."""
    for seed in range(20):
        own: dict[str, Any] = {"heartbeats": "drawn", "initial_replicas": 4, "seed": seed}
        result, _, actions = runs([None, count(8)], **own)
        # The last to learn waits for a round alone.
        assert result.stalled_s > 8 * ROUND_S
        assert result.stalled_s < 6 * actions.settled_after_s[0] + 2 * ROUND_S + 1e-9
    both = runs([None, count(8)], heartbeats="in_step", initial_replicas=4)
    assert both.result.stalled_s == pytest.approx(8 * ROUND_S)


def test_members_in_step_all_learn_at_once_and_wait_an_interval_for_a_second_round() -> None:
    """The first heartbeat is uniform; after a round, all count from its end."""
    for before, after in ((1, 2), (4, 8)):
        eager = settled_s(before, after, 400, heartbeats="in_step")
        assert_uniform(eager - ROUND_S, 0.0, HEARTBEAT_S)
        own = {"heartbeats": "in_step", "protocol": "cooperative"}
        taken = settled_s(before, after, 400, **own)
        assert_uniform(taken - 2 * ROUND_S - HEARTBEAT_S, 0.0, HEARTBEAT_S)
    # A rebalance ends at some time; one that begins at 10 s learns at the third beat after it.
    for seed in range(20):
        answers = [None, count(2), *[None] * 8, count(3)]
        taken = runs(answers, seed=seed, heartbeats="in_step").actions.settled_after_s
        waited = 9.0 - taken[0]
        left = -waited % HEARTBEAT_S
        assert taken[1] == pytest.approx(left + ROUND_S)


@pytest.mark.parametrize("kind", OWN)
def test_a_leader_that_rejoins_stops_before_the_others(kind: str) -> None:
    """Where partitions move between members that stay, it waits for the others' heartbeats."""
    swapped = 2, 2, [1, 0] * 4
    for seed in range(20):
        own: dict[str, Any] = {"heartbeats": kind, "seed": seed, "initial_replicas": 2}
        result, _, actions = runs([None, swapped], **own)
        taken_s = actions.settled_after_s[0]
        # Member 1 learns of it at its heartbeat, and the round begins: four wait for both.
        assert result.stalled_s == pytest.approx(4 * taken_s + 4 * ROUND_S)
    # A cooperative one works until the round begins; half of the partitions move, in two rounds.
    result, _, actions = runs([None, swapped], **(own | {"protocol": "cooperative"}))
    assert actions.settled_after_s[0] > 2 * ROUND_S
    assert result.stalled_s == pytest.approx(4 * (2 * ROUND_S))


def test_a_cooperative_second_round_waits_for_those_who_gave_nothing_up() -> None:
    """One member gives up half of what it has, and alone it learns at once of both rounds."""
    alone = settled_s(1, 2, 100, heartbeats="drawn", protocol="cooperative")
    new_learns = alone - 2 * ROUND_S
    assert new_learns.min() > 0.0
    assert new_learns.max() < 2 * HEARTBEAT_S
    # With eight, all who stay lose nothing: one round.
    own = {"protocol": "cooperative", "assignor": "cooperative_sticky"}
    leaving = settled_s(8, 7, 400, heartbeats="drawn", **own)
    assert_uniform(leaving - ROUND_S, 0.0, HEARTBEAT_S, greatest_of=7)


def test_incremental_members_give_up_at_their_heartbeats_and_a_new_one_gets_all_at_its_second() -> (
    None
):
    own: dict[str, Any] = {
        **{"protocol": "incremental", "heartbeats": "drawn", "assignor": "kip848_uniform"},
        **{"heartbeat_s": 5.0, "rebalance_s": 0.1},
    }
    # As measured: a join takes 5.08 s; the partitions wait from the giver's heartbeat on.
    assert settled_s(4, 5, 30, **own) == pytest.approx(np.full(30, 5.1))
    stalled = np.array([runs([None, count(2)], seed=k, **own).result.stalled_s for k in range(300)])
    assert_uniform(stalled / 4 - 0.1, 0.0, 5.0)
    # What a member leaves, others get at their next heartbeats.
    assert_uniform(settled_s(2, 1, 300, **own) - 0.1, 0.0, 5.0)


def test_the_coordinator_assigns_at_once_unless_it_did_within_its_interval() -> None:
    own: dict[str, Any] = {
        **{"protocol": "incremental", "heartbeats": "drawn", "heartbeat_s": 0.25},
        **{"assignor": "kip848_uniform", "assignment_interval_s": 4.0},
    }
    answers = [None, count(2), None, count(3), *[None] * 10, count(4)]
    first, second, third = runs(answers, **own).actions.settled_after_s.tolist()
    assert max(first, third) <= 0.5 + ROUND_S
    # At 3 s, the last assignment was at 1 s: the next one is at 5 s.
    assert 2.0 < second <= 2.5 + ROUND_S


def test_a_phase_depends_on_seed_and_member_and_its_starts_alone() -> None:
    """Not on loads, times and other members."""
    first = settled_s(1, 2, 30, heartbeats="drawn")
    assert len({*first.round(6)}) == 30
    assert settled_s(1, 2, 30, heartbeats="drawn", mu=100.0).tolist() == first.tolist()
    with_draw = settled_s(1, 2, 30, heartbeats="drawn", placement_draw=1)
    assert not np.isclose(with_draw, first).any()
    # Member 0 alone has to learn of joins: its phase stays until it leaves and starts again.
    answers = [None, count(2), *[None] * 8, count(1), *[None] * 11, count(2)]
    joins = runs(answers, heartbeats="drawn").actions.settled_after_s[[0, 2]]
    assert joins[0] == pytest.approx(joins[1])  # 21 s are seven intervals.
    answers[10], answers[16] = count(0), count(1)
    again = runs(answers, heartbeats="drawn", min_replicas=0).actions.settled_after_s
    assert again[-1] != pytest.approx(joins[0])


def test_runs_in_threads_in_any_order_are_the_same() -> None:
    answers = [None, *(count(n) for n in (3, 1, 4, 2, 5))]

    def minutes(seed: int) -> float:
        return runs(answers, seed=seed, heartbeats="drawn").result.stalled_s

    alone = [minutes(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(minutes, range(8))] == alone


@pytest.mark.parametrize("commit_s", [0.0, 5.0])
def test_partitions_that_stay_wait_in_each_cooperative_round(commit_s: float) -> None:
    """Of eight partitions, four move: they wait for both rounds, the others a second in each."""
    own: dict[str, Any] = {"protocol": "cooperative", "kept_pause_s": 1.0, "commit_s": commit_s}
    result, _, actions = runs([None, count(2)], **own)
    moved_s = 2 * ROUND_S + HEARTBEAT_S
    assert result.stalled_s == pytest.approx(4 * moved_s + 4 * 2 * 1.0)
    assert actions.settled_after_s[0] == pytest.approx(HEARTBEAT_S + moved_s + 1.0 - ROUND_S)
    # If a member leaves, there is one round.
    result, *_ = runs([None, count(1)], initial_replicas=2, **own)
    assert result.stalled_s == pytest.approx(4 * (HEARTBEAT_S + ROUND_S) + 4 * 1.0)
    for protocol in ("eager", "incremental"):
        with_pause, without = (
            runs([None, count(2)], **(own | {"protocol": protocol, "kept_pause_s": pause}))
            for pause in (1.0, 0.0)
        )
        assert with_pause.result.stalled_s == without.result.stalled_s
