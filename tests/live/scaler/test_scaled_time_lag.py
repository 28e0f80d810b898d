"""The scaler interpolates the time lag from the offsets that it looks at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from live.scaler import count_decisions
from live.scaler.look_decisions import LookDecisions
from pipeline.base.errors import InputError
from tests.algorithms.autoscaling.plain_time_lag import Topic
from tests.live.scaler.scaler_fakes import TARGET, look

pytestmark = pytest.mark.unit

LOOK_S = 5


@pytest.mark.parametrize("seed", range(5))
def test_ages_are_those_of_records_one_by_one(seed: int) -> None:
    """Of three partitions; all is read before the first look, and nothing for 100 s."""
    rng = np.random.default_rng(seed)
    target = replace(TARGET, strategy="time_threshold:in_s=8:out_s=20:decision_s=5")
    one = count_decisions.check(target, float(LOOK_S))
    decisions, topic, compared = LookDecisions(target, one, float(LOOK_S), False), Topic(3), 0
    for k in range(80):
        topic.passes(LOOK_S, rng.integers(0, 40, 3).tolist())
        topic.reads([99] * 3 if k == 0 else (rng.integers(0, 45, 3) * (not 20 <= k < 40)).tolist())
        seen = look(float(topic.now), *ends(topic), committed=read(topic))
        decided = decisions.follow(seen, None).decided
        if decided is not None:
            age = float(max(topic.ages()))
            assert decided.lag_s == pytest.approx(age, abs=0.01)
            compared += age > 0.0
    assert compared > 60


@pytest.mark.parametrize("seed", range(5))
def test_failed_looks_leave_no_records_out(seed: int) -> None:
    """Looks fail for 45 s, again and again, in which many records come or none.

    The first look after that decides nothing, and gives no point: records are even up to the next.
    """
    rng = np.random.default_rng(seed)
    target = replace(TARGET, strategy="time_threshold:in_s=8:out_s=20:decision_s=5")
    one = count_decisions.check(target, float(LOOK_S))
    decisions, topic, behind = LookDecisions(target, one, float(LOOK_S), False), Topic(1), 0
    for k in range(40):
        gap = k % 8 == 7
        topic.passes(LOOK_S, [10])
        topic.reads([99] if k < 2 else [int(rng.integers(0, 10))])
        before = decisions.follow(look(float(topic.now), *ends(topic), committed=read(topic)), None)
        assert (before.decided is None) == (k == 0)
        if gap:
            many = 300 * int(rng.integers(0, 2))
            topic.passes(9 * LOOK_S, [many * 9 // 10])
            seen = look(float(topic.now), *ends(topic), committed=read(topic))
            assert decisions.follow(seen, None).decided is None
            topic.passes(LOOK_S, [many // 10])
            seen = look(float(topic.now), *ends(topic), committed=read(topic))
            decided = decisions.follow(seen, None).decided
            assert decided is not None
            assert decided.lag_s == pytest.approx(float(max(topic.ages())), abs=0.02)
            behind += 1
    assert behind == 5


def ends(topic: Topic) -> list[int]:
    return [len(times) for times in topic.written]


def read(topic: Topic) -> tuple[int, ...]:
    return tuple(topic.read)


def test_what_the_scaler_cannot_run_is_refused() -> None:
    for text, words in (
        ("keda_time_lag", "is KEDA and the pod autoscaler already"),
        ("time_threshold:observe=now", "observe is last under time_threshold"),
        ("time_threshold:in_s=30", "in_s must be below out_s"),
    ):
        with pytest.raises(InputError, match=words):
            count_decisions.check(replace(TARGET, strategy=text), 5.0)
