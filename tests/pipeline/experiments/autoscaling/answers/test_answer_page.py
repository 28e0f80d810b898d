"""The page of a recommendation, its pictures and its prices."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from algorithms.simulation.group_costs import Prices
from algorithms.simulation.incident_kinds import Outage
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.answers import answer_files, money
from pipeline.experiments.autoscaling.answers.compared_groups import KEDA, RECOMMENDED, TODAY
from pipeline.experiments.autoscaling.recommendation import (
    bad_hour,
    recommendation_record,
    recommended_files,
    what_if,
    whole_answer,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Count
from pipeline.experiments.autoscaling.recommendation.event_leaders import Contest
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation, answer
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.simulation_plan import RecommendationPlan, plan
from pipeline.experiments.autoscaling.workloads.workload import Workload
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked, waves

pytestmark = pytest.mark.slow

STARTED = datetime(2026, 3, 2, 8, tzinfo=UTC)


@pytest.fixture(scope="module")
def made() -> tuple[RecommendationPlan, Recommendation, Workload]:
    rates = waves(steps=1_200)
    question = asked(today=3, currency="USD", started_at=STARTED)
    planned = plan(rates, 1.0, question)
    recommendation = answer(planned)
    changed = what_if.tornado(planned, recommendation, Count(), ())
    load = Workload("waves <b>.csv", rates, 1.0, None, started_at=STARTED, notes=("A hole.",))
    events = bad_hour.bad_hour(
        planned.bench,
        None if recommendation.today is None else recommendation.today.run,
        None if recommendation.answer is None else recommendation.answer.run,
        Outage(outage_s=300.0),
        200.0,
        Contest(tuple(whole_answer.rivals(recommendation)), 0.05, 0.05),
    )
    return planned, recommendation._replace(changed=changed, bad_hour=events), load


def test_the_page_has_decision_pictures_costs_and_files(
    made: tuple[RecommendationPlan, Recommendation, Workload],
) -> None:
    planned, recommendation, load = made
    texts = answer_files.texts(recommendation, planned.bench, load, "auto")
    page = texts[answer_files.PAGE]
    assert set(texts) <= set(answer_files.NAMES)
    heading = re.search(r"<h1>(.*?)</h1>", page)
    assert heading is not None
    assert heading[1].startswith(("Deploy ", "Leave "))
    assert "waves &lt;b&gt;.csv" in page
    assert "waves <b>.csv" not in page
    for part in (
        "rolling restart: today",
        "outage of 5\u00a0min 00\u00a0s: recommended",
        "At the busiest hour, 2026-03-02 08:00",
        " of the ranking under events: ",
        "Events are lost: some get older than 3\u00a0min 20\u00a0s",
    ):
        assert part in page
    for part in ("USD per hour", "a month", "08:10", "time, UTC", "load × 2", "A hole."):
        assert part in page
    manifest = next(name for name in texts if name.endswith(".yaml"))
    assert f"<summary>{manifest}</summary>" in page
    assert recommended_files.RECORD not in page
    assert not re.search(r"(src|href)=.(https?:)?//", page)


def test_what_leads_is_in_the_record(
    made: tuple[RecommendationPlan, Recommendation, Workload],
) -> None:
    _, recommendation, load = made
    answer, hour = recommendation.answer, recommendation_record.record(recommendation, load.name)
    assert answer is not None
    runs = [each.run for each in recommendation.ranked if each.obstacle is None]
    for event in hour["bad_hour"]["events"]:
        leader, own = event["leader"], event["answer"]
        (run,) = (
            each
            for each in runs
            if each.candidate.label == leader["label"]
            and each.consumers._asdict() == leader["consumers"]
        )
        if run == answer.run:
            assert leader["late_events"] == own["late_events"]
        else:
            assert leader["keeps_objective"] or leader["late_events"] < own["late_events"]


def test_the_picture_alone(made: tuple[RecommendationPlan, Recommendation, Workload]) -> None:
    planned, recommendation, load = made
    picture = answer_files.picture(recommendation, planned.bench, load).decode()
    assert picture.startswith("<svg")
    assert "<style>" in picture
    for title in (TODAY, RECOMMENDED, KEDA):
        assert f"{title}: " in picture


@pytest.mark.parametrize(
    ("text", "price"),
    [("1", (1.0, "")), ("0.048USD", (0.048, "USD")), ("2 eur", (2.0, "EUR")), ("3€", (3.0, "€"))],
)
def test_prices(text: str, price: tuple[float, str]) -> None:
    assert money.price("--replica-cost", text) == price


def test_costs_in_sentences() -> None:
    """In the currency if there is one; with the default prices, they are replicas."""
    question = Question(Objective(99.0, 1.0), 100.0)
    assert money.hourly(question, 1.0) == "1 replica"
    assert money.hourly(question, 15.62) == "15.6 replicas"
    dear = question._replace(prices=Prices(0.048))
    assert money.hourly(dear, 0.5) == "0.500 per hour"
    assert money.hourly(dear._replace(currency="USD"), 0.5, 0.75) == "USD 0.500 to 0.750 per hour"


@pytest.mark.parametrize("text", ["", "USD", "cheap", "1 2", "0.1USDX", "1e", "nan"])
def test_no_prices(text: str) -> None:
    with pytest.raises(InputError, match="--replica-cost"):
        money.price("--replica-cost", text)
