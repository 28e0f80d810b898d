"""Recommendations, against simulations of the same candidates one by one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.autoscaling.shadow import rehearsal
from algorithms.inference.simplest_choice import OFTEN
from algorithms.inference.week_draws import Spread
from algorithms.simulation import simulate
from algorithms.simulation.group_costs import Prices
from algorithms.workloads import step_parts
from pipeline.base.errors import InputError
from pipeline.base.process import machine
from pipeline.experiments.autoscaling.answers import certainty_text
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    consumer_settings,
    recommendation_record,
    simplicity,
)
from pipeline.experiments.autoscaling.recommendation.recommend import (
    Recommendation,
    answer,
    recommend,
)
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.simulation_plan import plan, plan_without_hot
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import (
    CANDIDATES,
    asked,
    waves,
)

pytestmark = pytest.mark.unit

_CONSTANT = (Candidate("constant"),)


@pytest.fixture(scope="module")
def answered() -> Recommendation:
    return recommend(waves(12), 1.0, asked())


def test_figures_are_those_of_single_simulations(answered: Recommendation) -> None:
    """Cost and share of each candidate are those that `simulate` returns."""
    for each in answered.ranked:
        run = each.run
        result = simulate(
            waves(12),
            run.candidate.strategy,
            run.candidate.arguments,
            {
                "mu": 200.0, "wsla_s": 5.0, "startup_s": 10.0, "initial_replicas": 1,
                **run.consumers._asdict(), **run.candidate.settings,
            },
        )  # fmt: skip
        assert each.cost.mean == pytest.approx(result.replica_minutes / 10.0)
        assert 100.0 * each.on_time.mean == pytest.approx(result.sla_percent)
        assert each.keeps_recording == (result.sla_percent >= 95.0)
        assert each.outcome.p99_s == result.p99
        assert each.outcome.peak == result.replicas.max()
        assert each.keeps <= each.keeps_recording
    strategies = [each.run.candidate.strategy for each in answered.ranked]
    assert (strategies.count("keda_hpa"), strategies.count("headroom")) == (9, 6)
    costs = [each.cost.mean for each in answered.ranked if each.keeps]
    assert costs == sorted(costs)
    assert [each.keeps for each in answered.ranked] == sorted(
        (each.keeps for each in answered.ranked), reverse=True
    )


def test_the_answer_is_the_cheapest_constant_group_where_nothing_cheaper_can_be_deployed(
    answered: Recommendation,
) -> None:
    assert answered.is_met
    assert answered.answer is not None
    assert answered.answer.obstacle is None
    assert answered.answer.run.candidate.strategy == "constant"
    # Four replicas with another assignor part the partitions better in the first history of the
    # group, but not in enough of the drawn ones.
    assert answered.answer.run.consumers.assignor == "range"
    assert answered.answer.tier == simplicity.CONSTANT
    kafka = dict(answered.usual)["constant replicas, range"]
    assert answered.answer.run == kafka.run
    assert answered.best.run.candidate.strategy == "headroom"
    assert answered.best.cost.mean <= answered.answer.cost.mean
    assert answered.answer.saves == 0.0
    assert answered.best.saves > OFTEN
    assert not answered.is_stated


def test_what_is_usual(answered: Recommendation) -> None:
    """Kafka's default is the least constant number that lasts, with the range assignor."""
    usual = dict(answered.usual)
    assert list(usual) == [
        "constant replicas, range",
        "constant replicas, cooperative_sticky",
        "constant replicas, kip848_uniform",
        "one replica per partition, range",
        "KEDA's defaults, range",
        "KEDA's defaults, cooperative_sticky",
        "KEDA's defaults, kip848_uniform",
    ]
    settings = {"mu": 200.0, "wsla_s": 5.0}
    enough = [
        n
        for n in range(1, 13)
        if simulate(
            waves(12), "constant", settings={**settings, "initial_replicas": n}
        ).sla_percent >= 95.0
    ]  # fmt: skip
    counts = answered.counts[0]
    assert (counts.kind, counts.least, counts.most) == (consumer_settings.KAFKAS_DEFAULT, 1, 12)
    assert list(counts.kept) == enough
    assert counts.lasting is not None
    assert counts.lasting > enough[0]
    default = usual["constant replicas, range"]
    assert default.run.candidate == candidate("constant", initial_replicas=counts.lasting)
    assert default.keeps
    assert usual["one replica per partition, range"].outcome.replicas == pytest.approx(12.0)
    assert usual["KEDA's defaults, range"].run.candidate == Candidate("keda_hpa")


