"""Strategies by time lag: against plain rules, in simulations, and blind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import candidates, registry, strategies
from algorithms.autoscaling.blind_answers import FAILURE_THRESHOLD
from algorithms.autoscaling.compiled_decisions import decide_once
from algorithms.autoscaling.dispatch import MISSING, NO_ANSWER, PARTITION, SEEING, STALE, ZERO, Seen
from algorithms.autoscaling.scaling_policies import SCALE_DOWN
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError
from algorithms.simulation import simulate
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.incident_kinds import READINGS, Blind, Outage
from algorithms.simulation.incident_times import Incident
from tests.algorithms.autoscaling import cases
from tests.algorithms.autoscaling.plain_counting import Autoscaler
from tests.algorithms.autoscaling.plain_time_lag import Topic

pytestmark = pytest.mark.unit

AT_ONCE_DOWN = SCALE_DOWN._replace(window_s=0.0)


class Asked:
    """A strategy that is asked one decision after another, with what has happened in a topic."""

    def __init__(self, name: str, period: int, replicas: int = 4, **arguments: Any) -> None:
        self.group = cases.GROUP._replace(
            partitions=3, decision_s=float(period), max_replicas=12, initial_replicas=replicas
        )
        self.state = registry.get(name).start(self.group, **arguments)
        self.period, self.replicas, self.topic = period, replicas, Topic(3)
        self.ready = 3

    def after(self, written: Any, read: Any, blind: int = SEEING, lags: Any = None) -> int:
        """The answer after a period."""
        self.topic.passes(self.period, written)
        self.topic.reads(read)
        seen = Seen(
            time=float(self.topic.now),
            step=0,
            lags=np.array(self.topic.lags() if lags is None else lags, np.float64),
            rates=np.round(np.array(written) / self.period, 6),
            owners=np.arange(3) % min(self.ready, self.replicas),
            replicas=self.replicas,
            consumed=np.ones(3, np.bool_),
            counts=np.zeros(1),
            blind=blind,
            arrived=np.array([len(times) for times in self.topic.written], np.float64),
        )
        answer, _ = decide_once(self.state, seen, np.empty(3, np.int64))
        return int(answer)


@pytest.mark.parametrize("seed", range(20))
def test_time_threshold_is_the_plain_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    asked = Asked("time_threshold", 10, in_s=12.03, out_s=45.03, k_max=9)
    answers: set[int] = set()
    for _ in range(80):
        written, read = rng.integers(0, 60, 3).tolist(), rng.integers(0, 55, 3).tolist()
        asked.replicas = int(rng.integers(1, 12))
        answer = asked.after(written, read)
        age = float(max(asked.topic.ages()))
        expected = NO_ANSWER
        if age <= 12.03:
            expected = asked.replicas - 1
        elif age > 45.03 and asked.replicas < 9:
            expected = asked.replicas + 1
        assert answer == expected, age
        answers.add(expected - asked.replicas if expected >= 0 else 0)
    assert len(answers) > 1


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("scrape_s", [15.0, 30.0, 40.0])
def test_keda_time_lag_is_the_plain_autoscaler_on_ages(seed: int, scrape_s: float) -> None:
    """Replicas times the ratio, of the ages at the last scrape; 40 s are rounded up to decisions.

    Rates change at scrapes only, as the exporter takes events between them for even.
    """
    rng = np.random.default_rng(seed)
    asked = Asked("keda_time_lag", 15, target_s=40.03, scrape_s=scrape_s, scale_down=AT_ONCE_DOWN)
    policies = [("Pods", 4.0, 15.0), ("Percent", 100.0, 15.0)]
    down = (0.0, "Max", [("Percent", 100.0, 15.0)])
    plain = Autoscaler((1, 12), 40.03, (0.1, 0.1), (0.0, "Max", policies), down)
    scrapes, age, written = -1, 0.0, [30, 30, 30]
    counts: set[int] = set()
    for _ in range(120):
        answer = asked.after(written, rng.integers(0, 58, 3).tolist())
        number = math.floor(asked.topic.now / int(scrape_s))
        if number > scrapes:
            scrapes, age = number, float(max(asked.topic.ages()))
            written = rng.integers(0, 60, 3).tolist()
        time_s = float(asked.topic.now)
        expected = plain.sync(time_s, age * asked.replicas, asked.replicas)[1]
        assert answer == expected
        asked.replicas = expected
        counts.add(expected)
    assert len(counts) > 2


def test_the_ratio_is_of_the_target_whatever_the_number_of_replicas() -> None:
    """Twice the target doubles two replicas and four; an average over replicas would not."""
    for replicas in (2, 4):
        asked = Asked("keda_time_lag", 15, replicas, target_s=15.0, scrape_s=15.0)
        asked.after([30, 0, 0], [0, 0, 0])
        assert asked.after([30, 0, 0], [0, 0, 0]) == 2 * replicas


@pytest.mark.parametrize(("ready", "answer"), [(1, 3), (2, 4), (3, 6)])
def test_replicas_that_still_start_are_not_multiplied(ready: int, answer: int) -> None:
    """Three replicas at twice the target; a proposal below three waits for five minutes."""
    asked = Asked("keda_time_lag", 15, 3, target_s=15.0, scrape_s=15.0)
    asked.after([30, 0, 0], [0, 0, 0])
    asked.ready = ready
    assert asked.after([30, 0, 0], [0, 0, 0]) == answer


def test_members_are_counted_by_their_ids() -> None:
    """Also by ids above the number of partitions, as new members have."""
    asked = Asked("keda_time_lag", 15, 2, target_s=15.0, scrape_s=15.0)
    state, counted = asked.state, list[int]()
    for owners in ([0, 0, 0], [24, 5, 24], [-1, 7, -1], [-1, -1, -1], [90, 90, 1]):
        rng = np.random.default_rng(0)
        own = {"owners": np.array(owners), "replicas": 3, "time": 15.0, "blind": STALE}
        seen = cases.seen(rng, asked.group, **own)
        state.lag_s[0] = 60.0
        counted.append(int(decide_once(state, seen, np.empty(3, np.int64))[0]))
        state.controller.changes.marks[:] = state.controller.proposals.marks[:] = 0
    assert counted == [4, 7, 4, 7, 4]


@pytest.mark.parametrize("blind", [MISSING, PARTITION])
def test_without_a_value_the_count_stays_and_then_the_fallback_raises_it(blind: int) -> None:
    asked = Asked("keda_time_lag", 15, 6, target_s=15.0, scrape_s=15.0, scale_down=AT_ONCE_DOWN)
    assert asked.after([30] * 3, [0] * 3) == 6
    asked.replicas = 2
    answers = [asked.after([30] * 3, [0] * 3, blind) for _ in range(20)]
    failures = answers.index(6)
    # KEDA counts its own polls as well, every other one of these decisions.
    assert answers[:failures] == [NO_ANSWER] * failures
    assert failures == math.ceil((FAILURE_THRESHOLD + 1) * 2 / 3) - 1


def test_a_stale_value_stays_and_a_zero_shrinks() -> None:
    def answers(blind: int) -> list[int]:
        asked = Asked("keda_time_lag", 15, 4, target_s=15.0, scrape_s=15.0, scale_down=AT_ONCE_DOWN)
        asked.after([30] * 3, [0] * 3)  # 15 s old, at the target
        lags = [0.0] * 3 if blind == ZERO else None
        counts = []
        for _ in range(3):
            asked.replicas = asked.after([30] * 3, [0] * 3, blind, lags)
            counts.append(asked.replicas)
        return counts

    assert answers(STALE) == [4, 4, 4]
    assert answers(ZERO) == [1, 1, 1]
    assert answers(SEEING) == [8, 12, 12]


@pytest.mark.parametrize("blind", [MISSING, STALE, ZERO, PARTITION])
def test_a_blind_time_is_a_straight_line_later(blind: int) -> None:
    """Two periods in which nothing is seen had 60 events and none, and the next one 30.

    The exporter has 90 events in 45 s: the oldest of 45 unread ones is 22.5 s old.
    """
    asked = Asked("keda_time_lag", 15, scrape_s=15.0)
    asked.after([30, 0, 0], [30, 0, 0])
    for written in (60, 0):
        asked.after([written, 0, 0], [0, 0, 0], blind)
    asked.after([30, 0, 0], [45, 0, 0])
    assert float(asked.state.lag_s[0]) == 22.5


STEPS = 1_500
RATES = np.full((STEPS, 9), 90.0)
GROUP = {"initial_replicas": 6, "max_replicas": 9, "commit_s": 0.0}


def replicas(
    strategy: str, *incidents: Incident, min_replicas: int = 1, **arguments: Any
) -> np.ndarray:
    settings = {**GROUP, "min_replicas": min_replicas}
    counts: np.ndarray = simulate_in_detail(
        RATES, strategy, arguments, settings, has_percentiles=False, incidents=incidents
    ).result.replicas
    return counts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "arguments", "grows"),
    [
        ("keda_time_lag", {"target_s": 60.0}, True),
        ("time_threshold", {"in_s": 0.0, "out_s": 60.0}, True),
        ("time_threshold", {"in_s": 0.0, "out_s": 6_000.0}, False),
        ("keda_http:time_threshold", {"in_s": 0.0, "out_s": 60.0}, True),
    ],
)
def test_an_outage_is_seen(strategy: str, arguments: dict[str, float], grows: bool) -> None:
    outage = Incident("outage", 300.0, Outage(outage_s=300.0), "outage")
    counts = replicas(strategy, outage, **arguments)
    assert (counts[600:700].max() > counts[299]) == grows


@pytest.mark.slow
@pytest.mark.parametrize("reads", ["", *READINGS])
@pytest.mark.parametrize(
    ("strategy", "arguments", "seeing"),
    [
        ("keda_time_lag", {"target_s": 60.0}, {""}),
        ("time_threshold", {"in_s": 0.0, "out_s": 60.0}, {"", "partition"}),
        ("keda_http:time_threshold", {"in_s": 0.0, "out_s": 60.0}, {""}),
    ],
)
def test_an_outage_of_a_group_that_is_blind(
    strategy: str, arguments: dict[str, float], seeing: set[str], reads: str
) -> None:
    """It stands still from 300 to 1,200 s, and is blind from 300 to 900 s.

    A strategy by itself sees the other partitions. What is stale is a time lag of 0.
    """
    outage = Incident("outage", 300.0, Outage(outage_s=900.0), "outage")
    blind = [Incident("blind", 300.0, Blind(blind_s=600.0, reads=reads), "blind")] if reads else []
    counts = replicas(strategy, outage, *blind, min_replicas=6, **arguments)
    assert counts[299] == 6
    assert (counts[300:900].max() > 6) == (reads in seeing)
    assert counts[1_190] == 9


@pytest.mark.slow
def test_a_simulated_group_sees_how_far_it_is_behind() -> None:
    """One partition at 150 events/s and consumers of 100: it falls behind by a third of the time.

    Time lag 20 s is exceeded after 60 s, which the decision at 70 s is the first to see.
    """
    rates = np.full((200, 1), 150.0)
    settings = {"mu": 100.0, "max_replicas": 5, "decision_s": 10.0, "commit_s": 0.0, "startup_s": 0}
    arguments = {"in_s": 0.0, "out_s": 20.0}
    result = simulate(rates, "time_threshold", arguments, settings)
    assert int(np.argmax(result.replicas > 1)) in (60, 69, 70)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("time_threshold", {"in_s": 30.0}, r"^in_s must be below out_s \(got in_s 30 s, out_s 30"),
        ("time_threshold", {"in_s": -1.0}, "^in_s must be at least 0"),
        ("time_threshold", {"k_max": 0}, "^k_max "),
        ("keda_time_lag", {"target_s": 0.0}, "^target_s must be at least 0.001"),
        ("keda_time_lag", {"scrape_s": 0.0}, "^scrape_s must be at least 0.1"),
        ("keda_time_lag", {"threshold": 5}, "unknown argument 'threshold' of keda_time_lag"),
    ],
)
def test_wrong_arguments_are_refused(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        registry.get(name).check(cases.GROUP, **arguments)


def test_the_present_is_not_seen() -> None:
    with pytest.raises(InvalidParameterError, match="observe is last under time_threshold"):
        candidates.candidate("time_threshold", observe="now")


def test_keda_is_deployed_already() -> None:
    for name in ("keda_http:keda_time_lag", "controller:keda_time_lag+placement"):
        with pytest.raises(UnknownAlgorithmError, match="is KEDA and the pod autoscaler already"):
            strategies.get(name)
