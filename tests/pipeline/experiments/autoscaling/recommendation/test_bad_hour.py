"""What a restart, a crash and an outage do at the busiest hour."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.simulation.incident_kinds import Outage
from algorithms.simulation.incident_times import RETENTION_S
from pipeline.experiments.autoscaling.recommendation import bad_hour, consumer_settings
from pipeline.experiments.autoscaling.recommendation.bad_hour import BadHour
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.recommendation.event_leaders import Contest
from pipeline.experiments.autoscaling.recommendation.simulation_plan import plan
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.slow

STEP_S = 10.0
KIND = consumer_settings.KAFKAS_DEFAULT


def day() -> np.ndarray:
    """100 events/s for a day, and 200 from 10 to 11 o'clock."""
    total = np.full(8_640, 100.0)
    total[3_600:3_960] = 200.0
    return np.repeat(total[:, None] / 4.0, 4, axis=1)


def bench(rates: np.ndarray) -> Bench:
    return plan(rates, STEP_S, asked(settings={"arrivals": "uniform"})).bench


def hour(rates: np.ndarray, today: int | None = 1, answer: int = 4, **others: Any) -> BadHour:
    groups = [None if n is None else Run(candidate_grid.constant(n), KIND) for n in (today, answer)]
    outage = others.get("outage", Outage())
    rivals = tuple(Run(candidate_grid.constant(n), KIND) for n in others.get("rivals", ()))
    contest = Contest(rivals, allowed=0.05, worth=0.05)
    return bad_hour.bad_hour(bench(rates), groups[0], groups[1], outage, RETENTION_S, contest)


def test_it_is_the_busiest_hour() -> None:
    assert hour(day()).at_s == 36_000.0


def test_more_replicas_get_over_it_sooner() -> None:
    found = hour(day())
    assert [each.kind for each in found.events] == ["restart", "crash", "outage"]
    for each in found.events:
        assert each.today is not None
        assert each.answer is not None
        assert each.answer.late <= each.today.late
        assert not each.today.gone_after_s < each.answer.gone_after_s
    outage = found.events[2].answer
    assert outage is not None
    # 180,000 events wait, and 600 events/s are left: 300 s after the outage of 900 s.
    assert outage.gone_after_s == pytest.approx(1_200.0, abs=STEP_S)
    assert outage.longest_s == pytest.approx(900.0, abs=0.1)


def test_without_todays_group_there_is_only_the_answer() -> None:
    assert all(each.today is None and each.answer is not None for each in hour(day(), None).events)


def test_an_outage_begins_early_enough_to_end() -> None:
    late = day()[:3_970]
    found = hour(late, outage=Outage(outage_s=4_000.0))
    assert found.at_s == 39_700.0 - 4_000.0
    answer = found.events[2].answer
    assert answer is not None
    assert math.isnan(answer.gone_after_s)


def test_an_outage_longer_than_the_recording_is_left_out() -> None:
    found = hour(day()[:60])
    assert [each.kind for each in found.events] == ["restart", "crash"]


def test_what_leads_under_each_event() -> None:
    """200 events/s for an hour on 4 partitions, of which a replica serves 200.

    The 45 s in which a crashed replica's partitions wait are 1.25 % of the hour: four replicas lose
    a quarter of that, two a half, and keep 95 % in time. In an outage 180,000 events wait of
    720,000, so that none does; one replica more serves 200 events/s more.
    """
    found = hour(day(), answer=2, rivals=(3, 4))
    leaders = {each.kind: each.leader for each in found.events}
    answer, most = (Run(candidate_grid.constant(n), KIND) for n in (2, 4))
    for kind in ("restart", "crash"):
        leader = leaders[kind]
        assert leader is not None
        assert leader.run == answer
        assert leader.endured.keeps
    leader = leaders["outage"]
    assert leader is not None
    assert leader.run == most
    assert not leader.endured.keeps
    own = hour(day(), answer=4).events[2]
    assert leader.endured.recovery == own.answer
    assert own.leader is not None
    assert own.leader.run == most


def test_nothing_leads_where_nothing_is_recommended() -> None:
    found = bad_hour.bad_hour(
        bench(day()),
        Run(candidate_grid.constant(2), KIND),
        None,
        Outage(),
        RETENTION_S,
        Contest((), 0.05, 0.05),
    )
    assert [each.leader for each in found.events] == [None, None, None]
