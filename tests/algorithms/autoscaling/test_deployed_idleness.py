"""Groups behind KEDA that may have no replicas, against plain Python and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.assignment import Observation
from algorithms.autoscaling import strategies
from algorithms.autoscaling.dispatch import KERNELS, NO_ANSWER
from algorithms.autoscaling.live_observation import seen_of
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import check_settings, group_of
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.autoscaling.plain_deployed import PlainToZero

pytestmark = pytest.mark.unit

PARTITIONS = 4
QUICK = {"quiet_s": 20.0, "idle_s": 30.0, "polling_s": 10.0}


def stop_and_go(rng: np.random.Generator, steps: int) -> Any:
    """Rates that stop for a while, and now and then a single event."""
    rates = np.round(rng.uniform(5.0, 60.0, (steps, PARTITIONS)), 6)
    k = 0
    while k < steps:
        busy, quiet = int(rng.integers(1, 40)), int(rng.integers(1, 120))
        rates[k + busy : k + busy + quiet] = 0.0
        k += busy + quiet
    rates[rng.integers(0, steps, 2), rng.integers(0, PARTITIONS, 2)] = 1.0
    return rates


def drawn_timing(rng: np.random.Generator) -> dict[str, float]:
    sync_s = float(rng.choice([15.0, 20.0, 7.0]))
    return {
        "look_s": float(rng.choice([1.0, 5.0, 7.0, 45.0])),
        "sync_s": sync_s,
        "phase_s": float(rng.choice([0.0, 0.5])) * sync_s,
        "activation": int(rng.choice([0, 3])),
        "quiet_s": float(rng.choice([0.0, 12.0, 30.0, 61.0])),
        "polling_s": float(rng.choice([10.0, 13.0, 30.0])),
        "idle_s": float(rng.choice([0.0, 30.0, 50.0])),
    }


@pytest.mark.parametrize("own", ["constant", "headroom", "linear", "threshold"])
@pytest.mark.parametrize("seed", range(8))
def test_decisions_are_the_plain_ones(own: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    step_s, timing = float(rng.choice([1.0, 5.0])), drawn_timing(rng)
    settings = {
        **{"mu": 50.0, "max_replicas": PARTITIONS, "step_s": step_s},
        **{"min_replicas": 0, "initial_replicas": int(rng.integers(0, 3))},
    }
    group = group_of(check_settings(settings, PARTITIONS, step_s, None), np.ones(PARTITIONS))
    form = strategies.get(f"keda_http:{own}")
    state, plain = form.start(group, **timing), PlainToZero(own, group, timing)
    lags, replicas = np.zeros(PARTITIONS), group.initial_replicas
    counts = set()
    for k, rates in enumerate(stop_and_go(rng, 300), start=1):
        lags = np.round(np.maximum(lags + rates - 200.0 * replicas / PARTITIONS, 0.0), 6)
        owners = np.arange(PARTITIONS, dtype=np.int32) % max(replicas, 1)
        seen = Observation(
            rates=rates,
            lags=lags,
            owners=owners if replicas else np.full(PARTITIONS, -1, np.int32),
            replicas=replicas,
            time=k * step_s,
        )
        answer = decision(form.name, state, seen)
        assert answer == plain.decide(k * step_s, rates, lags, seen.owners, replicas)
        replicas = replicas if answer is None else answer
        counts.add(replicas)
    assert {0, 1} <= counts


def decision(name: str, state: Any, observed: Observation) -> int | None:
    """One decision by compiled code: what simulations run."""
    seen = seen_of(name, strategies.get(name).needs, observed, state.partitions)
    count, _ = KERNELS[type(state)](state, seen, np.empty(state.partitions, np.int64))
    return None if count == NO_ANSWER else int(count)


def replicas_of(rates: Any, strategy: str = "keda_http:linear", **settings: Any) -> list[int]:
    """Replicas as each step of 1 s ends; names of `QUICK` are arguments."""
    arguments = {**QUICK, **{name: settings.pop(name) for name in [*settings] if name in QUICK}}
    own = {"mu": 100.0, "min_replicas": 0, "startup_s": 0.0, **settings}
    return simulate(rates, strategy, settings=own, arguments=arguments).replicas.tolist()


def pause(first: int, end: int, steps: int) -> Any:
    """60 events/s, and none from one second to another."""
    rates = np.full((steps, 3), 20.0)
    rates[first:end] = 0.0
    return rates


def test_an_idle_group_is_stopped_and_started_again() -> None:
    """The last events come before 61 s.

    The look at 65 s still finds them, so that from 85 s on the scaler asks for none. KEDA found the
    group active at 80 s, and stops it at 110 s. The look at 205 s sees events, the poll at 210 s.
    """
    replicas = replicas_of(pause(61, 201, 240))
    assert [k for k, count in enumerate(replicas) if count == 0] == list(range(110, 210))


def test_a_lag_keeps_a_group_awake() -> None:
    """As many events as one replica serves in 50 s more than the pause has."""
    rates = pause(60, 240, 240)
    rates[:60] = 100.0
    assert 0 not in replicas_of(rates, max_replicas=1)[:180]


@pytest.mark.parametrize(("activation", "stopped_s"), [(2, 50), (1, 70)])
def test_waiting_events_within_the_activation_keep_nobody(activation: int, stopped_s: int) -> None:
    """2 events for each partition at the start wake the group, which serves them after 23 s."""
    rates = np.zeros((100, 3))
    rates[0] = 2.0
    settings = {"min_replicas": 0, "initial_replicas": 0}
    arguments = {**QUICK, "activation": activation}
    own = simulate(rates, "keda_http:linear", settings=settings, arguments=arguments)
    assert np.flatnonzero(own.replicas).tolist() == list(range(10, stopped_s))


def test_a_group_that_starts_empty_stays_so_until_events_come() -> None:
    rates = pause(0, 102, 150)
    replicas = replicas_of(rates, initial_replicas=0)
    assert replicas.index(1) == 110
    assert set(replicas[:110]) == {0}


def test_the_defaults_are_five_minutes_each() -> None:
    """300 s until the scaler, in which KEDA's polls find the group active, and 300 s more."""
    settings = {"mu": 100.0, "min_replicas": 0, "step_s": 10.0, "decision_s": 10.0}
    own = simulate(pause(6, 80, 80), "keda_external:linear", settings=settings)
    assert own.replicas.tolist().index(0) == (60 + 300 + 300 - 30) // 10


def test_the_start_takes_startup_and_the_delay_of_the_first_rebalance() -> None:
    """From the poll at 210 s: 10 s, 4 s and a round of 0.1 s in which nothing is served."""
    detailed = simulate_in_detail(
        pause(61, 201, 240),
        "keda_http:linear",
        QUICK,
        {"mu": 100.0, "min_replicas": 0, "initial_rebalance_s": 4.0},
    )
    stalled = detailed.trajectory.stalled_s
    assert stalled[112:224].tolist() == [3.0] * 112
    assert stalled[224] == pytest.approx(0.3)


def test_a_group_with_a_least_replica_is_never_idle() -> None:
    assert min(replicas_of(pause(30, 200, 200), min_replicas=1, initial_replicas=1)) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("quiet_s", -1.0), ("polling_s", 0.0), ("idle_s", -1.0)]
)
def test_wrong_times_are_refused(name: str, value: float) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{name} must be"):
        replicas_of(pause(1, 2, 3), **{name: value})
