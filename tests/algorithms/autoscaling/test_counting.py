"""Strategies that decide on a count: constant, headroom, linear and threshold."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.assignment import assignors
from algorithms.autoscaling import Seen
from tests.algorithms.autoscaling import cases, plain_counting

pytestmark = pytest.mark.unit


def observed(**fields: object) -> Seen:
    """An observation of five partitions."""
    return cases.seen(np.random.default_rng(0), cases.GROUP, **fields)


def counts(name: str, *seen: Seen, **arguments: float) -> list[int]:
    """Answers of a strategy, all of which are counts."""
    answers = cases.decided(name, cases.GROUP, *seen, **arguments)
    assert {kind for _, kind, _ in answers} == {0}
    return [replicas for replicas, _, _ in answers]


def test_constant_asks_for_the_initial_replicas() -> None:
    group = cases.GROUP._replace(initial_replicas=3)
    seen = observed(replicas=2)
    assert [answer[:2] for answer in cases.decided("constant", group, seen, seen)] == [(3, 0)] * 2


@pytest.mark.parametrize("seed", range(3))
def test_linear_is_the_plain_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(70):
        group = cases.group(rng)
        seen = cases.seen(rng, group)
        f_up, f_down = sorted(rng.choice([0.1, 0.4, 0.45, 0.9, 1.0], 2, replace=False))[::-1]
        total = plain_counting.added(seen.rates.tolist())
        expected = plain_counting.whole(total * f_up / (group.mu * f_down))
        (answer,) = cases.decided("linear", group, seen, f_up=float(f_up), f_down=float(f_down))
        assert answer[:2] == (expected, 0)


@pytest.mark.parametrize(
    ("rate", "replicas"), [(0.0, 1), (40.0 / 0.9, 1), (44.445, 2), (200.0, 5), (1000.0, 23)]
)
def test_linear_by_hand(rate: float, replicas: int) -> None:
    """A replica per 40 / 0.9 events/s; the group limits the number, not the strategy."""
    assert counts("linear", observed(rates=np.full(5, rate / 5.0))) == [replicas]


@pytest.mark.parametrize(
    ("lag", "present", "answer"),
    [
        (50.0, 3, 2),
        (50.000001, 3, -1),
        (150.0, 3, -1),
        (150.000001, 3, 4),
        (0.0, 1, 0),
        (0.0, 0, -1),
        (900.0, 14, 15),
        (900.0, 15, -1),
        (900.0, 20, -1),
        (0.0, 20, 19),
    ],
)
def test_threshold_by_hand(lag: float, present: int, answer: int) -> None:
    """The lower threshold is inside, the upper one is not."""
    lags = np.array([lag, 0.0, 0.0, 0.0, 0.0])
    assert counts("threshold", observed(lags=lags, replicas=present)) == [answer]


@pytest.mark.parametrize("seed", range(3))
def test_threshold_is_the_plain_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(70):
        group = cases.group(rng)
        seen = cases.seen(rng, group)
        t_in, t_out, k_max = float(rng.choice([0.0, 20.0])), 90.0, int(rng.integers(1, 15))
        lag = plain_counting.added(seen.lags.tolist())
        expected = -1
        if lag <= t_in:
            expected = seen.replicas - 1
        elif lag > t_out and seen.replicas < k_max:
            expected = seen.replicas + 1
        arguments = {"t_in": t_in, "t_out": t_out, "k_max": k_max}
        assert cases.decided("threshold", group, seen, **arguments)[0][0] == expected


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("assignor", assignors.names())
def test_headroom_is_the_plain_one(assignor: str, seed: int) -> None:
    """Sequences at irregular times, with every assignor, from owners that are members."""
    rng = np.random.default_rng([seed, len(assignor)])
    for _ in range(8):
        group = cases.group(rng, assignor=assignor)
        hold = float(rng.choice([0.0, 3.0, 10.0]))
        arguments = {
            "h": float(rng.choice([0.5, 1.0, 1.2])),
            "hold": hold,
            "max_replicas": group.max_replicas,
            "capacity": group.mu * (group.wsla_s - 1 / (2 * group.mu)) if group.burst else group.mu,
        }
        seen, expected, totals, time = [], [], [], 0.0
        for _ in range(20):
            time += float(rng.choice([1.0, 1.0, 1.0, 7.0]))
            one = cases.seen(rng, group, time=time)
            if rng.random() < 0.1:
                one = one._replace(rates=np.zeros(group.partitions))
            totals.append((time, plain_counting.added(one.rates.tolist())))
            lists = one.rates.tolist(), one.lags.tolist(), one.owners.tolist()
            expected.append(plain_counting.headroom(totals, *lists, arguments, assignor))
            seen.append(one)
        answers = cases.decided("headroom", group, *seen, h=arguments["h"], hold=hold)
        assert [answer[:2] for answer in answers] == [(n, 0) for n in expected]


def test_headroom_holds_the_peak_strictly_below_its_time() -> None:
    """5 x 60 x 1.2 events/s need 4 members, since two of five partitions are 120 of 100."""
    seen = [observed(time=0.0, rates=np.full(5, 60.0))]
    seen += [observed(time=float(t), rates=np.full(5, 10.0)) for t in (1, 9, 10)]
    assert counts("headroom", *seen) == [5, 5, 5, 1]


def test_headroom_of_bursts_leaves_time_to_serve() -> None:
    """Of 0.5 s, half a service time is left out: 49.5 events in time."""
    group = cases.GROUP._replace(burst=True)
    for rate, replicas in ((8.25, 1), (8.26, 2)):
        seen = observed(rates=np.full(5, rate))
        assert cases.decided("headroom", group, seen)[0][0] == replicas


def test_headroom_counts_the_imbalance() -> None:
    """By range the first two stay together until there are five members; by turns they never do."""
    seen = observed(rates=np.array([50.0, 40.0, 10.0, 10.0, 10.0]))
    assert counts("headroom", seen) == [5]
    group = cases.GROUP._replace(assignor="roundrobin")
    assert cases.decided("headroom", group, seen)[0][0] == 2


def test_headroom_without_events_keeps_equal_shares_of_the_peak() -> None:
    seen = observed(time=5.0, rates=np.full(5, 40.0)), observed(time=6.0, rates=np.zeros(5))
    assert counts("headroom", *seen) == [3, 3]
