"""KEDA's metric, and the strategy that joins it with the horizontal pod autoscaler."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import Group, Seen
from algorithms.autoscaling.dispatch import SEEING
from algorithms.autoscaling.hpa import Behaviour, Policy
from algorithms.autoscaling.keda import metric
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.autoscaling import cases, plain_counting

pytestmark = pytest.mark.unit

SWITCHES = (
    {},
    {"allow_idle": True},
    {"limit_to_partitions_with_lag": True},
    {"ensure_even": True},
)


@given(
    st.lists(
        st.one_of(st.sampled_from([0.0, 0.4, 1.0, 9.9, 10.0]), st.floats(0.0, 90.0)),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 25),
    st.sampled_from(SWITCHES),
)
def test_metric_is_the_plain_one(
    lags: list[float], threshold: int, switches: dict[str, bool]
) -> None:
    expected = plain_counting.keda_metric(lags, threshold, **switches)
    assert metric(lags, threshold, **switches) == expected


@pytest.mark.parametrize(
    ("lags", "switches", "expected"),
    [
        # 3.9 thresholds have the integer part 3, which is no more than three partitions.
        ([39.0, 0.0, 0.0], {}, 39),
        ([40.0, 0.0, 0.0], {}, 30),
        ([400.0, 0.0, 0.0], {"allow_idle": True}, 400),
        ([39.0, 0.9, 0.0], {"limit_to_partitions_with_lag": True}, 10),
        ([19.0, 0.9, 0.0], {"limit_to_partitions_with_lag": True}, 19),
        # Six partitions divide by 1, 2, 3 and 6 replicas.
        ([31.0, 0.0, 0.0, 0.0, 0.0, 0.0], {"ensure_even": True}, 60),
        ([21.0, 0.0, 0.0, 0.0, 0.0, 0.0], {"ensure_even": True}, 30),
        ([20.0, 0.0, 0.0, 0.0, 0.0, 0.0], {"ensure_even": True}, 20),
        ([900.0, 0.0, 0.0, 0.0, 0.0, 0.0], {"ensure_even": True}, 60),
        ([0.0, 0.0, 0.0], {"ensure_even": True}, 10),
        # Fractions are dropped from each lag, not from the sum.
        ([0.9, 0.9, 0.9], {}, 0),
    ],
)
def test_metric_by_hand(lags: list[float], switches: dict[str, bool], expected: int) -> None:
    assert metric(lags, 10, **switches) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([-1.0], 10), r"lags\[0\] must be finite and at least 0 .*-1"),
        (([1.0, float("nan")], 10), r"lags\[1\] must be finite"),
        (([], 10), "lags must have shape"),
        (([[1.0]], 10), "lags must have shape"),
        ((["much"], 10), "lags must be one number per partition"),
        (([2.0**53, 8.0], 10), r"lags must be at most 2\*\*53"),
        (([1.0], 0), "^threshold .*0"),
        (([1.0], 1.5), "^threshold .*1.5"),
        (([1.0], 10, True, True), "only one of .*allow_idle and limit_to_partitions_with_lag"),
        (([1.0], 10, True, False, True), "only one of .*allow_idle and ensure_even"),
        (([1.0], 10, False, True, True), "only one of .*limit_to_partitions_with_lag and ensure"),
        (([1.0], 10, 1), "allow_idle must be true or false .*1"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        metric(*arguments)


UP = Behaviour(30.0, "Max", (Policy("Pods", 2, 60.0),))
DOWN = Behaviour(60.0, "Min", (Policy("Percent", 50, 45.0), Policy("Pods", 3, 30.0)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("switches", [*SWITCHES, {"exclude_persistent_lag": True}])
def test_strategy_is_the_plain_one(switches: dict[str, bool], seed: int) -> None:
    """Sequences of syncs 15 s apart, of which some groups may have no replicas."""
    rng = np.random.default_rng([seed, len(str(switches))])
    for behaviours in ({}, {"scale_up": UP, "scale_down": DOWN}):
        least = int(rng.integers(0, 3))
        group = cases.group(
            rng, min_replicas=least, initial_replicas=2, max_replicas=9, decision_s=15.0
        )
        threshold = int(rng.choice([3, 10, 40]))
        up = behaviours.get("scale_up", Behaviour(0, "Max", (Policy("Pods", 4, 15), TWICE)))
        down = behaviours.get("scale_down", Behaviour(300, "Max", (TWICE,)))
        autoscaler = plain_counting.Autoscaler(
            (max(least, 1), 9), threshold, (0.1, 0.1), (up[0], up[1], list(up[2])), tuple(down)
        )
        keda = plain_counting.Keda(autoscaler, least == 0, threshold, **switches)
        observed, expected, replicas = [], [], 2
        for i in range(1, 80):
            quiet = rng.random() < 0.5 or 25 < i < 60
            seen = cases.seen(rng, group, time=15.0 * i, replicas=replicas)
            seen = seen._replace(lags=seen.lags * (0.0 if quiet else 1.0))
            answer = keda.decide(
                seen.time, seen.lags.tolist(), seen.consumed.tolist(), seen.replicas
            )
            observed.append(seen)
            expected.append(-1 if answer is None else answer)
            replicas = replicas if answer is None else answer
        answers = cases.decided(
            "keda_hpa", group, *observed, threshold=threshold, **switches, **behaviours
        )
        assert [replicas for replicas, _, _ in answers] == expected
        assert {kind for _, kind, _ in answers} == {0}


TWICE = Policy("Percent", 100, 15)


def watched(time: float, lag: float, replicas: int, consumed: bool = True) -> Seen:
    """Five partitions, of which the first has lag."""
    return Seen(
        time=time,
        step=int(time),
        lags=np.array([lag, 0.0, 0.0, 0.0, 0.0]),
        rates=np.zeros(5),
        owners=np.zeros(5, np.int64),
        replicas=replicas,
        consumed=np.full(5, consumed),
        counts=np.zeros(15),
        blind=SEEING,
        arrived=np.zeros(5),
    )


NONE = cases.GROUP._replace(min_replicas=0, initial_replicas=0, decision_s=15.0)


def test_the_first_replica_waits_for_a_poll() -> None:
    """Decisions are 15 s apart, polls 30 s."""
    seen = watched(15.0, 99.0, 0), watched(30.0, 99.0, 0), watched(45.0, 99.0, 1)
    assert [answer[0] for answer in cases.decided("keda_hpa", NONE, *seen)] == [-1, 1, 5]


def test_activation_is_strict() -> None:
    seen = watched(30.0, 7.9, 0), watched(60.0, 8.0, 0)
    assert [a[0] for a in cases.decided("keda_hpa", NONE, *seen, activation=7)] == [-1, 1]


def test_the_last_replica_stops_after_300_idle_seconds() -> None:
    """The lag of 330 s is not seen by a poll later than that; at 630 s it is 300 s ago."""
    seen = [watched(330.0, 5.0, 1)]
    seen += [watched(15.0 * i, 0.0, 1) for i in range(23, 43)]
    counts = [answer[0] for answer in cases.decided("keda_hpa", NONE, *seen)]
    assert counts == [1] * 20 + [0]


def test_lag_that_nobody_consumes_starts_a_group_but_does_not_scale_it() -> None:
    """Without replicas nothing is consumed, so the excluded lag must count there."""
    seen = (
        watched(30.0, 99.0, 0, consumed=False),
        watched(45.0, 99.0, 1, consumed=False),
        watched(60.0, 99.0, 1),
    )
    counts = [a[0] for a in cases.decided("keda_hpa", NONE, *seen, exclude_persistent_lag=True)]
    assert counts == [1, 1, 5]


def test_an_even_metric_is_no_activity() -> None:
    """Without lag it is a threshold, of which KEDA's own activity does not know."""
    seen = [watched(30.0 * i, 0.0, 1) for i in range(1, 11)]
    counts = [answer[0] for answer in cases.decided("keda_hpa", NONE, *seen, ensure_even=True)]
    assert counts == [1] * 9 + [0]


