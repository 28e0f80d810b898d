"""`keda_prometheus` against a plain Prometheus, a plain pod autoscaler, and `headroom`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import candidates, registry, strategies
from algorithms.autoscaling.compiled_decisions import decide_once
from algorithms.autoscaling.dispatch import NO_ANSWER, SEEING, Seen
from algorithms.autoscaling.scaling_policies import AT_ONCE, Behaviour, Policy
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError
from algorithms.simulation import simulate
from tests.algorithms.autoscaling import cases
from tests.algorithms.autoscaling.plain_counting import Autoscaler
from tests.algorithms.autoscaling.plain_prometheus import Prometheus, count

pytestmark = pytest.mark.unit

NAME = "keda_prometheus"
HELD = Behaviour(45.0, "Max", (Policy("Pods", 2, 15.0), Policy("Percent", 50, 30.0)))


class Answers:
    """A strategy that is asked one decision at a time, with the count that it asked for last."""

    def __init__(self, group: Any, **arguments: Any) -> None:
        self.group, self.replicas, self.time = group, group.initial_replicas, 0.0
        self.state = registry.get(NAME).start(group, **arguments)

    def after(self, rates: Any) -> int:
        """Replicas after rates that held since the decision before."""
        self.time += self.group.decision_s
        size = self.group.partitions
        seen = Seen(
            time=self.time,
            step=0,
            lags=np.zeros(size),
            rates=np.round(rates, 6),
            owners=np.zeros(size, np.int64),
            replicas=self.replicas,
            consumed=np.ones(size, np.bool_),
            counts=np.zeros(1),
            blind=SEEING,
            arrived=np.zeros(size),
        )
        answer, _ = decide_once(self.state, seen, np.empty(size, np.int64))
        self.replicas = self.replicas if answer == NO_ANSWER else int(answer)
        return self.replicas


def random_case(seed: int) -> tuple[Any, dict[str, Any], dict[str, float]]:
    """A group, arguments of the query, and those of the pod autoscaler."""
    rng = np.random.default_rng(seed)
    partitions = int(rng.integers(1, 8))
    decision_s = float(rng.choice([1.0, 2.5, 5.0, 40.0]))
    group = cases.group(
        rng,
        partitions=partitions,
        means=rng.uniform(5.0, 60.0, partitions),
        min_replicas=int(rng.integers(0, 3)),
        max_replicas=int(rng.integers(2, 13)),
        initial_replicas=2,
        assignor=str(rng.choice(["range", "roundrobin"])),
        decision_s=decision_s,
        step_s=decision_s,
        wsla_s=0.7,
    )
    scrape_s = float(rng.choice([5.0, 10.0, 15.0, 30.0, 7.5]))
    query = {
        "hold": float(scrape_s * rng.choice([0.0, 1.0, 1.3, 2.5, 6.0])),
        "window_s": float(scrape_s * rng.choice([4.0, 4.25, 5.5, 9.0])),
        "scrape_s": scrape_s,
        "scrape_phase": float(rng.choice([0.0, 0.125, 0.5, 0.8125, 1.0])),
    }
    sync_s = float(rng.choice([5.0, 15.0, 20.0]))
    return group, query, {"sync_s": sync_s, "phase_s": sync_s * float(rng.choice([0.0, 0.3, 0.9]))}


@pytest.mark.parametrize("seed", range(40))
def test_replicas_are_the_plain_ones(seed: int) -> None:
    group, query, syncs = random_case(seed)
    h = (1.0, 1.15, 1.5)[seed % 3]
    behaviour = HELD if seed % 2 else AT_ONCE
    answers = Answers(group, h=h, **query, **syncs, scale_down=behaviour)
    server = Prometheus(**query)
    down: list[tuple[str, float, float]] = list(behaviour.policies)
    autoscaler = Autoscaler(
        (max(group.min_replicas, 1), group.max_replicas),
        1.0,
        (0.1, 0.1),
        (0.0, "Max", [("Pods", 100.0, 15.0)]),
        (behaviour.window_s, "Max", down),
    )
    rng = np.random.default_rng(1000 + seed)
    replicas, synced, level = group.initial_replicas, -1, np.zeros(group.partitions)
    for k in range(1, 121):
        if k % 12 == 1:
            level = group.means * rng.uniform(0.1, 4.0)
        rates = np.round(level * rng.uniform(0.7, 1.3, group.partitions), 6)
        time = k * group.decision_s
        server.passes(time, rates.tolist())
        number = math.floor(
            (Fraction(time) - Fraction(syncs["phase_s"])) / Fraction(syncs["sync_s"])
        )
        if number > synced:
            synced = number
            wanted = count(
                server.query(),
                group.means.tolist(),
                group.assignor,
                group.mu * (group.wsla_s - 0.5 / group.mu) if group.burst else group.mu,
                h,
                group.max_replicas,
            )
            wanted = max(wanted, group.min_replicas)
            replicas = autoscaler.sync(time, float(wanted), replicas)[1]
        assert answers.after(rates) == replicas, time


@pytest.mark.parametrize("seed", range(6))
def test_without_window_scrape_and_sync_it_is_headroom(seed: int) -> None:
    """Its window ends within the last second, and a peak's first part counts like its last."""
    rng = np.random.default_rng(seed)
    shares = rng.integers(1, 9, 12)
    totals = np.repeat(rng.integers(1, 30, 40) * 20.0, rng.integers(3, 25, 40))
    rates = totals[:, None] * shares / 64.0
    settings = {"mu": 100.0, "startup_s": 2.0, "assignor": ("range", "roundrobin")[seed % 2]}
    held = {"h": 1.15, "hold": 9.5}
    ideal = simulate(rates, "headroom", held, settings)
    tiny = {"scrape_s": 0.1, "window_s": 0.4, "sync_s": 1.0}
    exact = {"tolerance_up": 0.0, "tolerance_down": 0.0}
    own = simulate(rates, NAME, {**held, **tiny, **exact}, settings)
    assert own.replicas.tolist() == ideal.replicas.tolist()
    assert len(set(own.replicas.tolist())) >= 5
    assert own.p99 == ideal.p99


