"""Strategies under our controller, against plain Python and by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from algorithms.assignment import Observation
from algorithms.autoscaling import Group, candidates, strategies
from algorithms.autoscaling.dispatch import IDS, KERNELS, NO_ANSWER
from algorithms.autoscaling.live_observation import seen_of
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import check_settings, group_of
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.autoscaling.plain_controller import Look, PlainController
from tests.algorithms.simulation import scenarios
from tests.algorithms.simulation.checks import check_counts, check_lags, check_latency
from tests.algorithms.simulation.plain_group import Group as PlainGroup
from tests.algorithms.simulation.plain_settings import Answer, Setup, Sight

pytestmark = pytest.mark.unit

NAME = "controller:linear+placement"
ONE_PER_40: dict[str, Any] = {"f_up": 0.8, "f_down": 0.32}
"""Of `linear` with a capacity of 100: one replica per 40 events/s."""

OURS = {
    "protocol": "incremental",
    "heartbeat_s": 0.0,
    "second_heartbeat_s": 0.0,
    "assignment_interval_s": 0.0,
    "commit_s": 0.0,
    "in_flight_s": 0.0,
    "static_members": False,
}


def group(partitions: int, replicas: int, **changed: Any) -> Group:
    own = {"mu": 100.0, "startup_s": 3.0, "rebalance_s": 0.5, "initial_replicas": replicas}
    settings = check_settings({**own, **OURS, **changed}, partitions, 1.0, None)
    return group_of(settings, np.ones(partitions))


class Ours:
    """The strategy, asked step by step: what simulations run."""

    def __init__(self, name: str, about: Group, **arguments: Any) -> None:
        self.strategy = strategies.get(name)
        self.state = self.strategy.start(about, **arguments)

    def decide(
        self, time: float, rates: Any, lags: Any, owners: Any, replicas: int
    ) -> tuple[int, list[int]] | None:
        n = len(rates)
        seen = Observation(
            rates=np.array(rates),
            lags=np.array(lags),
            owners=np.array(owners, np.int32),
            replicas=replicas,
            time=time,
            consumed=np.ones(n, np.bool_),
            counts=np.array([float(np.sum(rates))]),
        )
        observed = seen_of(self.strategy.name, self.strategy.needs, seen, n)
        after = np.empty(n, np.int64)
        count, kind = KERNELS[type(self.state)](self.state, observed, after)
        assert count == NO_ANSWER or kind == IDS
        return None if count == NO_ANSWER else (int(count), after.tolist())


def looks(about: Group, rates: list[float], owners: list[int], replicas: int) -> Iterator[Any]:
    """Answers at looks of one second, each carried out at once."""
    ours = Ours(NAME, about, look_s=1.0, **ONE_PER_40)
    time = 0.0
    while True:
        time += 1.0
        changed = yield ours.decide(time, rates, [0.0] * len(rates), owners, replicas)
        rates, owners, replicas = changed


def test_slots_are_emptied_before_pods_go() -> None:
    """80 events/s need two: 2's partitions go to 0, which has least; the pod goes a look later."""
    rates, owners = [10.0, 30.0, 30.0, 10.0], [0, 1, 2, 2]
    run = looks(group(4, 3), rates, owners, 3)
    assert next(run) == (3, [0, 1, 0, 1])
    assert run.send((rates, [0, 1, 0, 1], 3)) == (2, [0, 1, 0, 1])
    assert run.send((rates, [0, 1, 0, 1], 2)) is None


def test_a_pod_is_not_removed_while_its_slot_has_partitions() -> None:
    """Whatever time the move was expected to take: it is asked for again."""
    rates, owners = [10.0, 30.0, 30.0, 10.0], [0, 1, 2, 2]
    run = looks(group(4, 3), rates, owners, 3)
    assert next(run) == (3, [0, 1, 0, 1])
    assert run.send((rates, owners, 3)) == (3, [0, 1, 0, 1])
    assert run.send((rates, [0, 1, 0, 1], 3)) == (2, [0, 1, 0, 1])


def test_pods_that_were_about_to_go_are_used_again() -> None:
    """Smoothed to 35, 1 and 2 make slots 0 and 1 equally full; 0 and 3 gain most, and move to 2."""
    rates, owners = [10.0, 30.0, 30.0, 10.0], [0, 1, 2, 2]
    run = looks(group(4, 3), rates, owners, 3)
    next(run)
    more = [10.0, 40.0, 40.0, 10.0]
    assert run.send((more, [0, 1, 0, 1], 3)) == (3, [2, 1, 0, 2])


