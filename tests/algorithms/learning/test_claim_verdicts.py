"""Scores, shares, interquartile means and claims, on figures that can be checked by hand."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from scipy.stats import binomtest, trim_mean

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.claim_shares import exact_share, word_of
from algorithms.learning import (
    broker_optimum,
    broker_rollout,
    printed_settings,
    sensitivity,
)
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.broker_training import Training
from algorithms.learning.claim_verdicts import claims
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learning_names import AGENTS, REWARDS
from algorithms.learning.success_verdicts import iqm_interval, scores

pytestmark = pytest.mark.unit
PAPER = BrokerSettings()
SETTINGS = AgentSettings(held_out=8)


@pytest.mark.parametrize("successes", [0, 1, 9, 15, 21, 30])
def test_shares_have_the_exact_binomial_interval(successes):
    interval = exact_share(successes, 30)
    expected = binomtest(successes, 30).proportion_ci(0.95, method="exact")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_what_shares_say_by_number_of_successes():
    words = [word_of(*exact_share(k, 30)[1:]) for k in (0, 9, 10, 20, 21, 30)]
    assert words == ["not reproduced"] * 2 + ["open"] * 2 + ["reproduced"] * 2


def test_scores_are_0_for_random_actions_and_1_for_the_optimum():
    starts = np.array([3, 7, 7])
    ends = [
        values(PAPER, "weighted")[starts - 3].mean()
        for values in (broker_optimum.random_values, broker_optimum.optimum)
    ]
    assert scores(np.array(ends), PAPER, "weighted", starts) == pytest.approx([0.0, 1.0])


def test_interquartile_mean():
    values = np.random.default_rng(0).normal(size=(20, 2))
    interval = iqm_interval(values, 1)
    assert interval.mean == pytest.approx(trim_mean(values.ravel(), 0.25))
    assert interval.low < interval.mean < interval.high
    assert iqm_interval(np.array([[1.0], [2.0], [4.0]]), 0).mean == pytest.approx(13 / 6)


@pytest.mark.parametrize("seeds", range(1, 41))
def test_interquartile_mean_of_equal_scores(seeds):
    """Weights that do not add up to 1 by rounding once gave 0.9999999999999999."""
    interval = iqm_interval(np.ones((seeds, 1)), 0)
    assert interval.mean == 1.0
    assert seeds == 1 or (interval.low, interval.high) == (1.0, 1.0)


def test_interquartile_means_of_values_that_are_not_finite():
    with pytest.raises(InvalidParameterError, match="values must be finite"):
        iqm_interval(np.array([[np.nan]]), 0)


def training(score, reward, higher=0.0, seeds=30):
    """Seeds that all end with the same score; how their returns differ, by seed and episode."""
    starts = broker_rollout.held_out(PAPER, 8, 0).starts - 3
    worst = broker_optimum.random_values(PAPER, reward)[starts].mean()
    best = broker_optimum.optimum(PAPER, reward)[starts].mean()
    other = np.zeros((seeds, 10))
    last = other + worst + score * (best - worst)
    return Training(other + higher, other, other, last, other, other, other, ())


def training_of(score, higher=0.0, seeds=30):
    return {"score": score, "higher": higher, "seeds": seeds}


def judged(dqn, double, settings=SETTINGS, brokers=PAPER):
    runs = {
        (agent, reward): training(reward=reward, **arguments)
        for agent, arguments in (("dqn", dqn), ("double_dqn", double))
        for reward in REWARDS
    }
    return claims(runs, brokers, settings, 0)


def verdicts(outcomes):
    return [(claim.id, claim.agent, claim.reward, claim.verdict) for claim in outcomes]


def of(outcomes, number, reward="weighted"):
    """A claim about both agents."""
    return next(c for c in outcomes if (c.id, c.reward) == (number, reward))


def test_claims_of_agents_that_are_equally_good():
    outcomes = judged(training_of(0.99), training_of(0.97, higher=0.01))
    assert {verdict for *_, verdict in verdicts(outcomes)} == {"reproduced"}
    subjects = [(c.id, c.agent, c.reward) for c in outcomes]
    assert subjects == [
        *((f"R{k}", agent, r) for k, r in enumerate(REWARDS, 1) for agent in AGENTS),
        *(("R5", "both", r) for r in ("count", "violations")),
        ("R4", "both", "weighted"),
        ("R5", "both", "weighted"),
        ("R7", "both", "all"),
    ]


def test_claims_of_agents_of_which_one_fails():
    outcomes = judged(training_of(0.99, higher=100.0), training_of(0.3))
    failed = {c.verdict for c in outcomes if c.agent != "dqn"}
    assert failed == {"not reproduced"}
    assert {c.verdict for c in outcomes if c.agent == "dqn"} == {"reproduced"}


def test_claims_of_few_seeds_stay_open_whatever_their_interval_says():
    few = judged(training_of(0.99, seeds=10), training_of(0.99, seeds=10))
    assert {claim.verdict for claim in few} == {"open"}
    assert of(few, "R7", "all").says == "reproduced"


def test_a_claim_about_all_rewards_is_open_if_one_was_not_trained():
    runs = {(agent, "weighted"): training(0.99, "weighted") for agent in AGENTS}
    claim = of(claims(runs, PAPER, SETTINGS, 0), "R7", "all")
    assert (claim.verdict, claim.value) == ("open", 1.0)
    assert claim.lacks == tuple(
        f"{agent} with reward {reward}" for reward in ("count", "violations") for agent in AGENTS
    )
    of_one = claims({("dqn", "count"): training(0.99, "count")}, PAPER, SETTINGS, 0)
    assert [(c.id, c.verdict, len(c.lacks)) for c in of_one] == [
        ("R1", "reproduced", 0),
        ("R7", "open", 5),
    ]


@pytest.mark.parametrize(
    ("brokers", "agent", "word"),
    [
        ({}, {"episodes": 3}, "episodes 3 (printed 10)"),
        ({}, {"episodes": 100}, "episodes 100 (printed 10)"),
        ({"steps": 12}, {}, "steps 12 (printed 45)"),
        ({}, {"batch": 32}, "batch 32 (printed 10)"),
        ({"slo_weighted_ms": 250.0}, {}, "slo_weighted_ms 250.0 (printed 300.0)"),
    ],
)
def test_claims_of_other_settings_than_the_printed_ones_stay_open(brokers, agent, word):
    settings = AgentSettings(held_out=8, **agent)
    outcomes = judged(training_of(0.99), training_of(0.99), settings, BrokerSettings(**brokers))
    assert {claim.verdict for claim in outcomes} == {"open"}
    assert {claim.departs for claim in outcomes} == {(word,)}


def test_printed_settings_are_those_of_the_paper():
    """S01 to S36 of its published figures, as far as they are settings here."""
    printed = {
        "min_brokers": 3, "max_brokers": 11, "steps": 30 * 60 / 40, "episodes": 10,
        "records_per_s": 4 * 1000, "record_bytes": 124, "hidden": (64, 128, 256), "batch": 10,
        "replay": 42, "target_every": 5, "gamma": 0.99, "learning_rate": 0.00025,
        "optimizer": "rmsprop", "epsilon_first": 1, "epsilon_last": 0.1, "random_first": 10,
        "random_episodes": 2, "slo_violations_ms": 200, "slo_weighted_ms": 300,
        "weight_of_brokers": 0.5,
    }  # fmt: skip
    defaults = {**asdict(PAPER), **asdict(AgentSettings())}
    names = (*printed_settings.OF_BROKERS, *printed_settings.OF_AGENT)
    assert {name: defaults[name] for name in names} == printed
    assert printed_settings.departures(PAPER, AgentSettings()) == ()
    # A change takes 20 of 40 s, however often latency is scraped; assumptions may differ.
    assert not printed_settings.departures(
        BrokerSettings(scrapes=4, scrapes_changing=2, load=2.0), AgentSettings(decay=0.5)
    )
    (other,) = printed_settings.departures(BrokerSettings(scrapes_changing=6), AgentSettings())
    assert other == "scrapes_changing 6 of 8 (printed half)"


def returns(higher_by_seed):
    """Double DQN is higher in so many of the 10 episodes of each seed."""
    return np.array([[1.0] * n + [-1.0] * (10 - n) for n in higher_by_seed])


def test_higher_returns_are_counted_over_seeds_and_episodes():
    counts = [10, 9, 4] * 10
    claim = of(judged(training_of(0.5), training_of(0.5, higher=returns(counts))), "R4")
    assert claim.value == pytest.approx(np.mean(counts) / 10)
    assert 0.6 < claim.low < claim.value < claim.high < 0.9
    assert claim.verdict == "reproduced"
    # By seeds alone, 20 of 30 have the higher mean, which would be open.
    assert word_of(*exact_share(20, 30)[1:]) == "open"


def test_the_interval_of_higher_returns_is_over_seeds_not_pairs():
    together = of(judged(training_of(0.5), training_of(0.5, higher=returns([10, 0] * 15))), "R4")
    spread = of(judged(training_of(0.5), training_of(0.5, higher=returns([5] * 30))), "R4")
    assert together.value == spread.value == 0.5
    assert together.high - together.low > 0.3
    assert spread.high == spread.low


def test_draws_are_not_higher():
    assert of(judged(training_of(0.5), training_of(0.5)), "R4").verdict == "not reproduced"


@pytest.mark.parametrize(
    ("share", "verdict"),
    [(0.04, "reproduced"), (-0.06, "not reproduced"), (0.06, "not reproduced")],
)
def test_equally_good_is_about_the_rewards_of_training_episodes(share, verdict):
    everywhere = np.arange(9)
    width = (broker_optimum.optimum(PAPER, "count") - broker_optimum.random_values(PAPER, "count"))[
        everywhere
    ].mean()
    claim = of(judged(training_of(0.2), training_of(0.9, higher=share * width)), "R5", "count")
    assert claim.value == pytest.approx(share)
    assert claim.verdict == verdict


def test_a_difference_that_is_not_significant_is_not_absent():
    scattered = np.tile([[-60.0], [60.0]], (15, 1))
    claim = of(judged(training_of(0.9), training_of(0.9, higher=scattered)), "R5", "count")
    assert claim.low < -0.05 < 0.05 < claim.high
    assert claim.verdict == "open"


def test_each_variant_changes_one_valid_setting():
    for name, variant in sensitivity.VARIANTS.items():
        # Scrapes of a change are half of all, as printed: both are one change.
        changed = {*variant.brokers, *variant.agent} - {"scrapes_changing"}
        assert len(changed) == (name != "base")
        brokers, agent = sensitivity.settings_of(name, PAPER, AgentSettings())
        assert (check_brokers(brokers), check_agent(agent)) == (brokers, agent)
        assert name == "base" or (brokers, agent) != (PAPER, AgentSettings())


def test_the_calibration_is_varied_and_most_settings_both_ways():
    """All of section 2 of the latency model, and what the paper leaves open."""
    variations: dict[str, list[object]] = {}
    for variant in sensitivity.VARIANTS.values():
        for key, value in {**variant.brokers, **variant.agent}.items():
            variations.setdefault(key, []).append(value)
    calibration = {"base_ms", "queue_ms", "saturation", "least_spare", "spread", "scrapes"}
    assert calibration | {"disturbance", "load"} <= variations.keys()
    defaults = {**asdict(PAPER), **asdict(AgentSettings())}
    one_way = {
        key
        for key, values in variations.items()
        if isinstance(values[0], float | int) and not min(values) < defaults[key] < max(values)
    }
    assert one_way == {"least_spare", "time_limit_ends"}


def test_a_lower_bound_of_spare_brokers_would_change_nothing():
    least = min(broker_optimum.starts(PAPER)) - PAPER.saturation * PAPER.load
    assert least > PAPER.least_spare
