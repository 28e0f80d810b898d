"""What strategies see of a group that commits now and then, and how long its partitions wait."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.simulation import simulate
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation.plain_settings import Answer
from tests.algorithms.simulation.scripted import STARTED, strategy

pytestmark = pytest.mark.unit

P = 40


def run(answers: list[Answer], rates: np.ndarray, **settings: Any) -> Detailed:
    """A decision per second, the first at 0 s, in a group of papers with these settings."""
    all_settings = PAPER_GROUP | {"decision_s": 1.0, "observe": "now"} | settings
    answers = answers + [None] * (len(rates) - len(answers))
    return simulate_in_detail(rates, strategy(answers), settings=all_settings)


def lags_seen() -> np.ndarray:
    """Lag of each partition at each decision of the last run, float64[D, P]."""
    script = STARTED[-1]
    return script.notes[: script.calls[0], 0]


@pytest.mark.parametrize(("commit_s", "least", "most"), [(5.0, 2.3, 2.7), (1.0, 0.4, 0.6)])
def test_a_group_that_keeps_up_shows_half_a_commit_interval(
    commit_s: float, least: float, most: float
) -> None:
    """KEDA on a broker reads 2.67 s of the rate with Kafka's default, and 0.59 s with 1 s."""
    seen = []
    for draw in range(5):
        run(
            [],
            np.full((60, P), 10.0),
            commit_s=commit_s,
            initial_replicas=P,
            seed=3,
            placement_draw=draw,
            step_s=1.0,
            decision_s=15.0,
        )
        seen.append(lags_seen()[1:].mean() / 10.0)
    assert least < np.mean(seen) < most


def test_each_member_commits_at_its_own_times() -> None:
    """Within a commit interval the age grows by a second per second, then starts again."""
    run([], np.full((40, 2), 10.0), commit_s=4.0, initial_replicas=2)
    ages = lags_seen()[8:] / 10.0
    assert ages.max() < 4.0 + 1e-6
    first, second = ages.T
    assert not np.allclose(first, second)
    steps = np.diff(first)
    assert (np.isclose(steps, 1.0) | np.isclose(steps, -3.0)).all()


@pytest.mark.parametrize("arrivals", ["uniform", "burst"])
def test_no_strategy_sees_less_than_the_lag(arrivals: str) -> None:
    rates = np.random.default_rng(4).uniform(0.0, 160.0, (60, 4))
    answers: list[Answer] = [(2, 0, [0] * 4), None, None, (3, 0, [0] * 4)] * 4
    settings = {"arrivals": arrivals, "protocol": "cooperative", "heartbeat_s": 1.0}
    truth, seen = [], []
    for commit_s, lags in ((0.0, truth), (3.0, seen)):
        run(answers, rates, commit_s=commit_s, **settings)
        lags.append(lags_seen().copy())
    assert (seen[0] >= truth[0] - 1e-5).all()
    assert (seen[0] > truth[0] + 1.0).any()


def test_commits_change_no_constant_group() -> None:
    rates = np.random.default_rng(1).uniform(0.0, 90.0, (50, 4))
    one, other = (
        simulate(rates, "constant", settings={"commit_s": commit_s, "initial_replicas": 2})
        for commit_s in (0.0, 5.0)
    )
    assert repr(one) == repr(other)


@pytest.mark.parametrize(
    ("settings", "least", "most"),
    [
        ({"protocol": "eager"}, 0.1, 0.1),
        ({"protocol": "cooperative"}, 3.2, 3.2),
        ({"protocol": "incremental", "heartbeat_s": 0.0, "second_heartbeat_s": 5.0}, 0.1, 5.1),
    ],
)
def test_how_long_moved_partitions_wait(
    settings: dict[str, Any], least: float, most: float
) -> None:
    """Measured on Kafka 4.4: eager 0.07 to 0.12 s, cooperative 3.0 to 3.3, KIP-848 0.7 to 4.7."""
    all_settings = {"heartbeat_s": 3.0, "second_heartbeat_s": 3.0, "rebalance_s": 0.1} | settings
    settled = []
    for seed in range(6):
        answers: list[Answer] = [None, (8, 0, [0] * 8)]
        _, _, actions = run(answers, np.full((20, 8), 1.0), seed=seed, **all_settings)
        settled.append(actions.settled_after_s[0] - all_settings["heartbeat_s"])
    assert least - 1e-9 <= min(settled)
    assert max(settled) <= most + 1e-9
    drawn = settings["protocol"] == "incremental"
    assert (np.ptp(settled) > 0.05) == drawn


