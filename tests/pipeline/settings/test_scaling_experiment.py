"""Experiments on autoscaling: what single fields allow, and what must go together."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from pydantic import ValidationError

from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.core.group_declarations import ASSIGNORS
from algorithms.simulation.group_settings import DEFAULTS, PAPER_GROUP, GroupSettings
from algorithms.workloads import load_profiles, partition_splits
from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.settings import split_field, strategy_names
from pipeline.settings.load import resolve
from pipeline.settings.presets import PRESETS
from pipeline.settings.run_config import RunConfig
from pipeline.settings.scaling_experiment import (
    GROUP_FIELDS,
    PROFILES,
    ScalingExperiment,
)
from pipeline.settings.scaling_presets import PAPERS

pytestmark = pytest.mark.unit

GENERATED = [name for name in PRESETS if name in ("autoscaling", "autoscaling-smoke")]
COUNTS = {
    "partitions": (1, limits.MAX_PARTITIONS),
    "iterations": (1, limits.MAX_ITERATIONS),
    "replicates": (1, limits.MAX_REPLICATES),
    "recorded": (0, limits.MAX_REPLICATES),
    "initial_replicas": (0, limits.MAX_PARTITIONS),
    "min_replicas": (0, limits.MAX_PARTITIONS),
}
TIMES = ("rebalance_s", "startup_s", "heartbeat_s", "cooldown_s", "move_pause_s")
NAMES = {
    "profile": PROFILES,
    "split": ("equal", "skew"),
    "rounding": ("none", "ceil"),
    "arrivals": ("uniform", "burst"),
    "protocol": ("eager", "cooperative", "incremental"),
    "heartbeats": ("whole", "drawn", "in_step"),
    "assignor": ASSIGNORS,
}


def experiment(**changes: Any) -> ScalingExperiment:
    return ScalingExperiment.model_validate({"name": "e", "strategies": ["constant"]} | changes)


def refusal(**changes: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        experiment(**changes)
    message = str(caught.value.errors()[0]["ctx"]["error"])
    assert "\n" not in message
    return message


def test_defaults() -> None:
    default = ScalingExperiment(name="e")
    assert default.strategies == COMPARED
    assert (default.partitions, default.iterations, default.replicates) == (9, 1800, 20)
    assert (default.mu, default.wsla_s, default.step_s, default.recorded) == (200.0, 0.5, 1.0, 1)
    assert default.workload == "diurnal, 9 partitions, equal"
    assert default.most_minutes == 9 * 1800 / 60


def test_rates_take_units() -> None:
    assert experiment(mu="1.5k/s").mu == 1500.0
    assert "`mu` must be a number between" in refusal(mu="many")
    config = resolve("autoscaling-smoke", None, ["mu=5k/s", "strategies=constant"], [])
    assert {one.mu for one in config.autoscaling} == {5000.0}


def test_start_ups_can_be_a_distribution() -> None:
    assert experiment(startup_s="10-50@0.5+50-500@0.5").startup_s == "10-50:0.5,50-500:0.5"
    assert experiment(startup_s=20).startup_s == 20.0
    config = resolve("autoscaling-smoke", None, ["startup_s=landau_2024"], [])
    assert {one.startup_s for one in config.autoscaling} == {"landau_2024"}
    stored = RunConfig.from_json(config.to_json())
    assert stored == config
    assert "`startup_s` must be pieces whose shares sum to 1" in refusal(startup_s="5-9:0.5")
    assert "`startup_s` must be a number between" in refusal(startup_s="soon")


@pytest.mark.parametrize("field", COUNTS)
@pytest.mark.parametrize("value", [-1, 1.0, "8", True, None, 10**8, [3]])
def test_counts_are_integers_within_bounds(field: str, value: object) -> None:
    least, most = COUNTS[field]
    message = refusal(**{field: value})
    assert message.startswith(f"`{field}` must be an integer between {least} and {most:,} (got ")


NUMBERS = (
    *(*TIMES, "decision_offset_s", "service_cv", "low", "high"),
    *("second_heartbeat_s", "assignment_interval_s", "session_s", "commit_s", "in_flight_s"),
    *("initial_rebalance_s", "kept_pause_s"),
)
FOLLOWING = ("heartbeat_s", "second_heartbeat_s", "initial_rebalance_s")
"""None stands for what follows from other settings."""


@pytest.mark.parametrize("field", NUMBERS)
@pytest.mark.parametrize("value", [-0.001, "5", True, None, float("nan"), float("inf"), 1e300])
def test_numbers_are_not_negative(field: str, value: object) -> None:
    if value is None and field in FOLLOWING:
        assert getattr(ScalingExperiment(name="a", **{field: value}), field) is None
        return
    assert refusal(**{field: value}).startswith(f"`{field}` must be a number between 0 and ")


def test_the_group_has_the_defaults_of_every_simulated_group() -> None:
    group = ScalingExperiment(name="a").group
    assert group == {name: DEFAULTS[name] for name in group}


def test_the_groups_of_papers_override_the_defaults_visibly() -> None:
    for settings in PAPERS.values():
        assert PAPER_GROUP.items() <= settings.items()


@pytest.mark.parametrize("field", ["mu", "wsla_s", "step_s"])
@pytest.mark.parametrize("value", [0, -1, "5x", True, None, float("nan"), 1e300])
def test_rates_and_lengths_are_positive(field: str, value: object) -> None:
    message = refusal(**{field: value})
    assert message.startswith(f"`{field}` must be a number between ")
    assert "(got " in message


@pytest.mark.parametrize("field", ["wsla_s", "step_s"])
def test_times_are_numbers(field: str) -> None:
    assert "must be a number" in refusal(**{field: "5"})


@pytest.mark.parametrize("field", NAMES)
@pytest.mark.parametrize("value", ["", "other", "EAGER", 5, None])
def test_names_are_known(field: str, value: object) -> None:
    message = refusal(**{field: value})
    assert message.startswith(f"`{field}` must be one of ")
    assert all(name in message for name in NAMES[field])


@pytest.mark.parametrize("value", [1, "yes", None])
def test_poisson_is_a_boolean(value: object) -> None:
    assert refusal(poisson=value).startswith("`poisson` must be true or false (got ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"rounding": "ceil"},
            "`rounding` only applies to a recorded file of one total rate; remove it",
        ),
        (
            {"last_rate": 5},
            "`last_rate` only applies to a recorded file of one total rate; remove it",
        ),
        ({"low": 0.9, "high": 0.5}, "`low` must not exceed `high` (got 0.9 and 0.5)"),
        (
            {"split": "skew", "partitions": 2},
            "`partitions` must be at least 3 for the split skew (got 2)",
        ),
    ],
)
def test_fields_that_disagree(changes: dict[str, Any], message: str) -> None:
    assert refusal(**changes) == message


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"decision_offset_s": 1.0}, "decision_offset_s", "1"),
        ({"initial_replicas": 10}, "initial_replicas", "10"),
        ({"min_replicas": 2}, "initial_replicas", "1"),
        ({"min_replicas": 10, "initial_replicas": 9}, "min_replicas", "10"),
    ],
)
def test_what_the_group_refuses_names_the_field(
    changes: dict[str, Any], field: str, value: str
) -> None:
    message = refusal(**changes)
    assert message.startswith(f"`{field}`")
    assert value in message


@pytest.mark.parametrize(
    ("strategies", "words"),
    [
        ("foo", ("`strategies[0]`", "foo", "headroom")),
        (["constant", "linear:f_up"], ("`strategies[1]`", "linear:f_up", "NAME:PARAMETER=VALUE")),
        (["linear:f_up=0.5:f_up=0.6"], ("`strategies[0]`", "each parameter once")),
        ([5], ("`strategies[0]`", "headroom:h=1.5", "(got 5)")),
        ([], ("`strategies` must have 1 to ", "(got 0)")),
        (["linear", " linear"], ("`strategies` contains 'linear' twice; remove one",)),
        (["all", "linear"], ("`strategies` contains 'linear' twice",)),
        (["linear:f_up=2"], ("`strategies`: linear:f_up=2: ", "f_up")),
        (["linear:f_up=0.3"], ("`strategies`: linear:f_up=0.3: ", "f_down")),
        (["linear:nonsense=2"], ("`strategies`: linear:nonsense=2: ", "nonsense")),
        (["threshold:t_in=200"], ("`strategies`: threshold:t_in=200: ", "t_in")),
        (["constant:initial_replicas=10"], ("constant:initial_replicas=10", "initial_replicas")),
        (["linear:decision_s=1.5"], ("linear:decision_s=1.5", "decision_s")),
        (["linear:assignor=lazy"], ("linear:assignor=lazy", "lazy")),
        (["sticky:assignor=range"], ("`strategies[0]`", "assignor must be sticky", "'range'")),
        (["linear:step_s=2"], ("linear:step_s=2", "step_s is the same for all strategies")),
        ("linear:f_up=" + "9" * 400, ("`strategies[0]`", "(got a text of 412 characters)")),
        ("linear:f_up=a\nb", ("`strategies[0]`", "(got a text of 15 characters)")),
        (
            ["keda_hpa:ensure_even=true:allow_idle=true"],
            ("keda_hpa:", "ensure_even", "allow_idle"),
        ),
    ],
)
def test_wrong_strategies(strategies: object, words: tuple[str, ...]) -> None:
    message = refusal(strategies=strategies)
    assert all(word in message for word in words), message


def test_strategies_are_written_out() -> None:
    assert experiment(strategies="all").strategies == COMPARED
    single = experiment(strategies=" headroom:h=1.5 ").strategies
    assert single == ("headroom:h=1.5",)
    form = experiment(strategies="keda_http:headroom:h=1.5").strategies
    assert form == ("keda_http:headroom:h=1.5",)
    ours = experiment(strategies="controller:headroom+placement:h=1.5").strategies
    assert ours == ("controller:headroom+placement:h=1.5",)
    swept = experiment(strategies=["all:sweep"]).strategies
    one_by_one = experiment(strategies=[f"{name}:sweep" for name in COMPARED])
    assert swept == one_by_one.strategies
    assert len(set(swept)) == len(swept) > 5 * len(COMPARED)
    assert {label.partition(":")[0] for label in swept} == set(COMPARED)


def test_a_strategy_that_is_an_assignor_has_it_whatever_the_group_has() -> None:
    of_group = experiment(assignor="sticky", strategies=["range", "kip169:initial_replicas=2"])
    first, second = strategy_names.candidates_of(of_group.strategies)
    assert {**of_group.group, **first.settings}["assignor"] == "range"
    assert second.settings == {"assignor": "kip169", "initial_replicas": 2}


def test_a_sweep_depends_on_the_partitions() -> None:
    labels = experiment(partitions=3, strategies="constant:sweep").strategies
    assert labels == ("constant", "constant:initial_replicas=2", "constant:initial_replicas=3")


def test_written_out_strategies_stay_as_they_are() -> None:
    labels = experiment(strategies="all:sweep").strategies
    assert experiment(strategies=list(labels)).strategies == labels
    assert tuple(each.label for each in strategy_names.candidates_of(labels)) == labels


@pytest.mark.parametrize("seconds", [7.0, 30.0])
def test_longer_steps_make_longer_decisions(seconds: float) -> None:
    """Times between decisions are whole numbers of steps; no strategy is refused."""
    assert experiment(step_s=seconds, strategies="all:sweep").strategies
    assert experiment(step_s=seconds, strategies="all").strategies == COMPARED


def test_too_large_streams_are_refused() -> None:
    message = refusal(partitions=limits.MAX_PARTITIONS, iterations=limits.MAX_ITERATIONS)
    assert "partitions" in message
    assert "iterations" in message


def test_the_lists_are_those_of_the_science() -> None:
    """They are repeated since importing the science is slow."""
    assert set(PROFILES) == set(load_profiles.names())
    assert set(GROUP_FIELDS) <= {field.name for field in fields(GroupSettings)}
    assert {split_field.EQUAL, split_field.SKEW, split_field.WEIGHTS} == {*partition_splits.SPLITS}
    for partitions in (split_field.MIN_SKEWED - 1, split_field.MIN_SKEWED):
        total = load_profiles.generate("steady", 2, 1.0, 2.0, 1)
        if partitions < split_field.MIN_SKEWED:
            with pytest.raises(ValueError, match="skew"):
                partition_splits.split(total, partitions, "skew")
        else:
            assert partition_splits.split(total, partitions, "skew").shape == (2, partitions)


@pytest.mark.parametrize(
    ("partitions", "split"), [(5, "equal"), (5, "skew"), (3, "skew"), (3, [4, 2, 1]), (2, [0, 3])]
)
def test_at_its_capacity_the_busiest_partition_fills_a_consumer(
    partitions: int, split: str | list[float]
) -> None:
    shape = experiment(partitions=partitions, split=split)
    total = load_profiles.generate("steady", 1, shape.capacity, shape.capacity, 1)
    rates = partition_splits.split(total, partitions, *split_field.arguments(shape.split))
    assert rates.max() == pytest.approx(shape.mu)


def test_weights_are_a_split() -> None:
    weighted = experiment(partitions=3, split=[4, 2, 1])
    assert weighted.split == (4.0, 2.0, 1.0)
    assert weighted.workload == "diurnal, 3 partitions, weights 4,2,1"
    assert experiment(partitions=9, split=[1] * 9).workload.endswith("weights 1,1,1,1,1,1,1,1,…")
    config = resolve(
        "autoscaling-smoke", None, ["split=4,2,1", "partitions=3", "strategies=ds2"], []
    )
    assert {one.split for one in config.autoscaling} == {(4.0, 2.0, 1.0)}
    assert RunConfig.model_validate_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ([4, 2], "`split` must have a weight per partition (got 2 weights for 3 partitions); set "),
        ([0, 0, 0], "`split` must have a weight above 0 (got none)"),
        ([4, -1, 1], "`split[1]` must be a number between 0 and "),
        ([4, "x", 1], "`split[1]` must be a number between 0 and "),
        ([], "`split` must have a weight above 0 (got none)"),
    ],
)
def test_wrong_weights(split: list[object], message: str) -> None:
    assert refusal(partitions=3, split=split).startswith(message)


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATED)
def test_presets(name: str) -> None:
    config = resolve(name, None, [], [])
    assert config.preset == name
    assert config.experiments == ()
    assert len(config.autoscaling) >= 2
    assert RunConfig.model_validate_json(config.to_json()) == config
    again = RunConfig.model_validate(json.loads(config.to_json(private=False)))
    assert again.fingerprint() == config.fingerprint()


def test_the_preset_has_profiles_splits_sizes_and_protocols() -> None:
    config = resolve("autoscaling", None, [], [])
    assert {e.profile for e in config.autoscaling} == set(PROFILES)
    assert {e.split for e in config.autoscaling} == {"equal", "skew"}
    assert {e.partitions for e in config.autoscaling} == {5, 9, 64}
    assert {e.protocol for e in config.autoscaling} == set(NAMES["protocol"])
    assert {e.arrivals for e in config.autoscaling} == {"uniform", "burst"}
    assert all(e.replicates >= 20 and e.poisson for e in config.autoscaling)


def test_the_papers_need_their_workloads() -> None:
    with pytest.raises(InputError, match="`traces`: ") as caught:
        resolve("autoscaling-papers", None, [], [])
    assert "\n" not in str(caught.value)


def test_two_settings_have_two_fingerprints() -> None:
    prints = {
        resolve("autoscaling-smoke", None, sets, []).fingerprint()
        for sets in ([], ["protocol=cooperative"], ["strategies=linear"], ["seed=7"])
    }
    assert len(prints) == 4
