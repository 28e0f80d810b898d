"""The model of experiments on learning: every setting of the agents' core, checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.group_traces import parts_of
from algorithms.learning.learned_group import GROUP_AGENT, group_agent
from algorithms.learning.sensitivity import VARIANTS
from pipeline.base.errors import InputError
from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.policies import recorded_groups
from pipeline.experiments.learning.stages import train_agents
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import W2
from pipeline.settings.learning_experiment import BASE, LearningExperiment
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit


def first(*sets: str) -> LearningExperiment:
    return resolve("learning-smoke", None, list(sets), []).learning[0]


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
    assert first("max_brokers=2", "min_brokers=1").max_brokers == 2
    assert first("start_brokers=5").start_brokers == 5
    shares = ("queue_shares=0.9,0.9,0.9", "local_shares=0.1,0,0")
    assert first(*shares).settings(BASE).brokers.queue_shares == (0.9, 0.9, 0.9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("min_brokers=4", "max_brokers=4"), "`max_brokers` .*4.*raise `max_brokers`"),
        (("rewards=violations", "load=0", "spread=0.04"), "`rewards`: variant base: .*violations"),
        (
            ("rewards=count,violations", "variants=base,cost_of_violation=0"),
            "`rewards`: variant cost_of_violation=0: .*violations",
        ),
    ],
)
def test_what_has_no_score_is_refused(settings: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        first(*settings)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_long_episodes_are_judged_when_training_begins() -> None:
    """The optimum of millions of states would take a minute."""
    one = first("rewards=violations", "cost_of_violation=0", "steps=60000")
    plans = kernels.plans([one], 1)
    with pytest.raises(InputError, match=r"experiment smoke, variant base: .*violations"):
        train_agents.check_scores(one.cells(), plans)
    train_agents.check_scores((fine := first()).cells(), kernels.plans([fine], 1))


def test_groups_do_not_need_brokers_that_differ() -> None:
    assert on_group("min_brokers=4", "max_brokers=4").max_brokers == 4


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("agents=dqn,dqn", "`agents` "),
        ("variants=base,steps=3", "`variants` "),
        ("variants=optimizer=sgd", "`variants`: optimizer=sgd: optimizer must be"),
        ("batch=43", "`batch` "),
        ("load=1,2", "`load` "),
        ("load=-1", "`load` "),
        ("hidden=x", "`hidden` "),
        ("hidden=0", "`hidden` "),
        ("learning_rate=1.5", "`learning_rate` .*1.5"),
        ("variants=learning_rate=2", "`variants`: learning_rate=2: learning_rate must be"),
        ("min_brokers=12", "`min_brokers` "),
        ("time_limit_ends=3", "`time_limit_ends` "),
        ("start_brokers=12", "`start_brokers` "),
        ("total_shares=1", "`total_shares` "),
        ("local_shares=0.6,0.6,0.6", "`local_shares`.0. .* queue_shares.0. "),
        ("variants=metric_ranges=1", "`variants` "),
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


def on_group(*sets: str) -> LearningExperiment:
    return resolve("learning-groups-smoke", None, list(sets), []).learning[0]


def test_agents_on_groups_have_settings_of_their_own() -> None:
    one = on_group("variants=base,action=delta:weight=10:gamma=0.9", "partitions=7")
    base, changed = (one.group_settings(variant) for variant in one.variants)
    assert (base.group.partitions, base.group.weight, base.training.action) == (7, 5.0, "target")
    assert (changed.group.weight, changed.training.action, changed.agent.gamma) == (
        10,
        "delta",
        0.9,
    )
    assert base.training.judged == one.episodes
    assert base.agent.hidden == (64, 64)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("rewards=count", "`rewards` "),
        ("environment=brokers", "`rewards` "),
        ("environment=cloud", "`environment` "),
        ("variants=load=2", "load does not apply to agents on groups"),
        ("variants=rebalance_s=1", "`variants` "),
        ("variants=action=up", "`variants`: action=up: action must be"),
        ("rules=dqn", "`rules` "),
        ("rules=linear,linear", "`rules` "),
        ("rules=sideways", "unknown strategy 'sideways'"),
        (
            "rules=constant,evil:fn",
            "`rules` .*'evil:fn'",
        ),
        ("trials=0", "`trials` "),
        ("trace_seconds=99", "`trace_seconds` "),
        ("weight=-1", "`weight` "),
        ("decisions=10000000", "× decisions × windows must be at most 100,000,000"),
        ("decisions=1", "judged must be"),
    ],
)
def test_wrong_settings_of_groups_are_one_line_that_names_them(setting: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        on_group(setting)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("trace_seconds=300",), "`window_s` .*180 s.*240 s.*action=residual.*`trace_seconds`"),
        (("variants=base,window_s=241",), "`window_s` .*240 s.*241 s.*window_s=241"),
        (("windows=200", "replay=100"), "--set windows=200: `windows` .*`replay`, 100 .*200"),
        (("variants=base,windows=200:replay=100",), "`replay`, 100 .*200.*windows="),
    ],
)
def test_groups_that_cannot_be_trained_are_refused_before_the_run(
    settings: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        on_group(*settings)
    assert "\n" not in str(caught.value)


def test_windows_fit_into_a_published_recording_that_agents_train_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 200 seconds, the first 120 are for training."""
    sets, file = ["trace_seconds=100", "window_s=120"], recorded(tmp_path)
    with pytest.raises(InputError, match="`window_s` must be at most 60 s"):
        resolve("learning-groups-smoke", None, sets, [file])
    monkeypatch.setattr(published_workloads, "recognised", lambda digest: W2)
    config = resolve("learning-groups-smoke", None, sets, [file])
    assert config.learning[0].window_s == 120
    (plan,) = kernels.plans(config.learning, 1, recorded_groups.of(config.recorded)).values()
    assert isinstance(plan, kernels.GroupPlan)
    assert max(len(part) for part in parts_of(plan.traces()).training) == 120
    with pytest.raises(InputError, match="`window_s` must be at most 120 s"):
        resolve("learning-groups-smoke", None, [*sets, "window_s=121"], [file])


