"""Which group leads the ranking under events."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import Candidate
from algorithms.simulation.incident_figures import Recovery
from pipeline.experiments.autoscaling.answers import bad_hour_text
from pipeline.experiments.autoscaling.recommendation import consumer_settings, event_leaders
from pipeline.experiments.autoscaling.recommendation.bad_hour import BadEvent, BadHour
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run
from pipeline.experiments.autoscaling.recommendation.event_leaders import Endured, Leader

pytestmark = pytest.mark.unit

ANSWER = Run(candidate_grid.constant(4), consumer_settings.KAFKAS_DEFAULT)
OTHER = Run(Candidate("headroom"), consumer_settings.KAFKAS_DEFAULT)


def endured(late: float, keeps: bool = False) -> Endured:
    return Endured(Recovery(late, 60.0, 300.0), keeps)


def test_the_first_that_keeps_the_objective_leads() -> None:
    assert event_leaders.leader([endured(9.0, True), endured(0.0, True)], 0.05) == 0
    assert event_leaders.leader([endured(0.0), endured(5.0, True), endured(0.0, True)], 0.05) == 1


def test_else_the_one_with_the_fewest_late_events() -> None:
    assert event_leaders.leader([endured(300.0), endured(200.0), endured(100.0)], 0.05) == 2
    # A difference below what a less simple one must save is none, nor is one event.
    assert event_leaders.leader([endured(104.0), endured(100.0)], 0.05) == 0
    assert event_leaders.leader([endured(1.0), endured(0.0)], 0.0) == 0


def test_the_leader_stays_where_it_is_or_moves_to_what_is_better() -> None:
    """Every field of up to three groups: none before the leader is as good as it."""
    values = [endured(late, keeps) for late in (0.0, 40.0, 41.0, 400.0) for keeps in (False, True)]
    for field in itertools.product(values, repeat=3):
        at = event_leaders.leader(field, 0.05)
        assert field[at].keeps == any(each.keeps for each in field)
        assert not any(each.keeps for each in field[:at])
        if not field[at].keeps:
            least = min(each.recovery.late for each in field)
            assert 0.95 * field[at].recovery.late <= least + 1.0


def run(late: list[float], lag: list[float], arrived: float = 100.0) -> object:
    steps = SimpleNamespace(
        late=np.array(late), lag=np.array(lag), arrived=np.full(len(late), arrived)
    )
    return SimpleNamespace(trajectory=steps)


def test_what_is_late_or_still_waits_counts_against_the_objective() -> None:
    quiet = run([0.0] * 6, [10.0] * 6)
    late = run([50.0, 0.0, 3.0, 0.0, 0.0, 50.0], [10.0] * 6)

    def keeps(hit: object, allowed: float) -> bool:
        return event_leaders.keeps_objective(hit, quiet, 1, 4, allowed)  # type: ignore[arg-type]

    assert keeps(late, 0.01)  # 3 of 300 in the steps from 1 to 4
    assert not keeps(late, 0.009)
    waiting = run([0.0] * 6, [10.0, 10.0, 90.0, 14.0, 10.0, 10.0])
    assert keeps(waiting, 0.01)  # 4 more than without the event, of which one is none
    assert not keeps(waiting, 0.009)


def test_a_time_beyond_the_end_is_cut() -> None:
    quiet = run([0.0] * 3, [0.0] * 3)
    hit = run([0.0, 0.0, 2.0], [0.0] * 3)
    assert event_leaders.keeps_objective(hit, quiet, 1, 99, 0.01)  # type: ignore[arg-type]
    assert not event_leaders.keeps_objective(hit, quiet, 2, 99, 0.01)  # type: ignore[arg-type]


def shown(run: Run) -> SimpleNamespace:
    settings = {"initial_replicas": 4}
    return SimpleNamespace(run=run, outcome=SimpleNamespace(settings=settings))


def said(*leaders: tuple[str, Run, Endured]) -> list[str]:
    events = tuple(
        BadEvent(kind, None, endured(5_706.0).recovery, Leader(run, each))
        for kind, run, each in leaders
    )
    answer = shown(ANSWER)
    recommendation = SimpleNamespace(answer=answer, ranked=(answer, shown(OTHER)))
    hour = BadHour(0.0, 900.0, 1e6, events)
    texts = bad_hour_text.sentences(recommendation, hour)  # type: ignore[arg-type]
    return [text.replace("\u00a0", " ") for text in texts if "eader" in text]


def test_one_sentence_says_what_leads_instead() -> None:
    kept, few = endured(12.0, True), endured(1_200.0)
    assert said(("restart", ANSWER, kept), ("crash", OTHER, kept), ("outage", OTHER, few)) == [
        "Other leaders of the ranking under events: headroom with assignor range for crash of one "
        "replica (the cheapest that keeps the objective for an hour); headroom with assignor range "
        "for outage of 15 min 00 s (fewest late events: 1,200 instead of 5,706)."
    ]


@pytest.mark.parametrize(
    ("ages_s", "is_lost"), [((1e6, 2e6), True), ((1e6, 1e6), False), ((60.0, math.inf), False)]
)
def test_events_are_lost_where_an_age_is_known_to_be_too_great(
    ages_s: tuple[float, float], is_lost: bool
) -> None:
    today, answer = (Recovery(9.0, age_s, math.nan) for age_s in ages_s)
    hour = BadHour(0.0, 900.0, 1e6, (BadEvent("outage", today, answer),))
    texts = bad_hour_text.sentences(SimpleNamespace(answer=None), hour)  # type: ignore[arg-type]
    assert any(text.startswith("Events are lost") for text in texts) == is_lost


def test_nothing_more_is_said_where_the_same_leads() -> None:
    kept = endured(12.0, True)
    events = [(kind, ANSWER, kept) for kind in ("restart", "crash", "outage")]
    assert said(*events) == ["Leader of the ranking under events: the same under all three."]
    assert said(*events[:2]) == ["Leader of the ranking under events: the same under both."]