TOPICS = cases.GROUP._replace(topics=(2, 3), max_replicas=100, decision_s=15.0)


def asked(lags: list[float], group: Group = TOPICS, replicas: int = 1, **arguments: Any) -> int:
    """Replicas after one sync without limits of change."""
    seen = watched(15.0, 0.0, replicas)._replace(lags=np.array(lags))
    free = Behaviour(0.0, "Max", (Policy("Pods", 1000, 15.0),))
    return int(cases.decided("keda_hpa", group, seen, scale_up=free, **arguments)[0][0])


@pytest.mark.parametrize(
    ("lags", "together", "per_topic"),
    [
        ([10.0, 0.0, 10.0, 0.0, 0.0], 2, 1),
        ([10.0, 10.0, 30.0, 0.0, 0.0], 5, 3),
        # Partitions of all topics are the limit of one trigger, those of its topic of each other.
        ([900.0, 0.0, 0.0, 0.0, 0.0], 5, 2),
        ([0.0, 0.0, 900.0, 0.0, 0.0], 5, 3),
        # One more than the limit, as for one topic: only the integer part is limited.
        ([29.0, 0.0, 39.0, 0.0, 0.0], 5, 4),
        ([25.0, 0.0, 30.0, 0.0, 0.0], 6, 3),
    ],
)
def test_triggers_of_several_topics(lags: list[float], together: int, per_topic: int) -> None:
    assert asked(lags) == together
    assert asked(lags, per_topic=True) == per_topic


