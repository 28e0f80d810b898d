"""The fluid model agrees with simulations of single events, and of small ticks of time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import PAPER_GROUP
from tests.algorithms.simulation.plain_events import mean_latency
from tests.algorithms.simulation.scripted import strategy

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("seed", range(40))
def test_bursts_of_whole_events(seed: int) -> None:
    """The mean latency is that of a consumer that processes one event after the other."""
    rng = np.random.default_rng(seed)
    n, p = rng.integers(1, 12), rng.integers(1, 7)
    replicas, mu = int(rng.integers(1, p + 1)), Fraction(int(rng.integers(3, 40)), 2)
    step_s = Fraction(int(rng.integers(1, 4)), 2)
    assignor = str(rng.choice(["range", "roundrobin"]))
    # Between idle and overloaded for some steps.
    counts = rng.poisson(float(mu * step_s) * replicas / p * rng.uniform(0.1, 1.5), (n, p))
    counts[0, 0] += 1
    result = simulate(
        counts / float(step_s),
        "constant",
        settings={
            "arrivals": "burst",
            "mu": float(mu),
            "step_s": float(step_s),
            "initial_replicas": replicas,
            "max_replicas": max(p, replicas),
            "assignor": assignor,
            "decision_s": float(step_s),
        },
    )
    exact = mean_latency(counts.tolist(), step_s, mu, replicas, assignor)
    assert result.mean == pytest.approx(float(exact), rel=1e-9)


TICK_S = 1e-3

Owner = Callable[[int, float], int]
"""Consumer that serves a partition at a time, -1 for none."""


def ticked(
    rates: Floats, mu: float, owner: Owner, burst: bool = False, tick_s: float = TICK_S
) -> tuple[Floats, Floats]:
    """Waits and masses of consumers that serve their partitions in small ticks of time."""
    n, p = rates.shape
    queues: list[deque[tuple[float, float]]] = [deque() for _ in range(p)]
    waits: list[float] = []
    masses: list[float] = []
    ticks = round(1 / tick_s)
    i = 0
    while i < n * ticks or any(queues):
        now = (i + 0.5) * tick_s
        k = i // ticks
        for q in range(p):
            if k < n and burst and i % ticks == 0:
                queues[q].append((float(k), rates[k, q]))
            elif k < n and not burst:
                queues[q].append((now, rates[k, q] * tick_s))
        owners = [owner(q, now) for q in range(p)]
        for consumer in set(owners) - {-1}:
            held = [queues[q] for q in range(p) if owners[q] == consumer]
            for at, mass in taken(held, mu * tick_s):
                waits.append(now - at)
                masses.append(mass)
        i += 1
    return np.array(waits), np.array(masses)


def taken(held: list[deque[tuple[float, float]]], left: float) -> Iterator[tuple[float, float]]:
    """What one consumer takes from its partitions in a tick, the same from each that has some."""
    open_ = [queue for queue in held if queue]
    while open_ and left > 1e-15:
        share = left / len(open_)
        for queue in list(open_):
            got = 0.0
            while queue and got < share:
                at, mass = queue.popleft()
                part = min(mass, share - got)
                got += part
                yield at, part
                if mass > part:
                    queue.appendleft((at, mass - part))
            left -= got
        open_ = [queue for queue in open_ if queue]


@pytest.mark.slow
def test_small_ticks_of_time() -> None:
    """A pause, an overloaded and an idle step: the figures are the limit of ever smaller ticks."""
    rates = np.array([[60.0, 20.0, 0.0], [150.0, 30.0, 60.0], [10.0, 60.0, 20.0], [0.0, 5.0, 5.0]])
    waits, masses = ticked(rates, 200.0, lambda q, now: -1 if 0.5 <= now < 1.0 else 0)
    # A second consumer joins at 0.5 s and gets nothing, but the rebalance stops all for 0.5 s.
    result = simulate(
        rates,
        strategy([(2, 1, [0, 0, 0]), None, None, None]),
        settings=PAPER_GROUP
        | {
            "decision_s": 1.0,
            "observe": "now",
            "decision_offset_s": 0.5,
            "max_replicas": 2,
            "rebalance_s": 0.5,
        },
    )
    assert result.n_up == 1
    assert result.stalled_s == pytest.approx(1.5)
    order = np.argsort(waits)
    shares = np.cumsum(masses[order]) / masses.sum()
    assert result.mean == pytest.approx(np.average(waits, weights=masses) + 0.0025, abs=3 * TICK_S)
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        ticks = waits[order][np.searchsorted(shares, share)] + 0.0025
        assert getattr(result, name) == pytest.approx(ticks, abs=5 * TICK_S)


SMALL_TICK_S = 5e-3
STEPS = 4


@pytest.mark.slow
@pytest.mark.parametrize("burst", [False, True])
@pytest.mark.parametrize("protocol", ["eager", "cooperative", "incremental"])
def test_small_ticks_of_drawn_rebalances(protocol: str, burst: bool) -> None:
    """A second consumer joins and gets some partitions, after all kinds of delays."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        p, mu = int(rng.integers(1, 4)), 200.0
        rates = rng.uniform(0.0, 2.2 * mu / p, (STEPS, p)) * (rng.random((STEPS, p)) < 0.8)
        rates[0, 0] = 100.0
        target = rng.integers(0, 2, p)
        startup_s, heartbeat_s, rebalance_s, pause_s = rng.choice([0.0, 0.25, 0.5, 0.7], 4).tolist()
        begun_s = 0.5 + startup_s + heartbeat_s
        twice = 2.0 if protocol == "cooperative" else 1.0
        stays_s = rebalance_s if protocol == "eager" else 0.0
        waited_s = np.where(target == 1, twice * rebalance_s + pause_s, stays_s)

        def owner(q: int, now: float) -> int:
            if now < begun_s:  # noqa: B023
                return 0
            return -1 if now < begun_s + waited_s[q] else int(target[q])  # noqa: B023

        waits, masses = ticked(rates, mu, owner, burst, SMALL_TICK_S)
        result = simulate(
            rates,
            strategy([(2, 1, target.tolist()), None, None, None]),
            settings=PAPER_GROUP
            | {
                "decision_s": 1.0,
                "observe": "now",
                "decision_offset_s": 0.5,
                "max_replicas": 2,
                "arrivals": "burst" if burst else "uniform",
                "protocol": protocol,
                "startup_s": startup_s,
                "heartbeat_s": heartbeat_s,
                "rebalance_s": rebalance_s,
                "move_pause_s": pause_s,
            },
        )
        assert (result.n_up, result.partitions_moved) == (1, target.sum())
        assert result.replicas.tolist() == [2] * STEPS
        assert result.replica_minutes == pytest.approx((2.0 * STEPS - 0.5) / 60.0)
        stalled_s = np.minimum(waited_s, STEPS - begun_s).sum()
        assert result.stalled_s == pytest.approx(stalled_s)
        mean = np.average(waits, weights=masses) + 0.0025
        assert result.mean == pytest.approx(mean, abs=3 * SMALL_TICK_S), seed
        longest = waits[masses > 1e-9].max() + 0.0025
        assert result.max == pytest.approx(longest, abs=5 * SMALL_TICK_S), seed
