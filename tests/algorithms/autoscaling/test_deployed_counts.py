"""Strategies behind KEDA and the pod autoscaler, against plain Python and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.assignment import Observation
from algorithms.autoscaling import candidates, strategies
from algorithms.autoscaling.dispatch import KERNELS, NO_ANSWER
from algorithms.autoscaling.live_observation import seen_of
from algorithms.autoscaling.scaling_policies import AT_ONCE, Behaviour, Policy
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import check_settings, group_of
from tests.algorithms.autoscaling.plain_deployed import Plain

pytestmark = pytest.mark.unit

SETTINGS = {"mu": 100.0, "max_replicas": 14, "startup_s": 3.0}

FIGURES = (
    *("mean", "p50", "p99", "p999", "max", "sla_percent", "peak_lag", "replica_minutes"),
    *("n_up", "n_down", "n_reassign", "partitions_moved", "stalled_s", "unconsumed"),
)


def rates_of(seed: int, steps: int = 240, partitions: int = 14) -> Any:
    rng = np.random.default_rng(seed)
    waves = 40.0 + 35.0 * np.sin(np.arange(steps) / 25.0)[:, None]
    return np.round(waves * rng.uniform(0.5, 1.5, (steps, partitions)), 6)


def replicas_of(name: str, rates: Any, step_s: float = 1.0, **changed: Any) -> list[int]:
    """Replicas that were asked for."""
    settings = {**SETTINGS, "step_s": step_s, **changed.pop("settings", {})}
    result = simulate(rates, name, settings=settings, arguments=changed)
    return [int(count) for count in result.replicas]


@pytest.mark.parametrize("form", strategies.FORMS)
def test_a_constant_count_stays(form: str) -> None:
    rates, settings = rates_of(1), {**SETTINGS, "initial_replicas": 5}
    alone, deployed = (
        simulate(rates, name, settings=settings) for name in ("constant", f"{form}:constant")
    )
    assert deployed.replicas.tolist() == alone.replicas.tolist() == [5] * len(rates)
    for name in FIGURES:
        assert getattr(deployed, name) == getattr(alone, name), name


@pytest.mark.parametrize("own", ["headroom", "linear", "threshold", "ds2"])
def test_both_triggers_give_the_same_replicas(own: str) -> None:
    first, second = (replicas_of(f"{form}:{own}", rates_of(2)) for form in strategies.FORMS)
    assert first == second


@pytest.mark.parametrize("own", ["constant", "headroom", "linear", "threshold"])
@pytest.mark.parametrize("step_s", [1.0, 5.0, 60.0])
@pytest.mark.parametrize(("look_s", "sync_s", "phase_s"), [(5, 15, 0), (7, 15, 4), (1, 20, 13.5)])
def test_decisions_are_the_plain_ones(
    own: str, step_s: float, look_s: float, sync_s: float, phase_s: float
) -> None:
    settings = check_settings({**SETTINGS, "step_s": step_s}, 14, step_s, None)
    group = group_of(settings, np.ones(14))
    deployed = strategies.get(f"keda_http:{own}")
    state = deployed.start(group, look_s=look_s, sync_s=sync_s, phase_s=phase_s)
    plain = Plain(own, group, look_s, sync_s, phase_s)
    lags, replicas = np.zeros(14), 9
    for k, rates in enumerate(rates_of(3, 150), start=1):
        lags = np.round(np.maximum(lags + rates - 30.0, 0.0), 6)
        owners = (np.arange(14) % replicas).astype(np.int32)
        seen = Observation(
            rates=rates,
            lags=lags,
            owners=owners,
            replicas=replicas,
            time=k * step_s,
            consumed=np.ones(14, np.bool_),
            counts=np.array([rates.sum() * step_s]),
        )
        answer = decision(deployed.name, state, seen)
        assert answer == plain.decide(k * step_s, rates, lags, owners, replicas)
        replicas = replicas if answer is None else answer


def decision(name: str, state: Any, observed: Observation) -> int | None:
    """One decision by compiled code: what simulations run."""
    seen = seen_of(name, strategies.get(name).needs, observed, state.partitions)
    count, _ = KERNELS[type(state)](state, seen, np.empty(state.partitions, np.int64))
    return None if count == NO_ANSWER else int(count)


def asked(count: float, replicas: int, **arguments: Any) -> int | None:
    """Replicas after the scaler asked for a count: linear has a replica per mu f_down / f_up."""
    group = group_of(check_settings({"mu": 100.0, "max_replicas": 40}, 40, 1.0, None), np.ones(40))
    deployed = strategies.get("keda_http:linear")
    state = deployed.start(group, look_s=1.0, sync_s=1.0, **arguments)
    rates = np.full(40, (count - 0.5) * (100.0 * 0.4 / 0.9) / 40)
    seen = Observation(rates=rates, replicas=replicas, time=1.0)
    return decision(deployed.name, state, seen)


def test_a_step_of_one_from_ten_is_swallowed() -> None:
    assert asked(11, 10) == 10
    assert asked(12, 10) == 12
    assert asked(10, 9) == 10
    assert asked(11, 10, tolerance_up=0.0) == 11


def test_policies_limit_a_step() -> None:
    two = Behaviour(0.0, "Max", (Policy("Pods", 2, 15.0),))
    assert asked(9, 3, scale_up=two) == 5
    assert asked(9, 3, scale_up=AT_ONCE) == 9


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("keda_http:keda_hpa", "keda_hpa is KEDA and the pod autoscaler already"),
        ("keda_external:mpc", "mpc plans with compiled code"),
        ("keda_http:BFD", "BFD places partitions, which needs a controller"),
        ("keda_http:headroom[+]placement", "places partitions, which needs a controller"),
        ("keda_http:sticky", "sticky is an assignor"),
        ("keda_http", "needs the strategy that decides"),
    ],
)
def test_what_no_form_deploys(name: str, words: str) -> None:
    plain = name.replace("[", "").replace("]", "")
    with pytest.raises(UnknownAlgorithmError, match=f"{words}.*; choose one .*:headroom"):
        candidates.parse(plain, 5, 100.0, 0.5)


def test_a_phase_is_within_a_sync() -> None:
    with pytest.raises(InvalidParameterError, match="phase_s must be below sync_s"):
        asked(3, 3, phase_s=1.0)


def test_labels_are_read_as_they_are_written() -> None:
    text = "keda_http:headroom:h=1.15:hold=30"
    (one,) = candidates.parse(text, 5, 100.0, 0.5)
    assert (one.strategy, one.label) == ("keda_http:headroom", text)