def test_one_trigger_does_not_exceed_what_all_partitions_allow() -> None:
    assert asked([55.0, 0.0, 0.0, 0.0, 0.0], per_topic=False) == 6
    assert asked([60.0, 0.0, 0.0, 0.0, 0.0], per_topic=False) == 5
    assert asked([60.0, 0.0, 0.0, 0.0, 0.0], allow_idle=True) == 6


def test_triggers_of_topics_have_switches_of_their_own() -> None:
    lags = [25.0, 0.0, 5.0, 11.0, 0.0]
    assert asked(lags, per_topic=True, limit_to_partitions_with_lag=True) == 2
    assert asked(lags, per_topic=True, ensure_even=True) == 3
    assert asked(lags, cases.GROUP._replace(decision_s=15.0), ensure_even=True) == 5


@pytest.mark.parametrize("switch", ["ensure_even", "limit_to_partitions_with_lag"])
def test_a_switch_that_needs_a_topic_is_refused_without_one(switch: str) -> None:
    words = f"{switch} must be false for a trigger without a topic.*2 topics; set per_topic"
    with pytest.raises(InvalidParameterError, match=words):
        asked([1.0] * 5, **{switch: True})


def test_a_group_is_active_while_one_trigger_is() -> None:
    group = TOPICS._replace(min_replicas=0, initial_replicas=0)
    seen = watched(30.0, 0.0, 0)._replace(lags=np.array([4.0, 0.0, 4.0, 0.0, 0.0]))
    for per_topic, activation, expected in ((False, 7, 1), (True, 7, -1), (True, 3, 1)):
        answer = cases.decided("keda_hpa", group, seen, activation=activation, per_topic=per_topic)
        assert answer[0][0] == expected


@given(st.lists(st.floats(0.0, 90.0), min_size=5, max_size=5), st.integers(1, 9))
def test_the_greatest_metric_of_a_topic_decides(lags: list[float], replicas: int) -> None:
    """Each trigger alone, in a group that reads only its topic, asks for no more."""
    alone = []
    for first, size in ((0, 2), (2, 3)):
        only = cases.GROUP._replace(partitions=size, max_replicas=100, decision_s=15.0)
        seen = watched(15.0, 0.0, replicas)
        seen = seen._replace(
            lags=np.array(lags[first : first + size]),
            consumed=np.ones(size, np.bool_),
            rates=np.zeros(size),
            owners=np.zeros(size, np.int64),
        )
        alone.append(cases.decided("keda_hpa", only, seen)[0][0])
    assert asked_with_limits(lags, replicas) == max(alone)


def asked_with_limits(lags: list[float], replicas: int) -> int:
    seen = watched(15.0, 0.0, replicas)._replace(lags=np.array(lags))
    return int(cases.decided("keda_hpa", TOPICS, seen, per_topic=True)[0][0])
