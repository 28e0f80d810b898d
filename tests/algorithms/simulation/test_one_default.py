"""Each setting of a group has one default, which `GroupSettings` declares."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import algorithms
import live
import pipeline
from algorithms.simulation.group_settings import DEFAULTS, PAPER_GROUP, check_settings

pytestmark = pytest.mark.unit

ROOTS = tuple(Path(str(package.__file__)).parent for package in (algorithms, live, pipeline))

EXCUSED = {
    ("autoscaling/group_defaults.py", "GroupSettings"): "the one declaration",
    ("simulation/application_settings.py", "Settings"): "functions of Pulsar: no consumer group",
    ("simulation/broker_group.py", "STARTUP_S"): "measured: a process on this machine, not a pod",
    ("autoscaling/scaled_group.py", "Group"): "what a strategy sees outside of a simulation",
    ("settings/scaling_experiment.py", "ScalingExperiment"): "poisson: replicates are drawn",
    (
        "settings/group_recordings.py",
        "STEP_S",
    ): "the step of recorded groups that agents learn from",
    ("live_settings.py", "LiveSettings"): "the seed of a live run's streams",
    ("recommendation/changes.py", "Change"): "mu: a factor on the rate, not a rate",
}
"""Other declarations, and why they are none of the same thing."""


def literals() -> Iterator[tuple[str, str, str]]:
    """File, class or constant, and setting, wherever one has a literal default."""
    for root in ROOTS:
        for file in sorted(root.rglob("*.py")):
            name = file.relative_to(root).as_posix()
            for line in ast.walk(ast.parse(file.read_text())):
                yield from ((name, *each) for each in (*_fields(line), *_times(line)))


def _fields(node: ast.AST) -> Iterator[tuple[str, str]]:
    for line in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            is_literal = isinstance(line.value, ast.Constant) and line.value.value is not None
            if line.target.id in DEFAULTS and is_literal:
                yield node.name, line.target.id


def _times(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Constants that are named like a setting, and not derived from its default."""
    if not isinstance(node, ast.Assign) or "DEFAULTS" in ast.unparse(node.value):
        return
    for target in ast.walk(node.targets[0]):
        name = target.id if isinstance(target, ast.Name) else ""
        if name.endswith("_S") and name.lower() in DEFAULTS:
            yield name, name.lower()


def test_no_setting_has_a_second_default() -> None:
    found = set(literals())
    declared = {name for name, value in DEFAULTS.items() if value is not None}
    assert {name for _, _, name in found} >= declared
    second = {
        each
        for each in found
        if not any(each[0].endswith(file) and each[1] == where for file, where in EXCUSED)
    }
    assert second == set()


def test_every_excuse_is_needed() -> None:
    found = {(file, where) for file, where, _ in literals()}
    assert [
        key for key in EXCUSED if not any(f.endswith(key[0]) and w == key[1] for f, w in found)
    ] == []


def test_the_defaults_are_those_of_kafka_and_of_a_pod() -> None:
    assert {name: DEFAULTS[name] for name in (*PAPER_GROUP, "session_s", "assignor")} == {
        "startup_s": 10.0,
        "heartbeat_s": 3.0,
        "rebalance_s": 0.1,
        "second_heartbeat_s": None,
        "max_poll_records": 500,
        "commit_s": 5.0,
        "session_s": 45.0,
        "assignor": "range",
    }


@pytest.mark.parametrize(("protocol", "seconds"), [("eager", 3.0), ("incremental", 5.0)])
def test_the_heartbeat_follows_from_the_protocol(protocol: str, seconds: float) -> None:
    found = check_settings({"protocol": protocol}, 4, 1.0, None)
    assert (found.heartbeat_s, found.next_heartbeat_s) == (seconds, seconds)
    given = check_settings({"protocol": protocol, "heartbeat_s": 1.0}, 4, 1.0, None)
    assert (given.heartbeat_s, given.next_heartbeat_s) == (1.0, 1.0)
    second = check_settings({"protocol": protocol, "second_heartbeat_s": 0.0}, 4, 1.0, None)
    assert (second.heartbeat_s, second.next_heartbeat_s) == (seconds, 0.0)
