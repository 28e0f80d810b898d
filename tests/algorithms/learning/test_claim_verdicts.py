"""Scores, shares, interquartile means and claims, on figures that can be checked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, trim_mean

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_optimum, broker_rollout, sensitivity
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.broker_training import Training
from algorithms.learning.claim_verdicts import claims
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.success_verdicts import iqm_interval, scores, share_verdict

pytestmark = pytest.mark.unit
PAPER = BrokerSettings()


@pytest.mark.parametrize("successes", [0, 1, 9, 15, 21, 30])
def test_shares_have_the_exact_binomial_interval(successes):
    found = share_verdict(successes, 30)
    expected = binomtest(successes, 30).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_verdicts_by_number_of_successes():
    words = [share_verdict(k, 30).verdict for k in (0, 9, 10, 20, 21, 30)]
    assert words == ["not reproduced"] * 2 + ["open"] * 2 + ["reproduced"] * 2


def test_fewer_seeds_than_stated_give_no_verdict():
    assert share_verdict(29, 29).verdict == "open"


def test_scores_are_0_for_random_actions_and_1_for_the_optimum():
    starts = np.array([3, 7, 7])
    ends = [
        values(PAPER, "weighted")[starts - 3].mean()
        for values in (broker_optimum.random_values, broker_optimum.optimum)
    ]
    assert scores(np.array(ends), PAPER, "weighted", starts) == pytest.approx([0.0, 1.0])


def test_interquartile_mean():
    values = np.random.default_rng(0).normal(size=(20, 2))
    found = iqm_interval(values, 1)
    assert found.mean == pytest.approx(trim_mean(values.ravel(), 0.25))
    assert found.low < found.mean < found.high
    assert iqm_interval(np.array([[1.0], [2.0], [4.0]]), 0).mean == pytest.approx(13 / 6)


def test_interquartile_means_of_values_that_are_not_finite():
    with pytest.raises(InvalidParameterError, match="values must be finite"):
        iqm_interval(np.array([[np.nan]]), 0)


def training(score, reward, higher=0.0, seeds=30):
    """Seeds that all end with the same score."""
    starts = broker_rollout.held_out(PAPER, 8, 0).starts - 3
    worst = broker_optimum.random_values(PAPER, reward)[starts].mean()
    best = broker_optimum.optimum(PAPER, reward)[starts].mean()
    last = np.full((seeds, 1), worst + score * (best - worst))
    other = np.zeros((seeds, 1))
    return Training(other + higher, other, other, last, other, other, other, ())


def verdicts(dqn, double):
    runs = {("dqn", "weighted"): dqn, ("double_dqn", "weighted"): double}
    found = claims(runs, PAPER, AgentSettings(held_out=8), 0)
    return [(claim.id, claim.agent, claim.verdict) for claim in found]


def test_claims_of_agents_that_are_equally_good():
    found = verdicts(training(0.99, "weighted"), training(0.97, "weighted", higher=1.0))
    assert found == [
        ("R3", "dqn", "reproduced"),
        ("R3", "double_dqn", "reproduced"),
        ("R4", "both", "reproduced"),
        ("R5", "both", "reproduced"),
        ("R7", "both", "reproduced"),
    ]


def test_claims_of_agents_of_which_one_fails():
    found = verdicts(training(0.99, "weighted", higher=1.0), training(0.3, "weighted"))
    assert [word for _, _, word in found] == ["reproduced"] + ["not reproduced"] * 4


def test_claims_of_few_seeds_stay_open():
    few = training(0.99, "weighted", seeds=5)
    assert {word for _, _, word in verdicts(few, few)} == {"open"}


def test_each_variant_changes_one_valid_setting():
    for name, variant in sensitivity.VARIANTS.items():
        assert len(variant.brokers) + len(variant.agent) == (name != "base")
        brokers, agent = sensitivity.settings_of(name, PAPER, AgentSettings())
        assert (check_brokers(brokers), check_agent(agent)) == (brokers, agent)
        assert name == "base" or (brokers, agent) != (PAPER, AgentSettings())
