"""Candidates are written as they are read, and every sweep is one that its strategy accepts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from algorithms.assignment import assignors
from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate, candidate, parse, sweep
from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError
from algorithms.simulation.group_settings import check_settings, group_of

SIZE = (5, 100.0, 0.5)


@pytest.mark.parametrize("name", registry.names())
def test_a_sweep_has_the_defaults_first_and_no_candidate_twice(name: str) -> None:
    tried = sweep(name, *SIZE)
    assert tried[0] == Candidate(name)
    assert len(tried) > 2
    assert len({each.label for each in tried}) == len(tried)
    assert [parse(each.label, *SIZE) for each in tried] == [(each,) for each in tried]


@pytest.mark.parametrize("name", [*COMPARED, "queueing_paths", "kip169"])
def test_every_candidate_of_a_sweep_starts(name: str) -> None:
    strategy = registry.get(name)
    for each in sweep(name, *SIZE):
        settings = check_settings(
            {"mu": 100.0, **each.settings}, 5, strategy.decision_s, strategy.observe
        )
        group = group_of(settings, np.full(5, 20.0))
        assert strategy.start(group, **each.arguments).partitions == 5


@pytest.mark.parametrize("name", ["constant", "headroom", "threshold", "ds2"])
def test_placement_is_swept_as_its_strategy(name: str) -> None:
    placed = [each.parameters for each in sweep(f"{name}+placement", *SIZE)]
    assert placed == [each.parameters for each in sweep(name, *SIZE)]


def test_an_assignor_brings_its_setting() -> None:
    (parsed,) = parse("sticky:initial_replicas=3", *SIZE)
    assert parsed.label == "sticky:initial_replicas=3"
    assert parsed.settings == {"assignor": "sticky", "initial_replicas": 3}
    assert parse("sticky:assignor=sticky", *SIZE)[0].settings == {"assignor": "sticky"}
    words = "assignor must be sticky for the strategy sticky .*'range'"
    with pytest.raises(InvalidParameterError, match=words):
        parse("sticky:assignor=range", *SIZE)


@pytest.mark.parametrize("name", ["optimal", "dqn", "mpc", "queueing_paths", *assignors.names()])
def test_what_is_not_compared_by_default(name: str) -> None:
    assert name not in COMPARED
    assert strategies.get(name).name == name


def test_parameters_are_arguments_or_settings() -> None:
    (parsed,) = parse("headroom:assignor=sticky:h=1.5", *SIZE)
    assert parsed == candidate("headroom", assignor="sticky", h=1.5)
    assert parsed.label == "headroom:h=1.5:assignor=sticky"
    assert (parsed.arguments, parsed.settings) == ({"h": 1.5}, {"assignor": "sticky"})


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("dqn:policies/a-1.json", "dqn:policies/a-1.json"),
        ("dqn:7:assignor=sticky", "dqn:7:assignor=sticky"),
        ("dqn:policy=a.json", "dqn:a.json"),
    ],
)
def test_a_policy_is_written_without_the_name_of_its_argument(text: str, label: str) -> None:
    (parsed,) = parse(text, *SIZE)
    assert parsed.label == label
    assert parsed.arguments["policy"] == label.split(":")[1]
    assert parse(parsed.label, *SIZE) == (parsed,)


@pytest.mark.parametrize(
    "text",
    [
        "dqn:",
        "dqn:a:b",
        "linear:a.json",
        "headroom:",
        "headroom:h",
        "headroom:h=",
        "linear:f_up=1:f_up=1",
    ],
)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(InvalidParameterError, match=re.escape(repr(text))):
        parse(text, *SIZE)


def test_unknown_strategies_are_refused() -> None:
    with pytest.raises(UnknownAlgorithmError, match="sideways"):
        parse("sideways:sweep", *SIZE)


def test_constant_replicas_go_from_one_to_all_partitions() -> None:
    labels = [each.label for each in sweep("constant", 64, 100.0, 0.5)]
    assert labels[0] == "constant"
    assert labels[-1] == "constant:initial_replicas=64"
    assert len(labels) == 8


def test_a_part_of_a_sweep_has_its_ends() -> None:
    whole = sweep("headroom", *SIZE)
    part = parse("headroom:sweep=3", *SIZE)
    assert part == (whole[0], whole[len(whole) // 2], whole[-1])
    assert parse("headroom:sweep=999", *SIZE) == whole


@pytest.mark.parametrize("number", ["0", "1000", "-1", "many", "", "1.5"])
def test_a_part_of_a_sweep_has_a_number(number: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"sweep.*{number!r}"):
        parse(f"headroom:sweep={number}", *SIZE)