@pytest.mark.parametrize(("most", "batch_s"), [(0, 0.0), (100, 0.5), (500, 1.0)])
def test_an_eager_round_waits_for_the_slowest_batch(most: int, batch_s: float) -> None:
    """Two members: at 2 s one has 200 events of lag, and serves up to 200 in a second."""
    rates = np.tile([300.0, 0.0], (2, 1))
    rates = np.concatenate([rates, np.zeros((6, 2))])
    answers: list[Answer] = [None, None, (2, 1, [1, 0])]
    result, _, actions = run(
        answers, rates, initial_replicas=2, max_poll_records=most, rebalance_s=0.25
    )
    assert actions.settled_after_s.tolist() == [pytest.approx(batch_s + 0.25)]
    # The busy member serves its batch before it joins: the idle one waits for it.
    assert result.stalled_s == pytest.approx(2 * 0.25 + batch_s)


def test_a_static_member_that_was_removed_is_missed_for_a_session() -> None:
    answers: list[Answer] = [None, (1, 0, [0] * 4)]
    waits = {}
    for leaves in (True, False):
        result, _, actions = run(
            answers,
            np.full((20, 4), 10.0),
            initial_replicas=2,
            static_members=True,
            leave_on_close=leaves,
            session_s=6.0,
        )
        waits[leaves] = float(actions.settled_after_s[0])
        assert result.stalled_s == pytest.approx(4 * 0.05 + (0.0 if leaves else 2 * 6.0))
    assert waits == {True: pytest.approx(0.05), False: pytest.approx(6.05)}


@pytest.mark.parametrize("assignor", ["range", "roundrobin"])
def test_the_count_alone_decides_which_partitions_sit_together(assignor: str) -> None:
    """Whatever the draw: only who has which block differs."""
    answers: list[Answer] = [(3, 0, [0] * 7), None, None, (2, 0, [0] * 7), None, (4, 0, [0] * 7)]
    blocks, owners = [], []
    for draw in range(6):
        run(answers, np.full((9, 7), 1.0), assignor=assignor, placement_draw=draw)
        script = STARTED[-1]
        seen = script.notes[: script.calls[0], 2].astype(int)
        owners.append(seen.tolist())
        blocks.append([sorted(map(tuple, _blocks(row))) for row in seen])
    assert all(each == blocks[0] for each in blocks)
    assert len({str(each) for each in owners}) > 1


def _blocks(owners: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(owners == member).tolist() for member in set(owners.tolist())]


def test_sticky_placements_depend_on_the_history() -> None:
    placed = set()
    for draw in range(6):
        run([], np.full((2, 9), 1.0), assignor="sticky", initial_replicas=4, placement_draw=draw)
        owners = STARTED[-1].notes[0, 2].astype(int)
        placed.add(str(sorted(_blocks(owners))))
        assert sorted(np.bincount(owners)) == [2, 2, 2, 3]
    assert len(placed) > 1


def test_any_member_may_be_removed() -> None:
    left = set()
    for draw in range(12):
        answers: list[Answer] = [None, (2, 0, [0] * 6)]
        run(answers, np.full((4, 6), 1.0), initial_replicas=3, placement_draw=draw)
        left.add(frozenset(STARTED[-1].notes[3, 2].astype(int).tolist()))
    assert len(left) == 3
