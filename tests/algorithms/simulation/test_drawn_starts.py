"""Replicas whose starts take drawn times, each joining when it is ready."""

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

LANDAU = "10-50:0.88,50-500:0.12"
LONG_S = 1000.0
"""Steps that are longer than any start."""


class CountedJoins(Group):
    """The plain simulation, which counts joins after which others of the action still start."""

    partial = 0

    def join(self) -> None:
        super().join()
        self.partial += bool(self.coming)


def runs(answers: list[Answer], rate: float = 1.0, **settings: Any) -> Detailed:
    """One partition, an answer per step; a group has settled as its last replica has joined."""
    settings = PAPER_GROUP | {
        **{"step_s": LONG_S, "decision_s": LONG_S, "observe": "now", "rebalance_s": 0.0},
        **{"startup_s": LANDAU, "max_replicas": 9},
        **settings,
    }
    rates = np.full((len(answers), 1), rate)
    return simulate_in_detail(rates, scripted.strategy(answers), settings=settings)


def started_s(counts: list[int], **settings: Any) -> Floats:
    """How long the actions took that added replicas."""
    actions = runs([(n, 0, [0]) for n in counts], **settings).actions
    return actions.settled_after_s[actions.after > actions.before]


@pytest.mark.parametrize("block", range(4))
def test_random_scenarios(block: int) -> None:
    """The plain simulation agrees in everything, with all settings and kinds of answers."""
    for seed in range(30 * block, 30 * (block + 1)):
        check(scenarios.with_drawn_starts(scenarios.scenario(seed), seed))


@pytest.mark.slow
def test_many_more_random_scenarios() -> None:
    for seed in range(40_000, 40_300):
        check(scenarios.with_drawn_starts(scenarios.scenario(seed, steps=20), seed))


def test_replicas_of_some_scenarios_join_one_after_the_other() -> None:
    """What the comparison is about happens in it: several rebalances of one action."""
    partial = 0
    for seed in range(120):
        case = scenarios.with_drawn_starts(scenarios.scenario(seed), seed)
        group = CountedJoins(case.rates, case.setup, scripted.Reader(case.answers))
        group.run()
        partial += group.partial
    assert partial > 20


def test_pieces_without_width_are_the_constant_bit_for_bit() -> None:
    for seed in range(60):
        case = scenarios.scenario(seed)
        call = (case.workload, scripted.strategy(case.answers))
        constant_s = case.settings["startup_s"]
        one = simulate_in_detail(*call, settings=case.settings)
        text = f"{constant_s:g}-{constant_s:g}:0.25,{constant_s:g}-{constant_s:g}:0.75"
        other = simulate_in_detail(*call, settings=case.settings | {"startup_s": text})
        for before, after in zip((one.trajectory, one.actions), other[1:], strict=True):
            assert all(
                np.array_equal(a, b, equal_nan=True) for a, b in zip(before, after, strict=True)
            )
        assert repr(one.result) == repr(other.result)


def test_drawn_times_follow_the_shares() -> None:
    """10,000 starts: shares within 4 standard deviations, uniform within each piece."""
    times = started_s([2, 1] * 10_000)
    assert times.size == 10_000
    short, long = times[times < 50.0], times[times >= 50.0]
    assert short.size / times.size == pytest.approx(0.88, abs=4 * np.sqrt(0.88 * 0.12 / 10_000))
    for part, low, high in ((short, 10.0, 50.0), (long, 50.0, 500.0)):
        placed = np.sort((part - low) / (high - low))
        assert placed[0] >= 0.0
        assert placed[-1] <= 1.0
        # Kolmogorov and Smirnov's distance exceeds 1.95 / √n in one of a thousand samples.
        even = (np.arange(part.size) + 0.5) / part.size
        assert np.abs(placed - even).max() < 1.95 / np.sqrt(part.size)


def test_a_time_depends_on_seed_replica_and_start_alone() -> None:
    """Not on what else starts, nor on the load, nor on when."""
    both = started_s([1, 3])
    first, second = started_s([1, 2, 3])
    later = started_s([1, 1, 1, 2, 3], rate=150.0, step_s=2 * LONG_S, decision_s=2 * LONG_S)
    assert both[0] == pytest.approx(max(first, second))
    assert later == pytest.approx([first, second])
    again = started_s([2, 1, 2, 1, 2])
    assert again[0] == pytest.approx(first)
    assert len({*again.round(6)}) == 3
    assert started_s([1, 2], seed=1)[0] != pytest.approx(first)
    assert started_s([1, 2], placement_draw=1)[0] != pytest.approx(first)


def test_runs_in_threads_in_any_order_draw_the_same() -> None:
    answers: list[Answer] = [(n, 0, [0]) for n in (3, 1, 4, 2, 5)]
    alone = [runs(answers, seed=seed).result.replica_minutes for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(runs, answers, seed=seed) for seed in reversed(range(8))]
    together = [future.result().result.replica_minutes for future in reversed(futures)]
    assert alone == together


def test_all_are_paid_from_the_decision_and_serve_when_they_have_joined() -> None:
    """Two of three that start are ready after 1 s, and serve while the last one starts."""
    answers: list[Answer] = [None, (4, 0, [0] * 4)] + [None] * 18
    settings = PAPER_GROUP | {
        **{"decision_s": 1.0, "observe": "now", "mu": 100.0, "startup_s": "1-1:0.6,9-9:0.4"},
        **{"rebalance_s": 0.0},
    }
    for seed in range(20):
        drawn = simulate_in_detail(
            np.full((20, 4), 25.0), scripted.strategy(answers), settings=settings | {"seed": seed}
        )
        assert drawn.result.replicas.tolist() == [1] + [4] * 19
        owners = scripted.STARTED[-1].notes[:, 2].astype(int)
        members = [len({*row}) for row in owners.tolist()]
        if members[4] == 3:
            assert members == [1, 1] + [3] * 8 + [4] * 10
            assert drawn.actions.settled_after_s.tolist() == [9.0]
            return
    raise AssertionError("no seed has two quick starts and a slow one")