def test_the_count_falls_again_while_slots_are_emptied() -> None:
    rates, owners = [10.0, 30.0, 30.0, 10.0], [0, 1, 2, 2]
    run = looks(group(4, 3), rates, owners, 3)
    next(run)
    assert run.send(([1.0] * 4, [0, 1, 0, 1], 3)) == (3, [0, 0, 0, 0])
    assert run.send(([1.0] * 4, [0, 0, 0, 0], 3)) == (1, [0, 0, 0, 0])


def test_an_empty_slot_goes_at_once() -> None:
    run = looks(group(2, 2), [10.0, 10.0], [0, 0], 2)
    assert next(run) == (1, [0, 0])


def test_nothing_is_decided_between_looks_or_while_partitions_move() -> None:
    """A pod starts within 3 s, and what moves waits 0.5: the look at 5 is answered, those to 8.5
    are not."""
    ours = Ours(NAME, group(4, 1), look_s=5.0, **ONE_PER_40)
    answers = [ours.decide(t, [20.0] * 4, [0.0] * 4, [0] * 4, 1) for t in range(1, 11)]
    assert [t for t, answer in enumerate(answers, start=1) if answer] == [5, 10]
    quick = Ours(NAME, group(4, 1), look_s=1.0, **ONE_PER_40)
    answers = [quick.decide(t, [20.0] * 4, [0.0] * 4, [0] * 4, 1) for t in range(1, 6)]
    assert [t for t, answer in enumerate(answers, start=1) if answer] == [1, 5]


