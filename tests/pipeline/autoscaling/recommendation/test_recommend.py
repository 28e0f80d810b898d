"""Recommendations, against simulations of the same candidates one by one."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.autoscaling.shadow import rehearsal
from algorithms.simulation import simulate
from algorithms.simulation.group_costs import Prices
from algorithms.workloads import step_parts
from pipeline.autoscaling.recommendation import (
    candidate_outcomes,
    consumer_settings,
    recommendation_record,
)
from pipeline.autoscaling.recommendation.recommend import (
    Recommendation,
    answer,
    plan,
    plan_without_hot,
    recommend,
)
from pipeline.autoscaling.recommendation.service_objective import Objective
from pipeline.errors import InputError
from pipeline.process import machine
from tests.pipeline.autoscaling.recommendation.recommendation_cases import (
    CANDIDATES,
    asked,
    waves,
)

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def answered() -> Recommendation:
    return recommend(waves(), 1.0, asked())


def test_the_order_is_that_of_single_simulations(answered: Recommendation) -> None:
    """Cost and share of each candidate are those that `simulate` returns."""
    ranked = []
    for each in answered.ranked:
        run = each.run
        result = simulate(
            waves(),
            run.candidate.strategy,
            run.candidate.arguments,
            {
                "mu": 200.0, "wsla_s": 5.0, "startup_s": 10.0, "initial_replicas": 1,
                **run.consumers._asdict(), **run.candidate.settings,
            },
        )  # fmt: skip
        assert each.cost.mean == pytest.approx(result.replica_minutes / 10.0)
        assert 100.0 * each.on_time.mean == pytest.approx(result.sla_percent)
        assert each.keeps == (result.sla_percent >= 95.0)
        assert each.outcome.p99_s == result.p99
        ranked.append((not each.keeps, each.cost.mean if each.keeps else -each.on_time.mean))
    assert len(answered.ranked) == 3 * (4 + 3 + 2)
    assert all(a[0] < b[0] or a[1] <= b[1] + 1e-9 for a, b in itertools.pairwise(ranked))
    assert {each.keeps for each in answered.ranked} == {True, False}


def test_the_answer_is_the_first_that_can_be_deployed(answered: Recommendation) -> None:
    deployable = [each for each in answered.ranked if each.obstacle is None]
    assert {each.run.candidate.strategy for each in deployable} == {"constant", "keda_hpa"}
    assert answered.is_met
    assert answered.answer is not None
    assert answered.answer.run == deployable[0].run
    assert answered.best.run.candidate.strategy == "headroom"
    assert answered.best.cost.mean <= answered.answer.cost.mean
    assert tuple(answered.answer.extra) == (0.0, 0.0, 0.0)
    for each in answered.ranked:
        extra = each.cost.mean - answered.answer.cost.mean
        assert each.extra.mean == pytest.approx(extra)
        assert each.extra.low <= each.extra.mean <= each.extra.high
        assert each.obstacle is None or each.first == 0.0
    assert sum(each.first for each in answered.ranked) <= 1.0 + 1e-9
    assert 0.5 < answered.answer.probability <= 1.0


def test_what_is_usual(answered: Recommendation) -> None:
    """Kafka's default is the least constant number that is enough, with the range assignor."""
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
    shares = [
        simulate(waves(), "constant", settings={"mu": 200.0, "wsla_s": 5.0, "initial_replicas": n})
        for n in range(1, 5)
    ]
    enough = next(n for n, result in enumerate(shares, 1) if result.sla_percent >= 95.0)
    default = usual["constant replicas, range"]
    assert default.run.candidate == candidate("constant", initial_replicas=enough)
    assert default.run.consumers == consumer_settings.KAFKAS_DEFAULT
    assert usual["one replica per partition, range"].outcome.replicas == pytest.approx(4.0)
    assert usual["KEDA's defaults, range"].run.candidate == Candidate("keda_hpa")


