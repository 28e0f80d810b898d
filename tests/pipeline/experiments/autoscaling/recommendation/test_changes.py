"""Changes of a question, as users write them and as the tornado has them."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import survived_events
from pipeline.experiments.autoscaling.recommendation.changes import TORNADO, Change, changed, parse
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.survived_events import SurvivalChecks
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked, waves

pytestmark = pytest.mark.unit


SHARED = {"step_s": 1.0, "startup_s": 10.0, "mu": 200.0}


def test_what_users_may_ask() -> None:
    assert parse("load=2,partitions=80,mu=1.5", 40) == Change(load=2.0, mu=1.5, partitions=2)
    assert parse(" mu = 0.5 ", 7) == Change(mu=0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("load", "load=…,"),
        ("speed=2", "load=…,"),
        ("load=0", "`load`"),
        ("load=nan", "`load`"),
        ("mu=fast", "`mu` must be a number above 0"),
        ("partitions=60", "must be an integer multiple of today's 40"),
        ("partitions=20", "must be an integer multiple of today's 40"),
        ("load=2,load=3", "`load` is set twice"),
    ],
)
def test_wrong_changes(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(text, 40)


def test_each_part_is_changed_alone() -> None:
    question = asked(Objective(99.0, 2.0), topics=(4,))
    rates = waves()
    same = changed(Change(), rates, question, SHARED)
    assert same[1] == question
    np.testing.assert_array_equal(same[0], rates)
    assert changed(Change(load=2.0), rates, question, SHARED)[0].sum() == pytest.approx(
        2 * rates.sum()
    )
    assert changed(Change(mu=0.5), rates, question, SHARED)[1].mu == 100.0
    assert changed(Change(late=0.1), rates, question, SHARED)[1].objective.percent == pytest.approx(
        99.9
    )
    assert changed(Change(latency=0.5), rates, question, SHARED)[1].objective.latency_s == 1.0
    more, asked_again = changed(Change(partitions=2), rates, question, SHARED)
    assert (more.shape[1], asked_again.topics) == (8, (8,))
    assert changed(Change(startup=3.0), rates, question, SHARED)[1].settings == {"startup_s": 30.0}
    pieces = SHARED | {"startup_s": "10-50:0.88,50-500:0.12"}
    assert changed(Change(startup=3.0), rates, question, pieces)[1].settings == {
        "startup_s": "30-150:0.88,150-1500:0.12"
    }
    waits = changed(Change(wait=3.0), rates, question, SHARED)[1].settings
    assert waits["heartbeat_s"] == pytest.approx(9.0)
    assert set(waits) == {"heartbeat_s", "rebalance_s"}


def test_events_must_be_survived_within_the_changed_objective() -> None:
    events = survived_events.parse("crash")
    question = asked(Objective(99.0, 2.0), topics=(4,), survival=SurvivalChecks(events, 0.01))
    survival = changed(Change(late=0.1), waves(), question, SHARED)[1].survival
    assert survival is not None
    assert (survival.events, survival.allowed) == (events, pytest.approx(0.001))


def test_the_tornado_has_each_change_once() -> None:
    assert len({change for _, change in TORNADO}) == len(TORNADO) == 14
    assert Change() not in {change for _, change in TORNADO}
