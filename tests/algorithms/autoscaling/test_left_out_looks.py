"""Time lags count all that has arrived, whatever looks were left out or failed."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from algorithms.autoscaling import (
    Group,
    Seen,
    Strategy,
    controlled_counts,
    deployed_counts,
    time_lags,
)
from algorithms.autoscaling.dispatch import NO_ANSWER, decides
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating_unkept
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.incident_kinds import READINGS, Blind
from algorithms.simulation.incident_times import Incident
from tests.algorithms.autoscaling.plain_time_lag import Looks
from tests.algorithms.simulation import scenarios
from tests.algorithms.simulation.checks import check_counts
from tests.algorithms.simulation.plain_group import Group as PlainGroup
from tests.algorithms.simulation.plain_incidents import Happening, HitGroup
from tests.algorithms.simulation.plain_settings import Answer, Exact, Sight

pytestmark = pytest.mark.unit

IN_S, OUT_S = 0.2003, 1.5003


class PlainThreshold:
    """``time_threshold`` in a plain group: it looks when it is asked, at what is read."""

    def __init__(self, case: scenarios.Scenario) -> None:
        self.case, self.looks, self.ages = case, None, list[float]()

    def __call__(self, sight: Sight) -> Answer:
        setup, time = self.case.setup, Fraction(sight.time)
        ends = [Fraction(each) for each in sight.arrived]
        if self.looks is None:
            events = [Fraction(rate) * setup.decision_s for rate in sight.rates]
            before = [end - own for end, own in zip(ends, events, strict=True)]
            self.looks = Looks(time - setup.decision_s, before)
        self.looks.look(time, ends)
        age = float(self.looks.age([Fraction(lag) for lag in sight.lags]))
        self.ages.append(age)
        kept = [0] * len(sight.rates)
        if age <= IN_S:
            return (sight.replicas - 1, 0, kept) if sight.replicas > 0 else None
        if age > OUT_S and sight.replicas < setup.max_replicas:
            return sight.replicas + 1, 0, kept
        return None


def scenario(seed: int, cooldown: str) -> scenarios.Scenario:
    """A random group of up to 30 steps that begins with its last replicas, and sees the past."""
    case = scenarios.scenario(seed, steps=30)
    case.setup.observe = case.settings["observe"] = "last"
    case.setup.cooldown_s = Fraction(cooldown)
    case.settings["cooldown_s"] = float(cooldown)
    return case


def compare(
    case: scenarios.Scenario, blind: tuple[Exact, Exact] | None = None, reads: str = "missing"
) -> int:
    """Compare with the plain group; return how often it was behind."""
    plain_one, hits, happenings = PlainThreshold(case), [], []
    if blind is not None:
        at, length = blind
        parameters = Blind(blind_s=float(length), reads=reads)
        hits = [Incident("blind", float(at), parameters, "blind")]
        happenings = [Happening("blind", at, until=at + length, reads=reads)]
        plain = HitGroup(case.rates, case.setup, plain_one, happenings).run()
    else:
        plain = PlainGroup(case.rates, case.setup, plain_one).run()
    arguments = {"in_s": IN_S, "out_s": OUT_S, "k_max": case.setup.max_replicas}
    detailed = simulate_in_detail(
        case.workload, "time_threshold", arguments, case.settings, incidents=hits
    )
    check_counts(detailed, plain)
    return sum(age > 0.0 for age in plain_one.ages)


@pytest.mark.slow
@pytest.mark.parametrize("cooldown", ["0", "3", "6"])
def test_a_cooldown_leaves_no_arrivals_out(cooldown: str) -> None:
    behind = [compare(scenario(seed, cooldown)) for seed in range(200)]
    assert sum(behind) > 500


@pytest.mark.slow
@pytest.mark.parametrize("reads", READINGS)
def test_a_blind_time_leaves_no_arrivals_out(reads: str) -> None:
    """While offsets are stale or 0, what was read last as written stays."""
    behind = 0
    for seed in range(200):
        case = scenario(seed, "0")
        step = case.setup.step_s
        behind += compare(case, (2 * step, step * (3 + seed % 9)), reads)
    assert behind > 500


@pytest.mark.slow
def test_a_stale_time_lag_grows_whatever_arrives() -> None:
    """Nine partitions are behind as their offsets become stale; then much more arrives."""
    for name in ("time_threshold", "keda_http:time_threshold"):
        for rate in (90.0, 400.0):
            rates = np.full((900, 9), 90.0)
            rates[300:] = rate
            group = {"initial_replicas": 3, "max_replicas": 9, "mu": 200.0, "decision_s": 15.0}
            incident = Incident("blind", 60.0, Blind(blind_s=600.0, reads="stale"), "blind")
            counts = simulate_in_detail(
                rates, name, {"in_s": 1.0, "out_s": 60.0}, group, incidents=[incident]
            ).result.replicas
            assert np.diff(counts[60:659]).min() == 0
            assert counts[658] == 9


def test_windows_that_were_left_out_count_with_their_own_rates() -> None:
    """No look for ten seconds at 60 events/s, then a second at 5; 305 of these events wait.

    Of 605 events in 11 s, the first of the last 305 is 5.55 s old; at 5 events/s it would be 61 s.
    """
    arrivals = time_lags.create(1, 1.0)
    for time, rate, arrived in ((1.0, 20.0, 20.0), (12.0, 5.0, 625.0)):
        time_lags.arrive(arrivals, time, np.array([rate]), np.array([arrived]))
        time_lags.note(arrivals)
    assert time_lags.greatest(arrivals, np.array([305.0])) == pytest.approx(11.0 * 305 / 605)


def test_what_has_arrived_never_grows_less() -> None:
    arrivals = time_lags.create(1, 1.0)
    for time, arrived in ((1.0, 20.0), (2.0, 40.0), (3.0, 30.0), (4.0, 50.0)):
        time_lags.arrive(arrivals, time, np.array([20.0]), np.array([arrived]))
        time_lags.note(arrivals)
    assert np.diff(arrivals.written[0, :5]).tolist() == [20.0, 20.0, 0.0, 10.0]


class Knowing(NamedTuple):
    """Notes the rates of what knows whether it is blind."""

    partitions: int
    rates: Floats


NOTES: list[Knowing] = []


def start(group: Group) -> Knowing:
    NOTES.append(Knowing(group.partitions, np.full((100, group.partitions), -1.0)))
    return NOTES[-1]


@decides(Knowing, knows_blindness=True)
@allocating_unkept
def _decide(state: Knowing, seen: Seen, after: Longs) -> tuple[int, int]:
    for p in range(seen.rates.shape[0]):
        state.rates[seen.step, p] = seen.rates[p]
    return NO_ANSWER, 0


@pytest.mark.slow
@pytest.mark.parametrize("reads", READINGS)
def test_what_knows_that_it_is_blind_gets_true_rates(reads: str) -> None:
    rates = np.arange(300.0).reshape(100, 3)
    knowing: Any = Strategy("knowing", "notes rates", "counting", "none", __name__, ())
    incident = Incident("blind", 20.0, Blind(blind_s=40.0, reads=reads), "blind")
    settings = {"decision_s": 1.0, "observe": "last"}
    simulate_in_detail(rates, knowing, settings=settings, incidents=[incident])
    assert NOTES[-1].rates[1:].tolist() == rates[:-1].tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("keda_http:time_threshold", deployed_counts),
        ("controller:time_threshold+placement", controlled_counts),
    ],
)
@pytest.mark.parametrize("cooldown", [0.0, 90.0])
def test_deployed_forms_count_all_that_has_arrived(
    name: str, module: ModuleType, cooldown: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blind from 200 to 300 s, and in a cooldown after each action; rates rise and fall."""
    states, begin = list[Any](), module.start

    def start(*group: Group, **arguments: Any) -> Any:
        states.append(begin(*group, **arguments))
        return states[-1]

    monkeypatch.setattr(module, "start", start)
    times = np.arange(600.0)
    rates = np.round(60.0 + 50.0 * np.sin(times / 40.0))[:, None] * np.linspace(0.5, 1.5, 4)
    group = {"initial_replicas": 2, "max_replicas": 4, "decision_s": 5.0, "cooldown_s": cooldown}
    incident = Incident("blind", 200.0, Blind(blind_s=100.0, reads="missing"), "blind")
    simulate_in_detail(rates, name, settings=group, incidents=[incident])
    arrivals = states[-1].counting.arrivals
    whole = np.concatenate([np.zeros((1, 4)), np.cumsum(rates, axis=0)])
    assert arrivals.clock[0] > 450.0
    for k in range(int(arrivals.marks[0])):
        written = arrivals.written[:, k] - arrivals.written[:, 0]
        expected = whole[round(arrivals.times[k])] - whole[round(arrivals.times[0])]
        assert written == pytest.approx(expected)
