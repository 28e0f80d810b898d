"""Events that are part of the objective."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate
from algorithms.simulation.incident_kinds import Crash, Outage, Restart
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import consumer_settings, survived_events
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.recommendation.recommend import recommend
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.simulation_plan import plan
from pipeline.experiments.autoscaling.recommendation.survived_events import SurvivalChecks, Survived
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

KIND = consumer_settings.KAFKAS_DEFAULT
ALLOWED = 0.01


def checks(text: str) -> SurvivalChecks:
    return SurvivalChecks(survived_events.parse(text), ALLOWED)


def steady() -> np.ndarray:
    """780 events/s for two hours on 12 partitions, in steps of 10 s."""
    return np.full((720, 12), 65.0)


def bench() -> Bench:
    question = asked(Objective(99.0, 5.0), settings={"arrivals": "uniform"})
    return plan(steady(), 10.0, question).bench


@pytest.mark.unit
def test_events_as_they_are_written() -> None:
    assert survived_events.parse("restart,crash:5m,outage=10m:30m") == (
        Survived("restart", Restart(), None),
        Survived("crash:5m", Crash(), 300.0),
        Survived("outage=10m:30m", Outage(outage_s=600.0), 1_800.0),
    )
    assert survived_events.parse("outage:1h")[0].parameters == Outage()


@pytest.mark.unit
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be one of restart, crash, outage"),
        ("blind", "must be one of restart, crash, outage"),
        ("crash=5m", "a crash has no length; leave out =5m"),
        ("crash:soon", r"must have a length of time above 0, such as 15m \(got 'soon'\)"),
        ("outage=15m", "needs the time from its start until its lag is gone, above 900 s"),
        ("outage=15m:10m", "above 900 s, such as outage=900:1800"),
        ("crash,crash:5m", "there is another one of its kind; leave out one"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        survived_events.parse(text)
    assert str(refused.value).startswith("--survive ")
    assert "\n" not in str(refused.value)


@pytest.mark.unit
def test_a_recording_that_ends_too_early_to_say_is_refused() -> None:
    """The second of two hours is the busiest one: 3,600 s are left."""
    late = steady() * np.repeat([0.5, 1.0], 360)[:, None]
    question = asked(settings={"arrivals": "uniform"}, within_step=0.0)
    ending, whole = (plan(rates, 10.0, question).bench for rates in (late, steady()))
    checks("restart,crash:1h,outage=15m:1h").check_end(ending)
    # An outage that is longer begins earlier.
    for text, numbers in {
        "outage=15m:100m": "3600 s after .*got 6000 s",
        "outage=90m:91m": "5400 s after .*got 5460 s",
    }.items():
        with pytest.raises(InputError, match=rf"^--survive {text}: .*{numbers}"):
            checks(text).check_end(ending)
    checks("outage=15m:100m").check_end(whole)


@pytest.mark.slow
def test_an_outage_by_hand() -> None:
    """702,000 events wait after 15 minutes; n replicas serve (200 n - 780)/s more than arrive."""
    survival = checks("outage=15m:30m")
    found = survival.least(bench(), KIND, range(4, 13), survival.events)
    # 900 s of 780 events/s need 780 events/s more in the other 900 s: 8 replicas have 820, but the
    # fullest of them has two partitions, which need 130 of its 200 events/s: no time is left.
    assert found == 12
    assert survival.least(bench(), KIND, range(4, 12), survival.events) is None


@pytest.mark.slow
def test_what_survives_costs_more() -> None:
    # With 6 to 11 replicas, the fullest has two partitions and 70 events/s to spare: 28 minutes.
    survival = checks("crash,outage=15m:40m")
    question = asked(
        Objective(99.0, 5.0), candidates=(Candidate("constant"),), settings={"arrivals": "uniform"}
    )
    calm = recommend(steady(), 10.0, question).answer
    safe = recommend(steady(), 10.0, question._replace(survival=survival)).answer
    assert calm is not None
    assert safe is not None
    assert safe.obstacle is None
    assert safe.outcome.replicas > calm.outcome.replicas
    assert "does not survive" in str(survival.obstacle(bench(), calm.run))
    counts = survived_events.surviving_counts(survival, bench(), KIND, range(4, 13))
    assert counts.of_all == safe.outcome.replicas
    assert counts.of_all == max(n for _, n in counts.of_each if n is not None)


@pytest.mark.slow
def test_a_crash_of_more_replicas_has_fewer_late_events() -> None:
    """The session of 45 s of 1/n of the events is above 1 % of an hour for one replica alone."""
    survival = checks("crash")
    (event,) = survival.events
    slow = bench().scaled(0.1)
    fails = [survival.fails(slow, Run(candidate_grid.constant(n), KIND), event) for n in (1, 4)]
    assert fails == [True, False]


@pytest.mark.slow
def test_an_event_longer_than_the_recording_is_refused() -> None:
    question = asked(settings={"arrivals": "uniform"}, survival=checks("outage=3h:4h"))
    with pytest.raises(InputError, match=r"must be shorter than the recording, 7200 s"):
        plan(steady(), 10.0, question)