def test_agents_on_groups_have_their_own_defaults() -> None:
    one = LearningExperiment(name="e", environment="group", rewards=("late",))
    assert one.group_settings(BASE).agent == group_agent(episodes=one.episodes)
    groups = LearningExperiment(
        name="e", environment="group", rewards=("late",), gamma=0.9, replay=50, hidden=(8,)
    ).group_settings(BASE)
    assert (groups.agent.gamma, groups.agent.replay, groups.agent.hidden) == (0.9, 50, (8,))
    assert groups.agent.batch == GROUP_AGENT["batch"]
    on_brokers = LearningExperiment(name="e")
    assert on_brokers.settings(BASE).agent == AgentSettings()


def recorded(folder: Path, name: str = "mine.csv") -> Path:
    """A total rate for 200 seconds."""
    file = folder / name
    lines = [f"{second},{100 + second % 7}" for second in range(200)]
    file.write_text("\n".join(["timestamp,rate", *lines]) + "\n")
    return file


def test_recorded_traces_are_for_agents_on_groups(tmp_path: Path) -> None:
    file = recorded(tmp_path)
    config = resolve("learning-groups-smoke", None, [], [file])
    (source,) = config.traces
    assert (source.stream_id, source.iterations, source.step_seconds) == ("trace-mine", 200, 1.0)
    assert RunConfig.from_json(config.to_json()) == config
    with pytest.raises(InputError, match="no experiment of this run reads recorded streams"):
        resolve("learning-smoke", None, [], [file])


def test_the_same_rates_under_two_names_are_refused(tmp_path: Path) -> None:
    files = [recorded(tmp_path), recorded(tmp_path, "yours.csv")]
    with pytest.raises(
        InputError, match=r"yours\.csv: has the same rates as .*mine\.csv"
    ) as caught:
        resolve("learning-groups-smoke", None, [], files)
    assert "\n" not in str(caught.value)
