"""Claim R9: raw metrics against scaled ones, paired by seed."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import AGENTS, REWARDS
from algorithms.learning.normalization_claim import normalization
from tests.algorithms.learning.test_claim_verdicts import SETTINGS, training

pytestmark = pytest.mark.unit
PAPER = BrokerSettings()


def runs(score, agents=AGENTS, rewards=REWARDS, seeds=30):
    return {(a, r): training(score, r, seeds=seeds) for a in agents for r in rewards}


def judged(scaled, raw, settings=SETTINGS):
    return {c.reward: c for c in normalization(scaled, raw, PAPER, settings, 0)}


@pytest.mark.parametrize(
    ("scaled", "raw", "by_reward", "together"),
    [
        (0.99, 0.98, "reproduced", "reproduced"),
        # Raw metrics succeed less often and score less.
        (0.99, 0.6, "not reproduced", "not reproduced"),
        # Both fail alike: that says nothing about normalization.
        (0.6, 0.6, "open", "open"),
        # Scaled ones fail too, but raw ones are clearly worse.
        (0.6, 0.3, "not reproduced", "open"),
    ],
)
def test_raw_metrics_are_judged_by_difference_and_by_share(scaled, raw, by_reward, together):
    claims = judged(runs(scaled), runs(raw))
    assert {claims[reward].verdict for reward in REWARDS} == {by_reward}
    assert claims["all"].verdict == together
    for reward in REWARDS:
        assert claims[reward].value == pytest.approx(raw - scaled)
        assert claims[reward].low <= claims[reward].value <= claims[reward].high


def test_the_difference_is_paired_by_seed():
    def scattered(shift):
        score = np.linspace(0.0, 1.0, 30)[:, None] + shift
        return {(a, r): training(score, r) for a in AGENTS for r in REWARDS}

    claim = judged(scattered(0.0), scattered(-0.1))["weighted"]
    assert claim.high - claim.low < 1e-9
    assert claim.verdict == "not reproduced"


def test_more_seeds_of_one_kind_are_left_out():
    claims = judged(runs(0.99, seeds=40), runs(0.98))
    assert {claim.seeds for claim in claims.values()} == {30}


def test_what_is_missing_leaves_it_open():
    claims = judged(runs(0.99), runs(0.6, agents=("dqn",)))
    assert {claim.verdict for claim in claims.values()} == {"open"}
    assert claims["count"].lacks == ("double_dqn with reward count",)
    assert len(claims["all"].lacks) == 3
    assert judged(runs(0.99, rewards=("count",)), runs(0.6, rewards=("weighted",))) == {}
