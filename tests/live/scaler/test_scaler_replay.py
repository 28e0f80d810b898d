"""The scaler's decisions, replayed: those of the simulation of the same strategy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from algorithms.simulation.group_simulation import simulate_in_detail
from live.scaler import count_decisions, scaler_replay
from live.scaler.scaler_settings import ScalerTarget
from tests.live.scaler import interpreted_counts
from tests.live.scaler.scaler_fakes import TARGET

pytestmark = [pytest.mark.unit, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
INSTANT = "startup_s=0:heartbeat_s=0:rebalance_s=0:max_poll_records=0"


def rates() -> Floats:
    """Ten minutes of six partitions, with a peak and an idle time."""
    k = np.arange(600.0)
    total = 300.0 + 250.0 * np.sin(k / 60.0) + 400.0 * ((k > 300) & (k < 340)) + k % 7
    total[450:500] = 0.0
    return np.outer(total, [0.3, 0.2, 0.2, 0.1, 0.1, 0.1])


def target(strategy: str) -> ScalerTarget:
    return replace(TARGET, strategy=strategy, max_replicas=6)


def replayed(
    strategy: str, look_s: float, sizes: tuple[int, ...] | None = None
) -> list[scaler_replay.ReplayedCount]:
    return list(scaler_replay.replay(target(strategy), rates(), 1.0, look_s, 1, sizes))


@pytest.mark.parametrize(
    "strategy",
    [
        "headroom:h=1.15:hold=30",
        "headroom:h=1.15:hold=30:assignor=sticky",
        "linear",
        "threshold",
        "queueing",
        "ds2",
        "keda_hpa",
        "constant:initial_replicas=3",
    ],
)
@pytest.mark.parametrize("look_s", [1.0, 5.0])
def test_counts_are_those_of_the_simulation(strategy: str, look_s: float) -> None:
    """In a group that follows at once, paid replicas are those that were asked for."""
    text = f"{strategy}:{INSTANT}"
    one = count_decisions.check(target(text), look_s)
    settings = count_decisions.settings_of(target(text), one, look_s, (6,), 1, 1, 1.0)
    own = {
        **one.settings,
        **{
            name: getattr(settings, name)
            for name in ("mu", "max_replicas", "min_replicas", "initial_replicas", "decision_s")
        },
    }
    simulated = simulate_in_detail(rates(), one.strategy, one.arguments, own)
    asked = replayed(text, look_s)
    assert len(asked) == len(range(round(settings.decision_s), 600, round(settings.decision_s)))
    paid = simulated.trajectory.replicas
    assert [each.replicas for each in asked] == [paid[round(each.time_s)] for each in asked]
    if strategy != "constant:initial_replicas=3":
        assert len({each.replicas for each in asked}) > 1


@pytest.mark.parametrize("assignor", ["range", "roundrobin", "sticky"])
def test_counts_of_several_topics_are_those_of_the_simulation(assignor: str) -> None:
    text, sizes = f"headroom:h=1.15:hold=30:assignor={assignor}:{INSTANT}", (2, 1, 3)
    one = count_decisions.check(target(text), 5.0)
    own = {**one.settings, "mu": 100.0, "max_replicas": 6, "min_replicas": 1, "decision_s": 5.0}
    own |= {"initial_replicas": 1, "assignor": assignor}
    simulated = simulate_in_detail(rates(), one.strategy, one.arguments, own, sizes)
    paid = simulated.trajectory.replicas
    asked = replayed(text, 5.0, sizes)
    assert [each.replicas for each in asked] == [paid[round(each.time_s)] for each in asked]
    if assignor == "range":
        of_one = [each.replicas for each in replayed(text, 5.0)]
        assert [each.replicas for each in asked] != of_one


def test_actions_of_a_slow_group_are_the_last_counts_before_them() -> None:
    asked = replayed("headroom:h=1.15:hold=30", 5.0)
    one = count_decisions.check(target("headroom:h=1.15:hold=30"), 5.0)
    own = {"mu": 100.0, "max_replicas": 6, "decision_s": 5.0}
    actions = simulate_in_detail(rates(), one.strategy, one.arguments, own).actions
    assert actions.time_s.size > 4
    for at_s, after in zip(actions.time_s, actions.after, strict=True):
        assert [each.replicas for each in asked if each.time_s <= at_s][-1] == after


def test_interpreted_decisions_are_the_compiled_ones() -> None:
    """The process serves with interpreted kernels, simulations have compiled ones."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-W", "error", "-m", interpreted_counts.__name__]
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    interpreted = json.loads(done.stdout)
    for strategy in interpreted_counts.STRATEGIES:
        assert interpreted[strategy] == interpreted_counts.counts(strategy), strategy
    assert sum(len(set(each)) > 2 for each in interpreted.values()) >= 8
