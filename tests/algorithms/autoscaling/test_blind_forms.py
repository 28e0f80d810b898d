"""Deployed forms that are blind do in simulations what the scaler and KEDA do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import Seen, failing_trigger, scaler_looks
from algorithms.autoscaling.blind_answers import BLIND_S, POLLING_S
from algorithms.autoscaling.dispatch import MISSING, PARTITION, SEEING, STALE, ZERO
from algorithms.autoscaling.hpa import HorizontalPodAutoscaler
from algorithms.autoscaling.scaler_looks import Looks
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.incident_kinds import READINGS, Blind
from algorithms.simulation.incident_times import Incident
from live.groups.keda_player import KedaPlayer
from live.scaler.group_look import Look
from live.scaler.recent_counts import RecentCounts
from live.scaler.scaler_answers import Answers
from live.scaler.step_rates import StepRates
from tests.algorithms.autoscaling import cases

pytestmark = pytest.mark.unit

LOOK_S, SYNC_S = 5.0, 15.0
PARTITIONS = 3


def looks(decision_s: float = LOOK_S) -> Looks:
    group = cases.GROUP._replace(partitions=PARTITIONS, decision_s=decision_s)
    return scaler_looks.create(group, scaler_looks.inner_group(group, 1.0, LOOK_S), LOOK_S)


def sight(time: float, blind: int, **fields: Any) -> Seen:
    rng = np.random.default_rng(0)
    seen = cases.seen(rng, cases.GROUP._replace(partitions=PARTITIONS))
    return seen._replace(time=time, blind=blind, **fields)


def test_a_scaler_whose_looks_fail_asks_for_what_the_real_one_does() -> None:
    states = set()
    for seed in range(100):
        rng = np.random.default_rng(seed)
        state, answers = looks(), Answers(LOOK_S, BLIND_S, RecentCounts(), 0.0)
        blind, had_failed, count = SEEING, False, -1
        for k in range(1, 1_000):
            time = LOOK_S * k
            if rng.random() < (0.02 if blind == SEEING else 0.05):
                blind = int(rng.choice([SEEING, MISSING, PARTITION]))
            gives_rates = scaler_looks.is_look(state, sight(time, blind), True)
            assert gives_rates == (blind == SEEING and not had_failed)
            if blind != SEEING:
                answers.failed("missing")
            elif gives_rates:
                count = int(rng.integers(1, 20))
                scaler_looks.decided(state, time, count, 1, 100)
                answers.decided(count, "", time)
            had_failed = blind != SEEING
            if count > 0:
                answer = answers.at(time)
                states.add(answer.state)
                assert scaler_looks.held(state, time, count) == answer.replicas
    assert states == {"seeing", "blind", "blind_long"}


def test_an_idle_group_is_woken_by_a_long_blindness() -> None:
    state = looks()
    for k in range(1, 30):
        scaler_looks.is_look(state, sight(LOOK_S * k, MISSING), True)
        assert scaler_looks.held(state, LOOK_S * k, 0) == int(LOOK_S * k >= BLIND_S)


def test_rates_of_stale_offsets_are_those_that_the_scaler_takes() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        state, real = looks(), StepRates(LOOK_S)
        true = shown = np.zeros(PARTITIONS)
        blind = SEEING
        real.add(look(0.0, shown))
        for k in range(1, 40):
            if rng.random() < 0.2:
                blind = int(rng.choice([SEEING, STALE]))
            rates = rng.integers(0, 100, PARTITIONS) * 1.0
            true = true + rates * LOOK_S
            shown = shown if blind == STALE else true
            seen = sight(LOOK_S * k, blind, rates=rates.copy(), counts=np.zeros(1))
            scaler_looks.read_offsets(state, seen)
            step = real.add(look(LOOK_S * k, shown))
            assert step is not None
            assert seen.rates == pytest.approx(step.rates)


def test_offsets_of_zero_come_back_as_all_that_has_arrived() -> None:
    state, arrived = looks(), np.array([500.0, 0.0, 70.0])
    for blind, expected in ((ZERO, np.zeros(3)), (SEEING, arrived / LOOK_S + 2.0), (SEEING, 2.0)):
        seen = sight(5.0, blind, rates=np.full(3, 2.0), counts=np.zeros(1), arrived=arrived)
        scaler_looks.read_offsets(state, seen)
        assert seen.rates == pytest.approx(np.broadcast_to(expected, 3))


def test_without_a_partition_its_last_rate_holds_for_the_controller() -> None:
    """Rates 2, 4, 6 events/s; then 20, 40, 60 without the last one; then these with it."""
    state, arrived, shown = looks(), np.zeros(3), list[list[float]]()
    for blind, factor in ((SEEING, 1.0), (PARTITION, 10.0), (PARTITION, 10.0), (SEEING, 10.0)):
        rates = np.array([2.0, 4.0, 6.0]) * factor
        arrived = arrived + rates * LOOK_S
        seen = sight(5.0, blind, rates=rates, counts=np.zeros(1), arrived=arrived)
        scaler_looks.read_offsets(state, seen)
        shown.append([*seen.rates.tolist(), float(state.arrived[2])])
    assert shown == [
        [2.0, 4.0, 6.0, 30.0],
        [20.0, 40.0, 6.0, 60.0],
        [20.0, 40.0, 6.0, 90.0],
        [20.0, 40.0, 60.0, 930.0],
    ]


def test_what_has_arrived_is_not_read_while_offsets_are_hidden() -> None:
    for blind in (STALE, ZERO):
        state = looks()
        for now, arrived, shown in (
            (SEEING, 50.0, 50.0),
            (blind, 90.0, 50.0),
            (SEEING, 99.0, 99.0),
        ):
            own = {"rates": np.full(3, 2.0), "counts": np.zeros(1), "arrived": np.full(3, arrived)}
            scaler_looks.read_offsets(state, sight(5.0, now, **own))
            assert state.arrived.tolist() == [shown] * 3


def look(at_s: float, ends: np.ndarray) -> Look:
    whole = tuple(map(int, ends))
    return Look(at_s, whole, whole, {}, (0,) * PARTITIONS, (), (PARTITIONS,))


def test_a_failing_trigger_is_followed_as_by_the_player_of_keda() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        autoscaler = HorizontalPodAutoscaler(1, 100, 1.0, tolerance_up=0.0, tolerance_down=0.0)
        most, members, has_failed, raised = 0, 4, False, 0
        failures = failing_trigger.create()
        player = KedaPlayer(autoscaler, 0)
        for k in range(200):
            if rng.random() < 0.07:
                has_failed = not has_failed
            time = SYNC_S * k
            failing_trigger.poll(failures, time, has_failed)
            if k > 0 and time % POLLING_S == 0.0:
                player.poll(None if has_failed else 1)
            count = int(rng.integers(1, 20))
            if has_failed:
                player._fallback = most
                synced = player.sync(time, None, members)
                reported = failing_trigger.fail(failures, members)
                assert (reported >= 0) == (synced.why == "fallback")
                raised += reported > members
                members = max(members, reported)
            else:
                most = max(most, count)
                failing_trigger.succeed(failures, count)
                player.poll(1)
                members = count
        assert seed or raised


STEPS = 1_500
RATES = np.full((STEPS, 9), 90.0)
SETTINGS = {"initial_replicas": 6, "max_replicas": 9}


def replicas(strategy: str, reads: str, **arguments: Any) -> np.ndarray:
    """810 events/s; blind from 600 to 1,200 s."""
    incident = Incident("blind", 600.0, Blind(reads=reads), "blind")
    detailed = simulate_in_detail(
        RATES, strategy, arguments, SETTINGS, has_percentiles=False, incidents=[incident]
    )
    counts: np.ndarray = detailed.result.replicas
    return counts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "shrinking"),
    [
        ("headroom", {"zero"}),
        ("ds2", {"zero", "partition"}),
        ("keda_hpa", {"zero"}),
        ("keda_prometheus", {"stale", "zero"}),
        ("keda_http:headroom", {"stale", "zero"}),
        ("keda_external:headroom", {"stale", "zero"}),
        ("controller:headroom+placement", {"stale", "zero"}),
    ],
)
def test_which_forms_shrink(strategy: str, shrinking: set[str]) -> None:
    found = set()
    for reads in READINGS:
        counts = replicas(strategy, reads)
        if counts[600:1_200].min() < counts[599]:
            found.add(reads)
    assert found == shrinking


@pytest.mark.slow
def test_keda_counts_what_a_partition_without_an_offset_retains() -> None:
    """The count stays without a metric, and rises where 54,000 events seem to wait."""
    counts, kept = (replicas("keda_hpa", reads, threshold=10_000) for reads in READINGS[::-3])
    assert counts[599] == kept[599]
    assert counts[700] > kept[700] == kept[599]
