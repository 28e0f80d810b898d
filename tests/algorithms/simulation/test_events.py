"""The fluid model agrees with simulations of single events, and of small ticks of time."""

from __future__ import annotations

from collections import deque
from fractions import Fraction

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from algorithms.simulation import simulate
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


def ticked(rates: Floats, mu: float, pause: tuple[float, float]) -> tuple[Floats, Floats]:
    """Waits and masses of one consumer that serves all partitions in small ticks of time.

    It does not consume during the pause.
    """
    n, p = rates.shape
    queues: list[deque[tuple[float, float]]] = [deque() for _ in range(p)]
    waits, masses = [], []
    for i in range(2 * n * round(1 / TICK_S)):
        now = (i + 0.5) * TICK_S
        if int(now) < n:
            for q in range(p):
                queues[q].append((now, rates[int(now), q] * TICK_S))
        left = 0.0 if pause[0] <= now < pause[1] else mu * TICK_S
        open_ = [q for q in range(p) if queues[q]]
        while open_ and left > 1e-15:
            share = left / len(open_)
            for q in list(open_):
                taken = 0.0
                while queues[q] and taken < share:
                    at, mass = queues[q].popleft()
                    part = min(mass, share - taken)
                    taken += part
                    waits.append(now - at)
                    masses.append(part)
                    if mass > part:
                        queues[q].appendleft((at, mass - part))
                left -= taken
                if not queues[q]:
                    open_.remove(q)
    return np.array(waits), np.array(masses)


@pytest.mark.slow
def test_small_ticks_of_time() -> None:
    """A pause, an overloaded and an idle step: the figures are the limit of ever smaller ticks."""
    rates = np.array([[60.0, 20.0, 0.0], [150.0, 30.0, 60.0], [10.0, 60.0, 20.0], [0.0, 5.0, 5.0]])
    waits, masses = ticked(rates, 200.0, (0.5, 1.0))
    # A second consumer joins at 0.5 s and gets nothing, but the rebalance stops all for 0.5 s.
    result = simulate(
        rates,
        strategy([(2, 1, [0, 0, 0]), None, None, None]),
        settings={
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
