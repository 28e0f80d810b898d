"""Trainings are read from rows in any order; variants are found by what decides on results."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.learning.claims import judged_claims
from pipeline.experiments.learning.claims.judged_claims import Tables
from pipeline.experiments.learning.claims.stored_trainings import StoredTrainings
from pipeline.experiments.learning.claims.trained_variants import Place, TrainedVariants, declared
from pipeline.settings.learning_presets import RAW, VARIATIONS
from tests.pipeline.experiments.learning.claim_cases import (
    evaluations,
    experiment,
    of,
    policies,
    trainings,
)

pytestmark = pytest.mark.unit


def test_rows_are_ordered_by_seed_and_episode() -> None:
    one = experiment("paper", 3, episodes=4, variants=("base", RAW))
    rows = trainings(one, 1)
    rows["total_reward"] = -100.0 * rows["seed"] - rows["episode"] - 0.5 * (rows["variant"] == RAW)
    shuffled = rows.sample(frac=1.0, random_state=0)
    by_agent = StoredTrainings(shuffled).of(Place(one, RAW))
    assert by_agent.keys() == {("dqn", "count"), ("double_dqn", "count")}
    expected = -100.0 * np.arange(1, 4)[:, None] - np.arange(1, 5) - 0.5
    np.testing.assert_array_equal(by_agent["dqn", "count"].returns, expected)


def test_settings_are_found_wherever_they_are_trained_most_seeds_last() -> None:
    few, many = experiment("few", 10), experiment("many", 20, evaluate_every=5)
    other = experiment("other", 30, variants=("base", "gamma=0.9"), steps=12)
    trained = TrainedVariants([many, other, few])
    base = few.settings("base")
    assert [place.experiment.name for place in trained.at(base)] == ["few", "many"]
    assert [place.experiment.name for place in trained.at(base, 11)] == ["many"]
    assert trained.at(few.settings("gamma=0.9")) == []


def test_a_variant_that_changes_nothing_is_none() -> None:
    assert tuple(declared(experiment("paper").settings("base"))) == VARIATIONS
    spread = declared(experiment("paper", spread=0.04).settings("base"))
    assert set(VARIATIONS) - set(spread) == {"spread=0.04"}


def test_policies_of_different_settings_are_no_single_configuration() -> None:
    one = experiment("paper")
    stored = policies(one)
    stored.loc[0, "settings"] = "other"
    tables = Tables(StoredTrainings(trainings(one, 5)), evaluations(one, [0.9] * 30), stored, 7)
    assert of(list(judged_claims.rows([one], tables)), "R6")["value"] == 2.0