def decided_every(own: str, about: Group, look_s: float) -> float:
    look = -(-look_s // about.decision_s) * about.decision_s
    return -(-strategies.get(own).decision_s // look) * look


def counts_of(own: str, about: Group, decides_s: float, **arguments: Any) -> Callable[..., Any]:
    """Counts of a strategy alone, which has its own oracle."""
    strategy = strategies.get(own)
    settings = {**dict(strategy.settings), **dict(strategy.placed_settings)}
    alone = replace(strategy, settings=tuple(settings.items()))
    state = alone.start(about._replace(decision_s=decides_s), **arguments)

    def count(look: Look) -> int | None:
        seen = Observation(
            rates=look.rates,
            lags=np.array(look.lags),
            owners=np.array(look.owners, np.int32),
            replicas=look.count,
            time=look.time,
        )
        return alone.step(state, seen).replicas

    return count


@pytest.mark.parametrize("own", ["constant", "headroom", "linear", "threshold"])
@pytest.mark.parametrize(("look_s", "step_s"), [(1.0, 1.0), (5.0, 1.0), (5.0, 10.0), (7.0, 2.0)])
def test_decisions_are_the_plain_ones(own: str, look_s: float, step_s: float) -> None:
    rng = np.random.default_rng(int(10 * look_s + step_s))
    for partitions, most in ((6, 6), (9, 5), (3, 5)):
        about = group(partitions, 2, max_replicas=most, step_s=step_s, decision_s=step_s)
        decides_s = decided_every(own, about, look_s)
        plain = PlainController(about, counts_of(own, about, decides_s), decides_s, look_s)
        ours = Ours(f"controller:{own}+placement", about, look_s=look_s)
        owners, replicas, late = [p % 2 for p in range(partitions)], 2, 0
        for k in range(1, 120):
            time = k * step_s
            wave = 30.0 + 28.0 * np.sin(k / 9.0)
            rates = np.round(wave * rng.uniform(0.2, 1.8, partitions), 6)
            lags = np.round(rng.uniform(0.0, 60.0, partitions), 6)
            answer = ours.decide(time, rates, lags, owners, replicas)
            assert answer == plain.decide(time, rates, lags, owners, replicas), (k, partitions)
            if answer is None:
                continue
            replicas, late = answer[0], late + 1
            # Some moves are late: owners are then those of before.
            owners = owners if late % 5 == 0 and replicas > max(owners) else answer[1]


def plainly(case: scenarios.Scenario, about: Group, setup: Setup, look_s: float) -> Any:
    """The whole group in exact fractions, under the plain controller."""
    decides_s = decided_every("linear", about, look_s)
    plain = PlainController(about, counts_of("linear", about, decides_s), decides_s, look_s)

    def answer(sight: Sight) -> Answer:
        row = (sight.time, sight.rates, sight.lags, sight.owners, sight.replicas)
        decision = plain.decide(*row)
        return None if decision is None else (decision[0], IDS, decision[1])

    return PlainGroup(case.rates, setup, answer).run()


@pytest.mark.slow
@pytest.mark.parametrize("look_s", [1.0, 3.0])
def test_the_simulation_is_the_plain_one(look_s: float) -> None:
    """Pods are paid until their slots are empty, and only what moves waits."""
    exact = {name: Fraction(0) for name, value in OURS.items() if isinstance(value, float)}
    for seed in range(12):
        case = scenarios.scenario(2000 + seed, steps=20)
        initial = max(case.setup.initial_replicas, 1)
        setup = replace(
            case.setup,
            **{**OURS, **exact},
            initial_replicas=initial,
            max_replicas=max(case.setup.max_replicas, initial),
        )
        most = {"initial_replicas": initial, "max_replicas": setup.max_replicas}
        unlike = {**case.settings, **most}
        checked = check_settings({**unlike, **OURS}, len(case.rates[0]), 1.0, None)
        about = group_of(checked, case.peaks, means=case.mean_rates)
        detailed = simulate_in_detail(case.workload, NAME, {"look_s": look_s}, unlike)
        plain = plainly(case, about, setup, look_s)
        check_counts(detailed, plain)
        check_lags(detailed, plain)
        check_latency(detailed, plain, setup)


def test_pods_are_paid_until_their_slots_are_empty() -> None:
    """Two pods; the rate falls, which the look at 10 s sees. The one at 15 s removes a pod."""
    rates = np.full((30, 2), 50.0)
    rates[5:] = 10.0
    settings = {"mu": 100.0, "initial_replicas": 2, "max_replicas": 2, "rebalance_s": 0.5}
    result = simulate(rates, NAME, settings=settings, arguments=ONE_PER_40)
    assert result.replica_minutes == pytest.approx((15 * 2 + 15) / 60)
    assert (result.n_down, result.n_reassign, result.partitions_moved) == (1, 1, 1)
    assert result.stalled_s == pytest.approx(0.5)


def test_settings_of_kafkas_groups_change_nothing() -> None:
    rates = np.full((40, 4), 20.0)
    rates[10:20] = 60.0
    kafkas = {"protocol": "eager", "heartbeat_s": 3.0, "static_members": True, "commit_s": 5.0}
    settings = {"mu": 100.0, "max_replicas": 4}
    first, second = (
        simulate(rates, NAME, settings={**settings, **own}, arguments=ONE_PER_40)
        for own in ({}, kafkas)
    )
    assert repr(first) == repr(second)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("controller:headroom", "headroom leaves placement to an assignor"),
        ("controller:sticky", "sticky is an assignor"),
        ("controller:BFD", "BFD names its consumers"),
        ("controller:keda_hpa[+]placement", "keda_hpa is KEDA and the pod autoscaler already"),
        ("controller:keda_http:linear", "keda_http:linear is deployed already"),
        ("controller", "needs the strategy that decides"),
    ],
)
def test_what_the_controller_does_not_run(name: str, words: str) -> None:
    plain = name.replace("[", "").replace("]", "")
    chosen = r"such as controller:headroom\+placement"
    with pytest.raises(UnknownAlgorithmError, match=f"{words}.*; choose one .*{chosen}"):
        strategies.get(plain)


def test_a_strategy_that_places_its_counts_is_one_too() -> None:
    assert strategies.get("controller:shadow_hedge").family == "packing"


def test_labels_are_read_as_they_are_written() -> None:
    text = "controller:headroom+placement:h=1.5:hold=20"
    (one,) = candidates.parse(text, 5, 100.0, 0.5)
    assert (one.strategy, one.label) == ("controller:headroom+placement", text)
    assert one.settings == OURS
    assert one.chosen_settings == {}
    (bounded,) = candidates.parse(f"{text}:max_replicas=4", 5, 100.0, 0.5)
    assert bounded.chosen_settings == {"max_replicas": 4}


def test_settings_of_its_group_cannot_be_chosen() -> None:
    with pytest.raises(InvalidParameterError, match="protocol is incremental under controller:"):
        candidates.candidate(NAME, protocol="eager")
