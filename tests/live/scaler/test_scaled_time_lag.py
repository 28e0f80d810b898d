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
        ends = [len(times) for times in topic.written]
        seen = look(float(topic.now), *ends, committed=tuple(topic.read))
        decided = decisions.follow(seen, None).decided
        if decided is not None:
            age = float(max(topic.ages()))
            assert decided.lag_s == pytest.approx(age, abs=0.01)
            compared += age > 0.0
    assert compared > 60


def test_what_the_scaler_cannot_run_is_refused() -> None:
    for text, words in (
        ("keda_time_lag", "is KEDA and the pod autoscaler already"),
        ("time_threshold:observe=now", "observe is last under time_threshold"),
        ("time_threshold:in_s=30", "in_s must be below out_s"),
    ):
        with pytest.raises(InputError, match=words):
            count_decisions.check(replace(TARGET, strategy=text), 5.0)
