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

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Floats
from algorithms.simulation.group_simulation import simulate, simulate_in_detail
from live.scaler import count_decisions, deployed_replay, scaler_replay
from live.scaler.scaler_settings import ScalerTarget
from tests.live.scaler import interpreted_counts
from tests.live.scaler.scaler_fakes import TARGET

pytestmark = [pytest.mark.unit, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
INTERPRETED = """
import json, sys
from algorithms.core import compiled
compiled.interpret()
from tests.live.scaler.interpreted_counts import STRATEGIES, counts
print(json.dumps({strategy: counts(strategy) for strategy in STRATEGIES}))
assert "numba" not in sys.modules
"""
INSTANT = "startup_s=0:heartbeat_s=0:rebalance_s=0:max_poll_records=0"


def rates() -> Floats:
    """Ten minutes of six partitions, with a peak and an idle time."""
    k = np.arange(600.0)
    total = 300.0 + 250.0 * np.sin(k / 60.0) + 400.0 * ((k > 300) & (k < 340)) + k % 7
    total[450:500] = 0.0
    return np.outer(total, [0.3, 0.2, 0.2, 0.1, 0.1, 0.1])


def target(strategy: str) -> ScalerTarget:
    return replace(TARGET, strategy=strategy, max_replicas=6)


def one_of(strategy: str) -> Candidate:
    return candidates.parse(strategy, 6, 100.0, 0.5)[0]


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


@pytest.mark.parametrize("strategy", ["headroom:h=1.15:hold=30", "linear"])
@pytest.mark.parametrize("look_s", [1.0, 5.0])
def test_the_deployed_replicas_are_those_of_the_simulation(strategy: str, look_s: float) -> None:
    (form,) = candidates.parse(f"keda_http:{strategy}:look_s={look_s}", 6, 100.0, 0.5)
    own = {"mu": 100.0, "max_replicas": 6, "initial_replicas": 2}
    simulated = simulate(rates(), form.strategy, form.arguments, own).replicas
    deployed = deployed_replay.deployed_replicas(target(strategy), rates(), 1.0, look_s, 2)
    assert deployed is not None
    assert deployed.tolist() == simulated.tolist()
    ideal = simulate(rates(), strategy.partition(":")[0], one_of(strategy).arguments, own).replicas
    assert deployed.tolist() != ideal.tolist()


def test_a_replica_of_several_members_is_simulated_as_one() -> None:
    of_two = replace(target("linear"), members_per_replica=2)
    deployed = deployed_replay.deployed_replicas(of_two, rates(), 1.0, 5.0, 1)
    own = {"mu": 100.0, "max_replicas": 3}
    simulated = simulate(rates(), "keda_http:linear", settings=own).replicas
    assert deployed is not None
    assert deployed.tolist() == simulated.tolist()


def test_an_idle_group_is_scaled_to_zero() -> None:
    """The scaler waits for a minute, and KEDA for its own five."""
    idle = replace(target("linear"), min_replicas=0, cooldown_s=60.0, activation=2)
    events = np.full((600, 2), 20.0)
    events[100:] = 0.0
    deployed = deployed_replay.deployed_replicas(idle, events, 1.0, 5.0, 1)
    own = {"mu": 100.0, "max_replicas": 6, "min_replicas": 0}
    arguments = {"quiet_s": 60.0, "activation": 2}
    simulated = simulate(events, "keda_http:linear", settings=own, arguments=arguments).replicas
    assert deployed is not None
    assert deployed.tolist() == simulated.tolist()
    assert np.flatnonzero(deployed == 0).tolist() == list(range(450, 600))


def test_keda_itself_has_no_deployed_form() -> None:
    assert deployed_replay.deployed_replicas(target("keda_hpa"), rates(), 1.0, 5.0, 1) is None


def test_interpreted_decisions_are_the_compiled_ones() -> None:
    """The process serves with interpreted kernels, simulations have compiled ones."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-W", "error", "-c", INTERPRETED]
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    interpreted = json.loads(done.stdout)
    for strategy in interpreted_counts.STRATEGIES:
        assert interpreted[strategy] == interpreted_counts.counts(strategy), strategy
    assert sum(len(set(each)) > 2 for each in interpreted.values()) >= 8