def test_if_days_do_not_differ_the_recording_decides() -> None:
    recommendation = recommend(
        waves(12), 1.0, asked(candidates=_CONSTANT, spread=Spread(1e-3, 1e6))
    )
    assert recommendation.counts[0].lasting == recommendation.counts[0].kept[0]


def test_what_keeps_the_recording_only_is_recommended_where_nothing_lasts() -> None:
    """Four partitions cannot use a fifth replica: the most likely number is named."""
    recommendation = recommend(waves(), 1.0, asked(candidates=_CONSTANT))
    assert (recommendation.counts[0].kept, recommendation.counts[0].lasting) == ((3, 4), None)
    assert recommendation.is_met
    assert recommendation.answer is not None
    assert not recommendation.answer.keeps
    assert recommendation.answer.run.candidate == candidate("constant", initial_replicas=4)
    assert recommendation.answer.run.consumers == consumer_settings.KAFKAS_DEFAULT


def test_the_result_does_not_depend_on_threads(
    answered: Recommendation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cores in (1, 5):
        monkeypatch.setattr(machine, "all_cores", lambda cores=cores: cores)
        again = recommend(waves(12), 1.0, asked())
        texts = [json.dumps(recommendation_record.record(each, "w")) for each in (answered, again)]
        assert texts[0] == texts[1]


def test_late_events_that_cost_more_are_fewer() -> None:
    """With nearly any share allowed, the price alone decides."""
    late = []
    for price in (0.0, 1e-4, 1.0):
        question = asked(
            Objective(50.0, 5.0),
            prices=Prices(1.0, price, 0.0),
            candidates=(Candidate("constant"),),
        )
        answer = recommend(waves(12), 1.0, question).answer
        assert answer is not None
        late.append(answer.cost.mean - answer.outcome.replicas)
    assert late[0] == 0.0
    assert late == sorted(late)


def test_an_objective_that_nothing_keeps() -> None:
    """The closest of all comes first, and nothing is recommended."""
    question = asked(Objective(100.0, 0.003), settings={"max_replicas": 1})
    recommendation = recommend(waves(), 1.0, question)
    assert not recommendation.is_met
    assert recommendation.answer is not None
    assert recommendation.best.on_time.mean == max(
        each.on_time.mean for each in recommendation.ranked
    )


def test_bounds_of_the_group_hold_for_all() -> None:
    recommendation = recommend(waves(), 1.0, asked(settings={"min_replicas": 2, "max_replicas": 3}))
    assert {each.run.candidate for each in recommendation.ranked} > set(CANDIDATES) - set(_CONSTANT)
    for each in recommendation.ranked:
        assert 2.0 - 1e-9 <= each.outcome.replicas <= 3.0 + 1e-9
    assert dict(recommendation.usual)["max_replicas, range"].outcome.replicas == 3.0


def test_a_group_may_need_more_replicas_than_partitions() -> None:
    """Constant replicas then are the least that is allowed; other strategies start with it."""
    bounds = {"min_replicas": 6, "max_replicas": 8}
    candidates = (Candidate("constant"), Candidate("linear"))
    recommendation = recommend(waves(), 1.0, asked(candidates=candidates, settings=bounds))
    assert {each.run.candidate for each in recommendation.ranked} == {
        candidate("constant", initial_replicas=6),
        Candidate("linear"),
    }
    assert all(6.0 - 1e-9 <= each.outcome.replicas <= 8.0 + 1e-9 for each in recommendation.ranked)
    assert dict(recommendation.usual)["min_replicas, range"].outcome.replicas == 6.0
    assert (recommendation.counts[0].least, recommendation.counts[0].most) == (6, 6)


def test_a_candidate_below_the_least_replicas_is_left_out_or_refused() -> None:
    """It is refused if no other one is left."""
    few = candidate("keda_hpa", initial_replicas=1)
    bounds = {"min_replicas": 2}
    planned = plan(waves(), 1.0, asked(candidates=(few, Candidate("linear")), settings=bounds))
    assert {run.candidate for run in planned.eligible} == {Candidate("linear")}
    own = candidate("linear", min_replicas=1, initial_replicas=1)
    plan(waves(), 1.0, asked(candidates=(own,), settings=bounds))
    message = r"keda_hpa:initial_replicas=1: initial_replicas must be .* 2 \(got 1\); raise"
    with pytest.raises(InputError, match=message):
        plan(waves(), 1.0, asked(candidates=(few,), settings=bounds))


def test_one_kind_of_consumers_if_the_user_says_which() -> None:
    recommendation = recommend(
        waves(), 1.0, asked(settings={"assignor": "sticky", "heartbeat_s": 1.0})
    )
    kinds = {each.run.consumers for each in recommendation.ranked}
    assert kinds == {consumer_settings.Consumers("sticky", "eager", 1.0)}
    # What is usual stays as it is.
    assert dict(recommendation.usual)["KEDA's defaults, range"].run.consumers.heartbeat_s == 3.0


def test_an_assignor_that_kafka_does_not_have_cannot_be_deployed() -> None:
    recommendation = recommend(waves(), 1.0, asked(settings={"assignor": "kip169"}))
    assert recommendation.answer is None
    assert not recommendation.is_met
    assert recommendation.best.obstacle == "needs an assignor that Kafka does not have"
    assert np.isnan(recommendation.again.cost)


def test_long_steps_are_cut_so_that_strategies_decide_as_always() -> None:
    rates, step_s = step_parts.refined(np.array([[3.0], [5.0]]), 2.5)
    assert (rates[:, 0].tolist(), step_s) == ([3.0, 3.0, 3.0, 5.0, 5.0, 5.0], 2.5 / 3)
    short = np.ones((4, 1))
    assert step_parts.refined(short, 1.0)[0] is short
    # A week of minutes has parts of 5 s, a month of 15 s; half a year stays as it is.
    for days, step_s in ((1, 1.0), (7, 5.0), (30, 15.0), (180, 60.0)):
        rates, part_s = step_parts.refined(np.ones((1440 * days, 1)), 60.0)
        assert (part_s, len(rates)) == (step_s, 1440 * days * 60 / step_s)
    assert step_parts.refined(np.ones((200_000, 1)), 7.0)[1] == 7.0
    # An exporter's dump: two days at 15 s.
    for partitions, step_s in ((20, 1.0), (40, 5.0), (200, 15.0)):
        rates, part_s = step_parts.refined(np.ones((11_520, partitions)), 15.0)
        assert (part_s, len(rates)) == (step_s, 172_800 / step_s)
    recommendation = recommend(waves(4, 60), 10.0, asked())
    assert (recommendation.steps, recommendation.step_s) == (600, 1.0)
    keda = next(e for e in recommendation.ranked if e.run.candidate.strategy == "keda_hpa")
    assert keda.outcome.settings["decision_s"] == 15.0


def test_parts_of_any_length_give_what_can_be_deployed_the_same_figures() -> None:
    """Constant replicas decide nothing, and KEDA decides every 15 s."""
    runs = [candidate_outcomes.Run(each, consumer_settings.KAFKAS_DEFAULT) for each in CANDIDATES]
    settings = {"mu": 200.0, "wsla_s": 5.0, "initial_replicas": 2}
    outcomes = []
    for parts in (1, 3, 15):
        rates = np.repeat(waves(steps=40), parts, axis=0)
        bench = candidate_outcomes.Bench(
            *(rates, {**settings, "step_s": 15.0 / parts, "min_replicas": 1, "max_replicas": 4}),
            *(np.array([0, len(rates)]), Prices(), (4,)),
        )
        outcomes.append(candidate_outcomes.run_all(bench, runs, candidate_outcomes.Count()))
    for run in runs:
        if run.candidate.strategy != "headroom":
            every = [np.hstack([*each[run].totals, each[run].late]) for each in outcomes]
            np.testing.assert_allclose(every[1:], every[:-1], rtol=1e-7, err_msg=str(run))


def test_a_plan_starts_no_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several hundred candidates are checked before anything is shown."""
    monkeypatch.setattr(rehearsal, "rehearsed", lambda *arguments: pytest.fail("started"))
    assert len(plan(waves(), 1.0, asked(candidates=())).eligible) > 200


def test_every_strategy_is_loaded_once() -> None:
    planned, count = plan(waves(), 1.0, asked()), candidate_outcomes.Count()
    candidate_outcomes.load_kernels(planned.bench, planned.eligible, count)
    assert (count.done, count.total) == (2, 2)


def test_without_hot_partitions_the_question_is_asked_again() -> None:
    """The rates, the first replicas and the sweeps are those of the other partitions."""
    hot = waves()
    hot[200:260, 1] = 201.0
    planned = plan(hot, 1.0, asked())
    cold = plan_without_hot(planned)
    assert cold is not None
    others = plan(np.delete(hot, 1, axis=1), 1.0, asked())
    np.testing.assert_array_equal(cold.bench.rates, others.bench.rates)
    assert (cold.eligible, cold.bench.settings) == (others.eligible, others.bench.settings)
    assert answer(planned).hot == 1
    assert plan_without_hot(cold) is None
    assert plan_without_hot(plan(np.full((60, 2), 201.0), 1.0, asked())) is None


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"min_replicas": 4}, Candidate("constant")),
        ({"initial_replicas": 4}, Candidate("linear")),
        ({}, candidate("constant", initial_replicas=4)),
        ({}, candidate("linear", min_replicas=2, initial_replicas=4)),
    ],
)
def test_numbers_of_replicas_stay_without_hot_partitions(
    settings: dict[str, Any], named: Candidate
) -> None:
    """They were within the bounds of the whole workload, which has one more partition."""
    hot = waves()
    hot[200:260, 1] = 201.0
    cold = plan_without_hot(plan(hot, 1.0, asked(candidates=(named,), settings=settings)))
    assert cold is not None
    assert cold.bench.rates.shape[1] == 3
    most = cold.bench.settings["max_replicas"]
    assert {
        (run.candidate.strategy, run.candidate.settings.get("max_replicas", most))
        for run in cold.eligible
    } == ({(named.strategy, 4)} if cold.eligible else set())
    assert cold.has_constants == (not cold.eligible)
    assert cold.eligible or most == 4


def test_a_candidate_for_all_partitions_is_asked_about_with_hot_ones_only() -> None:
    hot = waves()
    hot[200:260, 1] = 201.0
    planned = plan(hot, 1.0, asked(candidates=(Candidate("kd_4"),)))
    assert plan_without_hot(planned) is None


def test_bursts_keep_their_steps() -> None:
    """A burst of ten seconds is not ten bursts; the pod autoscaler then decides too late."""
    recommendation = recommend(waves(4, 60), 10.0, asked(settings={"arrivals": "burst"}))
    assert (recommendation.steps, recommendation.step_s) == (60, 10.0)
    keda = next(e for e in recommendation.ranked if e.run.candidate.strategy == "keda_hpa")
    assert keda.outcome.settings["decision_s"] == 20.0
    assert keda.obstacle is not None
    assert keda.obstacle.startswith("needs another sync period")


def test_start_ups_that_differ_are_named() -> None:
    settings = {"startup_s": "1-3:0.75,3-60:0.25"}
    question = asked(settings=settings, candidates=(Candidate("constant"), Candidate("linear")))
    recommendation = recommend(waves(4, 300), 1.0, question)
    said = " ".join(certainty_text.assumptions(recommendation, "waves"))
    assert "a replica starts in 1 to 3 s (75 %) or 3 to 60 s (25 %), a heartbeat is 3 s" in said
    record = recommendation_record.record(recommendation, "waves")
    assert record["times"] == {
        "startup_s": pytest.approx(0.75 * 2.0 + 0.25 * 31.5),
        "rebalance_s": 0.1,
        "startup_pieces": settings["startup_s"],
    }
    assert record["asked"]["settings"] == settings


def test_a_group_starts_with_what_the_first_minute_needs() -> None:
    rates = np.concatenate([np.full((60, 2), 130.0), np.full((60, 2), 900.0)])
    assert candidate_outcomes.initial_replicas(rates, 1.0, 100.0, 9) == 3
    assert candidate_outcomes.initial_replicas(rates, 1.0, 100.0, 2) == 2
    assert candidate_outcomes.initial_replicas(rates, 1.0, 260.0, 9) == 1
    assert candidate_outcomes.initial_replicas(np.zeros((5, 2)), 1.0, 100.0, 9) == 1