def five(**changed: Any) -> Any:
    """Five equal partitions."""
    return cases.GROUP._replace(means=np.ones(5), max_replicas=5, **changed)


def seconds_until_five(**arguments: Any) -> int:
    """Time from a jump to five replicas."""
    answers = Answers(five(), h=1.0, **arguments)
    for _ in range(300):
        assert answers.after(np.full(5, 18.0)) == 1
    for second in range(1, 400):
        if answers.after(np.full(5, 98.0)) == 5:
            return second
    return 400


def test_a_window_delays_a_jump() -> None:
    """From 90 to 490 events/s: five equal partitions need five members above 250 events/s.

    Of 90 s between the first and the last sample, more than 36 s must be after the jump at 300 s:
    at the scrape at 360 s, or at 363 s, which the sync at 375 s is the first to see.
    """
    assert seconds_until_five(scrape_phase=0.0) == 60
    assert seconds_until_five(scrape_phase=0.1) == 75
    assert seconds_until_five(scrape_phase=0.1, hold=120.0) == 75
    assert seconds_until_five(scrape_s=10.0, window_s=40.0, scrape_phase=0.0) == 30


def test_the_first_rate_holds_before_the_start() -> None:
    answers = Answers(five(), h=1.0)
    counts = [answers.after(np.full(5, 45.0)) for _ in range(60)]
    assert counts == [3] * 60


def test_where_nothing_is_in_time_all_replicas_are_asked_for() -> None:
    answers = Answers(five(burst=True, wsla_s=0.001), h=1.0)
    assert [answers.after(np.zeros(5)) for _ in range(20)] == [5] * 20


def test_a_hold_keeps_a_peak() -> None:
    def replicas(hold: float, **arguments: Any) -> list[int]:
        answers = Answers(five(), h=1.0, hold=hold, **arguments)
        for _ in range(240):
            answers.after(np.full(5, 90.0))
        return [answers.after(np.full(5, 10.0)) for _ in range(600)]

    short, held = replicas(30.0), replicas(300.0)
    # The scrape at 345 s has nothing of the peak; the evaluation at 330 s had the one before.
    assert short.index(1) == 345 - 241
    assert held.index(1) == 330 + 300 - 241
    window = AT_ONCE._replace(window_s=300.0)
    assert replicas(30.0, scale_down=window) == held


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"window_s": 119.0}, "window_s must be at least 4 times scrape_s, 120 s .got 119.; raise"),
        ({"scrape_s": 60.0}, "window_s must be at least 4 times scrape_s, 240 s .got 120.; raise"),
        ({"scrape_s": 0.0}, "scrape_s must be at least 0.1"),
        ({"scrape_phase": 1.5}, "scrape_phase must be at least 0 and at most 1"),
        ({"phase_s": 15.0}, "phase_s must be below sync_s"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, float], words: str) -> None:
    for refuse in (registry.get(NAME).check, registry.get(NAME).start):
        with pytest.raises(InvalidParameterError, match=words):
            refuse(five(), **arguments)


def test_shares_must_be_known() -> None:
    with pytest.raises(InvalidParameterError, match="needs the mean rate of each partition"):
        registry.get(NAME).start(cases.GROUP)


def test_it_is_deployed_already() -> None:
    with pytest.raises(UnknownAlgorithmError, match="is KEDA and the pod autoscaler already"):
        strategies.get(f"keda_http:{NAME}")
    (one,) = candidates.parse(f"{NAME}:h=1.15:hold=30", 5, 100.0, 0.5)
    assert (one.strategy, one.arguments) == (NAME, {"h": 1.15, "hold": 30})
