"""The model of experiments on learning: every setting of the agents' core, checked."""

from __future__ import annotations

import pytest

from algorithms.learning.sensitivity import VARIANTS
from pipeline.config.learning_experiment import AGENT, BASE, BROKERS, LearningExperiment
from pipeline.config.load import resolve
from pipeline.config.run_config import RunConfig
from pipeline.errors import InputError

pytestmark = pytest.mark.unit


def first(*sets: str) -> LearningExperiment:
    return resolve("learning-smoke", None, list(sets), []).learning[0]


def test_every_setting_of_cluster_and_agent_is_one_with_the_same_default() -> None:
    known = LearningExperiment.model_fields
    own = {"name", "agents", "rewards", "variants", "seeds"}
    assert known.keys() - own == BROKERS.keys() | AGENT.keys()
    for name, default in {**BROKERS, **AGENT}.items():
        assert known[name].default == default, name


def test_a_variant_changes_its_settings_alone() -> None:
    one = first("variants=base,gamma=0.9:load=0.5,time_limit_ends=true")
    base, changed, ends = (one.settings(variant) for variant in one.variants)
    assert (base.agent.gamma, base.brokers.load, base.agent.episodes) == (0.99, 1.0, 3)
    assert (changed.agent.gamma, changed.brokers.load, changed.agent.episodes) == (0.9, 0.5, 3)
    assert ends.agent.time_limit_ends is True
    assert len(one.cells()) == 3


def test_the_sensitivity_table_has_all_variants_with_enough_seeds() -> None:
    sensitive = {e.name: e for e in resolve("learning", None, [], []).learning}["sensitivity"]
    assert len(sensitive.variants) == len(VARIANTS) - 1
    assert BASE not in sensitive.variants
    assert sensitive.seeds == 10


def test_one_value_is_a_list_and_a_load_can_be_a_series() -> None:
    assert first("hidden=8").hidden == (8,)
    assert first("hidden=8,4").hidden == (8, 4)
    assert first("steps=3", "load=1,0.5,2").load == (1.0, 0.5, 2.0)
    assert first("max_brokers=2", "min_brokers=2").max_brokers == 2


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("agents=dqn,dqn", "`agents` must have between 1 and 2 different values"),
        ("variants=base,steps=3", "`variants` must be base or SETTING=VALUE"),
        ("variants=optimizer=sgd", "unknown optimizer 'sgd'"),
        ("load=-1", "`load` must be at least 0"),
        ("hidden=x", "`hidden` must be an integer"),
        ("hidden=0", "`hidden` must be between"),
        ("min_brokers=12", "`min_brokers` must be between 1 and 11"),
        ("time_limit_ends=3", "`time_limit_ends` must be true or false"),
    ],
)
def test_wrong_settings_are_one_line_that_names_them(setting: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        first(setting)
    assert "\n" not in str(caught.value)


def test_a_configuration_is_read_again_as_it_was() -> None:
    config = resolve("learning-smoke", None, ["hidden=8", "steps=3", "load=1,0.5,2"], [])
    assert RunConfig.from_json(config.to_json()) == config
    assert '"learning"' not in resolve("smoke", None, [], []).to_json()
