"""Response times of plans."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from pipeline.experiments.live.results.controller_times import TIMES, responses

pytestmark = pytest.mark.unit


def plans(**times: list[float]) -> pd.DataFrame:
    """Plans with these times, and one of the first iteration."""
    length = max(map(len, times.values()), default=1)
    rows = {name: times.get(name, [math.nan] * length) for name in TIMES}
    first = pd.DataFrame({"iteration": [1], **{name: [99.0] for name in TIMES}})
    return pd.concat([first, pd.DataFrame({"iteration": [2] * length, **rows})])


def test_plans_of_the_first_iteration_do_not_count() -> None:
    decided = responses(plans(decided_s=[0.2, 0.4, 0.6]))[1]
    assert (decided.name, decided.plans) == ("Δt2: decided", 3)
    assert (decided.median, decided.p90) == pytest.approx((0.4, 0.56))
    assert decided.largest == 0.6
    assert decided.words.replace("\u00a0", " ") == (
        "median 0.400 s, 90 % 0.560 s, maximum 0.600 s (3 plans)"
    )


def test_a_time_that_no_plan_has() -> None:
    moved = responses(plans(decided_s=[0.2]))[4]
    assert (moved.plans, moved.words) == (0, "–")
    assert math.isnan(moved.largest)
