"""Actions of a group, one rule at a time, with figures that can be checked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.simulation.group_result import Detailed
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation.plain_settings import Answer
from tests.algorithms.simulation.scripted import STARTED, strategy

pytestmark = pytest.mark.unit


def run(answers: list[Answer], steps: int = 8, rate: float = 10.0, **settings: Any) -> Detailed:
    """Four partitions; a decision per second, the first at 0 s."""
    settings = PAPER_GROUP | {"decision_s": 1.0, "observe": "now"} | settings
    answers = answers + [None] * (steps - len(answers))
    return simulate_in_detail(np.full((steps, 4), rate), strategy(answers), settings=settings)


def count(n: int) -> Answer:
    return n, 0, [0] * 4


def ranks(n: int, *owners: int) -> Answer:
    return n, 1, list(owners)


def ids(*owners: int) -> Answer:
    return len(set(owners)), 2, list(owners)


def owners_seen() -> list[list[int]]:
    """Owners at each decision of the last run."""
    script = STARTED[-1]
    return script.notes[: script.calls[0], 2].astype(int).tolist()


def test_range_gives_the_second_half_to_a_second_member() -> None:
    result, _, actions = run([None, count(2)])
    assert owners_seen() == [[0, 0, 0, 0]] * 2 + [[0, 0, 1, 1]] * 6
    assert (result.n_up, result.partitions_moved) == (1, 2)
    assert actions.time_s.tolist() == [1.0]


@pytest.mark.parametrize(
    ("protocol", "stalled_s", "settled_s"),
    [("eager", 4 * 0.2, 0.2), ("cooperative", 2 * 0.4, 0.4), ("incremental", 2 * 0.2, 0.2)],
)
def test_protocols_when_a_member_joins(protocol: str, stalled_s: float, settled_s: float) -> None:
    """Eager stops all four; the others the two that move, cooperative for two rebalances."""
    result, _, actions = run([None, count(2)], protocol=protocol, rebalance_s=0.2)
    assert result.stalled_s == pytest.approx(stalled_s)
    assert actions.settled_after_s.tolist() == [pytest.approx(settled_s)]


@pytest.mark.parametrize("protocol", ["eager", "cooperative", "incremental"])
def test_protocols_when_a_member_leaves(protocol: str) -> None:
    """Its partitions wait for the heartbeat, and then for one rebalance: there is no revoking."""
    result, _, actions = run(
        [None, count(1)], protocol=protocol, initial_replicas=2, rebalance_s=0.2, heartbeat_s=0.5
    )
    stopped = 4 if protocol == "eager" else 2
    assert result.stalled_s == pytest.approx(2 * 0.5 + stopped * 0.2)
    assert actions.settled_after_s.tolist() == [pytest.approx(0.7)]
    assert result.partitions_moved == 2


def test_moved_partitions_wait_longer() -> None:
    for protocol, stalled_s in (("eager", 4 * 0.2 + 2 * 1.0), ("incremental", 2 * 1.2)):
        result, _, actions = run(
            [None, count(2)], protocol=protocol, rebalance_s=0.2, move_pause_s=1.0
        )
        assert result.stalled_s == pytest.approx(stalled_s)
        assert actions.settled_after_s.tolist() == [pytest.approx(1.2)]


def test_new_replicas_are_paid_while_they_start() -> None:
    """From 1 s on, although the second one joins at 3.5 s and serves from 4 s on."""
    result, trajectory, _ = run([None, count(2)], startup_s=2.5, heartbeat_s=0.4, rebalance_s=0.1)
    assert result.replicas.tolist() == [1, 2, 2, 2, 2, 2, 2, 2]
    assert result.replica_minutes == pytest.approx((1 + 7 * 2) / 60)
    assert trajectory.stalled_s.tolist() == pytest.approx([0, 0, 0, 4 * 0.1, 0, 0, 0, 0])
    assert owners_seen()[3:5] == [[0, 0, 0, 0], [0, 0, 1, 1]]


def test_removed_replicas_are_paid_until_they_stop() -> None:
    """The one that stops is replaced by one that takes 1.5 s to start."""
    result, trajectory, actions = run(
        [None, ids(0, 0, 3, 3)], initial_replicas=2, startup_s=1.5, heartbeat_s=1.0
    )
    assert result.replicas.tolist() == [2, 3, 2, 2, 2, 2, 2, 2]
    assert result.replica_minutes == pytest.approx((8 * 2 + 1.5) / 60)
    assert trajectory.paid_s.tolist() == [2.0, 3.0, 2.5, 2.0, 2.0, 2.0, 2.0, 2.0]
    assert (result.n_up, result.n_down, result.n_reassign) == (0, 0, 1)
    # Nobody has the partitions of the removed one between 2.5 s and 3.5 s.
    assert owners_seen()[2:5] == [[0, 0, 1, 1], [0, 0, -1, -1], [0, 0, 2, 2]]
    assert actions.moved.tolist() == [2]


def test_new_members_get_the_lowest_ids_not_in_use() -> None:
    """Unused ids stand for new members, both ascending.

    Member 0 leaves; 2 and 3 stand for 1 and 2. Then 1 stays, 2 leaves, and 3 stands for 0.
    """
    run([None, ids(2, 2, 3, 3), None, ids(1, 1, 3, 3)], rebalance_s=0.0)
    assert owners_seen()[2] == [1, 1, 2, 2]
    assert owners_seen()[4] == [1, 1, 0, 0]


def test_ranks_are_of_the_members_after_the_action() -> None:
    run([None, ranks(3, 2, 1, 0, 2), None, ranks(2, 1, 0, 1, 0)], rebalance_s=0.0)
    assert owners_seen()[2] == [2, 1, 0, 2]
    assert owners_seen()[4] == [1, 0, 1, 0]


def test_a_count_out_of_bounds_drops_the_assignment() -> None:
    """Four members are too many: there are three, and the assignor places."""
    result, _, _ = run([None, ranks(4, 3, 2, 1, 0)], max_replicas=3, rebalance_s=0.0)
    assert result.replicas.tolist() == [1] + [3] * 7
    assert owners_seen()[2] == [0, 0, 1, 2]
    assert STARTED[-1].numbers[2, 2] == 3.0


@pytest.mark.parametrize("answer", [ranks(2, 0, 1, 2, 0), (2, 2, [0, 1, 10**9, 0]), ranks(2, -2)])
def test_ranks_and_ids_out_of_bounds_drop_the_assignment(answer: Answer) -> None:
    """A strategy of another program may be wrong; it must not write into other memory."""
    assert answer is not None
    run([None, (*answer[:2], (answer[2] * 4)[:4])], rebalance_s=0.0)
    assert owners_seen()[2] == [0, 0, 1, 1]


def test_what_changes_nothing_is_no_action() -> None:
    result, _, _ = run([count(2), ranks(2, 0, 0, 1, 1), ids(0, 0, 1, 1)], initial_replicas=2)
    assert result.n_up + result.n_down + result.n_reassign == 0
    result, _, _ = run([count(2), ranks(2, 1, 0, 1, 1)], initial_replicas=2)
    assert (result.n_reassign, result.partitions_moved) == (1, 1)


def test_an_answer_during_an_action_waits_and_is_replaced() -> None:
    """The group is busy from 1 s to 5.05 s; of the answers 3, 4 and 2 only the last counts."""
    answers: list[Answer] = [None, count(2), count(3), count(4), None, count(1), None, None, None]
    result, _, actions = run(answers, steps=9, startup_s=4.0)
    assert actions.time_s.tolist() == [1.0, pytest.approx(5.05)]
    assert actions.after.tolist() == [2, 1]
    assert (result.n_up, result.n_down) == (1, 1)
    assert STARTED[-1].numbers[:, 2].tolist() == [1, 1, 2, 3, 4, 4, 1, 1, 1]


def test_no_answer_leaves_the_waiting_one() -> None:
    _, _, actions = run([None, count(2), count(3), None, None], startup_s=2.0)
    assert actions.time_s.tolist() == [1.0, pytest.approx(3.05)]
    assert actions.after.tolist() == [2, 3]


def test_a_strategy_is_not_called_soon_after_the_beginning_of_an_action() -> None:
    """Three seconds from 1 s on: the next call is at 4 s."""
    run([None, count(2)], cooldown_s=3.0)
    script = STARTED[-1]
    assert script.numbers[: script.calls[0], 1].tolist() == [0, 1, 4, 5, 6, 7]


def test_group_events_come_before_the_decision_of_the_same_instant() -> None:
    """At 3 s the second member has its partitions already."""
    run([None, count(2)], startup_s=2.0, rebalance_s=0.0)
    assert owners_seen()[1:4] == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]]


def test_a_decision_comes_before_the_burst_of_the_same_instant() -> None:
    result, _, _ = run([], rate=60.0, arrivals="burst")
    assert STARTED[-1].notes[:, 0].sum(axis=1).tolist() == [40.0 * k for k in range(8)]
    assert result.peak_lag == 7 * 40.0 + 240.0
    run([], rate=60.0, arrivals="burst", decision_offset_s=0.5)
    assert STARTED[-1].notes[:, 0].sum(axis=1).tolist() == [140.0 + 40.0 * k for k in range(8)]


def test_figures_end_with_the_last_step() -> None:
    """Before the end of step N, moves count; an action that ends with it is completed unseen."""
    answers: list[Answer] = [None] * 6 + [count(2)]
    result, _, actions = run(answers, startup_s=1.5, rate=60.0)
    assert actions.moved.tolist() == [2]
    assert actions.settled_after_s.tolist() == [pytest.approx(1.55)]
    # The second member joins at 8 s, and the answer that waits is dropped.
    result, _, actions = run([*answers, count(3)], startup_s=2.0, rate=60.0)
    assert actions.time_s.tolist() == [6.0]
    assert (actions.moved.tolist(), result.partitions_moved) == ([0], 0)
    assert np.isnan(actions.settled_after_s).tolist() == [True]
    assert result.replica_minutes == pytest.approx((6 + 2 * 2) / 60)
    assert result.stalled_s == 0.0
    assert result.unconsumed == pytest.approx(8 * 40.0)
    # The oldest event then arrived at 20/3 s. It departs after the rebalance, at 8.05 s.
    assert result.max == pytest.approx(8.05 - 20 / 3 + 0.0025)


def test_the_first_member_waits_for_its_first_rebalance() -> None:
    """It joins at 4 s and consumes from 5.5 s on; growth at 6 s waits for the heartbeat instead."""
    answers = [None, count(0), None, None, count(1), None, count(2)]
    _, trajectory, actions = run(
        answers, min_replicas=0, rebalance_s=0.0, heartbeat_s=1.0, initial_rebalance_s=1.5
    )
    assert trajectory.stalled_s.tolist()[3:6] == [4, 4, 2]
    assert actions.settled_after_s.tolist()[1:] == pytest.approx([1.5, 1.0])


def test_scaling_to_zero_and_back() -> None:
    """Nobody has the partitions from 1 s to 4 s; the first member has its old id again."""
    result, trajectory, actions = run(
        [None, count(0), None, None, count(1)], min_replicas=0, rebalance_s=0.0
    )
    assert result.replicas.tolist() == [1, 0, 0, 0, 1, 1, 1, 1]
    assert owners_seen()[1:6] == [[0] * 4] + [[-1] * 4] * 3 + [[0] * 4]
    assert trajectory.stalled_s.tolist() == [0, 4, 4, 4, 0, 0, 0, 0]
    assert actions.moved.tolist() == [0, 0]
    assert result.max == pytest.approx(3.0 + 0.0025)