def test_the_result_does_not_depend_on_threads(
    answered: Recommendation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cores in (1, 5):
        monkeypatch.setattr(machine, "all_cores", lambda cores=cores: cores)
        again = recommend(waves(), 1.0, asked())
        texts = [json.dumps(recommendation_record.record(each, "w")) for each in (answered, again)]
        assert texts[0] == texts[1]


def test_the_least_constant_number_is_found_among_many() -> None:
    """Of 70 numbers 32 are simulated first, and then those that halve the gap."""
    rates = waves(70, 120) * 20.0
    found = recommend(rates, 1.0, asked(candidates=(Candidate("constant"),)))
    settings = {"mu": 200.0, "wsla_s": 5.0, "assignor": "range"}
    enough = next(
        n
        for n in range(1, 71)
        if simulate(
            rates, "constant", settings={**settings, "initial_replicas": n}
        ).sla_percent >= 95.0
    )  # fmt: skip
    kafka = dict(found.usual)["constant replicas, range"]
    assert kafka.outcome.settings["initial_replicas"] == enough
    assert found.answer is not None
    assert found.answer.outcome.settings["initial_replicas"] <= enough
    assert 32 * 3 < len(found.ranked) < 45 * 3


def test_late_events_that_cost_more_are_fewer() -> None:
    """With any share allowed, the price alone decides."""
    late = []
    for price in (0.0, 1e-4, 1e-2, 1.0):
        question = asked(Objective(1e-6, 5.0), prices=Prices(1.0, price, 0.0))
        answer = recommend(waves(), 1.0, question).answer
        assert answer is not None
        late.append(answer.on_time.mean)
    assert late == sorted(late)
    assert late[0] < late[-1]


def test_an_objective_that_nothing_keeps() -> None:
    """The closest of all comes first, and nothing is recommended."""
    question = asked(Objective(100.0, 0.003), settings={"max_replicas": 1})
    found = recommend(waves(), 1.0, question)
    assert not found.is_met
    assert found.answer is not None
    assert found.best.on_time.mean == max(each.on_time.mean for each in found.ranked)
    assert max(each.probability for each in found.ranked) < 0.01


def test_bounds_of_the_group_hold_for_all(answered: Recommendation) -> None:
    found = recommend(waves(), 1.0, asked(settings={"min_replicas": 2, "max_replicas": 3}))
    assert {each.run.candidate for each in found.ranked} <= {
        e.run.candidate for e in answered.ranked
    }
    for each in found.ranked:
        assert 2.0 - 1e-9 <= each.outcome.replicas <= 3.0 + 1e-9
    assert dict(found.usual)["max_replicas, range"].outcome.replicas == 3.0


def test_a_group_may_need_more_replicas_than_partitions() -> None:
    """Constant replicas then are the least that is allowed; other strategies start with it."""
    bounds = {"min_replicas": 6, "max_replicas": 8}
    wanted = (Candidate("constant"), Candidate("linear"))
    found = recommend(waves(), 1.0, asked(candidates=wanted, settings=bounds))
    assert {each.run.candidate for each in found.ranked} == {
        candidate("constant", initial_replicas=6),
        Candidate("linear"),
    }
    assert all(6.0 - 1e-9 <= each.outcome.replicas <= 8.0 + 1e-9 for each in found.ranked)
    assert dict(found.usual)["min_replicas, range"].outcome.replicas == 6.0
    whole = plan(waves(), 1.0, asked(candidates=(), settings=bounds))
    counts = {
        run.candidate.settings["initial_replicas"]
        for run in whole.eligible
        if run.candidate.strategy == "constant"
    }
    assert counts == {6}


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
    found = recommend(waves(), 1.0, asked(settings={"assignor": "sticky", "heartbeat_s": 1.0}))
    kinds = {each.run.consumers for each in found.ranked}
    assert kinds == {consumer_settings.Consumers("sticky", "eager", 1.0)}
    # What is usual stays as it is.
    assert dict(found.usual)["KEDA's defaults, range"].run.consumers.heartbeat_s == 3.0


def test_an_assignor_that_kafka_does_not_have_cannot_be_deployed() -> None:
    found = recommend(waves(), 1.0, asked(settings={"assignor": "kip169"}))
    assert found.answer is None
    assert not found.is_met
    assert found.best.obstacle == "needs an assignor that Kafka does not have"
    assert np.isnan(found.held_out.cost)


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
    found = recommend(waves(4, 60), 10.0, asked())
    assert (found.steps, found.step_s) == (600, 1.0)
    keda = next(e for e in found.ranked if e.run.candidate.strategy == "keda_hpa")
    assert keda.outcome.settings["decision_s"] == 15.0


def test_parts_of_any_length_give_what_can_be_deployed_the_same_figures() -> None:
    """Constant replicas decide nothing, and KEDA decides every 15 s."""
    runs = [candidate_outcomes.Run(each, consumer_settings.KAFKAS_DEFAULT) for each in CANDIDATES]
    settings = {"mu": 200.0, "wsla_s": 5.0, "initial_replicas": 2}
    outcomes = []
    for parts in (1, 3, 15):
        rates = np.repeat(waves(steps=40), parts, axis=0)
        bench = candidate_outcomes.Bench(
            *(rates, rates.max(axis=0), {**settings, "step_s": 15.0 / parts}),
            *(np.array([0, len(rates)]), Prices()),
        )
        outcomes.append(candidate_outcomes.run_all(bench, runs, candidate_outcomes.Count()))
    for run in runs:
        if run.candidate.strategy != "headroom":
            every = [np.hstack([*each[run].totals, each[run].sla_percent]) for each in outcomes]
            np.testing.assert_allclose(every[1:], every[:-1], rtol=1e-7, err_msg=str(run))


def test_a_plan_starts_no_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several hundred candidates are checked before anything is shown."""
    monkeypatch.setattr(rehearsal, "rehearsed", lambda *given: pytest.fail("started"))
    assert len(plan(waves(), 1.0, asked(candidates=())).eligible) > 300


def test_every_strategy_is_loaded_once() -> None:
    planned, count = plan(waves(), 1.0, asked()), candidate_outcomes.Count()
    candidate_outcomes.load_kernels(planned.bench, planned.eligible, count)
    assert (count.done, count.total) == (3, 3)


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
    } == {(named.strategy, 4)}


def test_a_candidate_for_all_partitions_is_asked_about_with_hot_ones_only() -> None:
    hot = waves()
    hot[200:260, 1] = 201.0
    planned = plan(hot, 1.0, asked(candidates=(Candidate("kd_4"),)))
    assert plan_without_hot(planned) is None


def test_days_are_blocks() -> None:
    """Three days of hours; on the second one the group cannot keep up, by little."""
    days = np.repeat([100.0, 200.0, 100.0], 24)[:, None] * np.array([0.5, 0.5])
    question = asked(candidates=(candidate("constant", initial_replicas=1),), mu=199.0)
    found = recommend(days, 3600.0, question)
    assert (found.step_s, np.diff(found.edges).tolist()) == (5.0, [17_280] * 3)
    judged = found.ranked[0]
    # Only resamples without the second day are in time: (2/3)^3 of them.
    assert judged.on_time.low < 0.5 < judged.on_time.high == 1.0
    assert judged.probability == pytest.approx(8 / 27, abs=0.02)


def test_bursts_keep_their_steps() -> None:
    """A burst of ten seconds is not ten bursts; the pod autoscaler then decides too late."""
    found = recommend(waves(4, 60), 10.0, asked(settings={"arrivals": "burst"}))
    assert (found.steps, found.step_s) == (60, 10.0)
    keda = next(e for e in found.ranked if e.run.candidate.strategy == "keda_hpa")
    assert keda.outcome.settings["decision_s"] == 20.0
    assert keda.obstacle is not None
    assert keda.obstacle.startswith("needs another sync period")


def test_a_group_starts_with_what_the_first_minute_needs() -> None:
    rates = np.concatenate([np.full((60, 2), 130.0), np.full((60, 2), 900.0)])
    assert candidate_outcomes.initial_replicas(rates, 1.0, 100.0, 9) == 3
    assert candidate_outcomes.initial_replicas(rates, 1.0, 100.0, 2) == 2
    assert candidate_outcomes.initial_replicas(rates, 1.0, 260.0, 9) == 1
    assert candidate_outcomes.initial_replicas(np.zeros((5, 2)), 1.0, 100.0, 9) == 1
