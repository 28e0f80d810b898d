"""Each setting of the product has one default, at one place."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import algorithms
import dags
import live
import pipeline
import schemas
from algorithms.autoscaling.group_defaults import GroupSettings
from algorithms.core.setting import declared
from pipeline.settings.run_config import RunConfig
from pipeline.settings.settings import MODELS

pytestmark = pytest.mark.unit

ROOTS = tuple(
    Path(str(package.__file__)).parent for package in (algorithms, live, pipeline, schemas, dags)
)

OF_FAMILIES = {
    "arrivals": "within a simulated step; within a second of a live run",
    "blind_s": "how long an event lasts; until a scaler that cannot see holds the greatest count",
    "capacity": "100 is the paper's scale; a broker needs real bytes/s",
    "clip": "of generated speeds; the two families generate their streams on their own",
    "decision_s": "of consumer groups; of brokers, as printed in their paper",
    "heartbeat_s": "None: that of the simulated protocol; real members have one",
    "iteration_seconds": "the paper's 30 s would make live runs last for hours",
    "iterations": "each family has its own amount of work",
    "max_poll_records": "0: no batches are simulated; a real poll has a limit",
    "partitions": "each family has its own amount of work",
    "policies": "of applications that are simulated; of applications on Pulsar",
    "reads": "what is read of a blind group; what a stage reads",
    "record_bytes": "printed in a paper on another cluster; written to a broker",
    "records_per_s": "of a simulated system of brokers; written to real ones",
    "replicates": "each family has its own amount of work",
    "replication": "of a simulated system of brokers; of real ones",
    "rewards": "of agents in simulations; of deciders on brokers",
    "session_s": "both are Kafka's default; brokers refuse shorter ones than 6 s",
    "strategies": "of groups that are simulated; of groups on a broker",
    "trace": "None: generated; a family's model says where its recordings go",
    "window_s": "a window of a trace to train on; a mean of measured speeds",
}
"""Settings with one name in several families, and why they are not one."""

OF_CLASSES = {
    "ApplicationSettings": "functions of Pulsar: no consumer group",
    "Asked": "options of a command; None: not set",
    "Bench": "parts: of equal steps that groups without decisions take as one",
    "Change": "factors of what-if questions, not values",
    "ClientProperties": "what a user's file says; empty: it has none",
    "DecidedApplication": "functions of Pulsar: no consumer group",
    "DeployedGroup": "protocol: the generation of Kafka's own groups",
    "Fault": "what a fault needs, over the settings of its run",
    "IdleSettings": "cooldown_s: until the scaler takes a group for idle, not between actions",
    "Judged": "low, high: ends of an interval",
    "KedaGroup": "protocol: the generation of Kafka's own groups",
    "LiveSettings": "its seed: of one run's streams, not of all random numbers of a group",
    "Panel": "parts: of a drawing",
    "Plan": "what a controller or a task does next",
    "Printed": "low, high: ends of an interval",
    "Question": "spread: how days of a recording differ",
    "Recommendation": "recorded: today's group",
    "RunConfig": "its seed: the root from which all others are derived",
    "ScaledApplication": "functions of Pulsar: no consumer group",
    "ScalingExperiment": "poisson: replicates are drawn, while `simulate` takes rates as they are",
    "Strategy": "when it decides, and its assignor, unless the group says so",
    "StrategyLine": "steps: a figure of a terminal's line",
    "Table": "rules: of a contract",
    "Target": "recorded: what a manifest says of its workload",
    "Unit": "a task's δ; None: it has none",
}
"""Classes whose fields have a setting's name and a default, and why they declare none."""

CONSTANTS = {
    "COOLDOWN_S": "KEDA's cooldownPeriod, not the time between a group's actions",
    "INITIAL_REBALANCE_S": "Kafka's own, of groups that may be empty; others have heartbeat_s",
    "STARTUP_S": "measured: a process on this machine, not a pod",
    "STEP_S": "the step of recorded groups that agents learn from",
}
"""Constants that are named like a setting of a group, and why they are no default of it."""


def fields() -> Iterator[tuple[str, str, bool]]:
    """Field with a default, its class, and whether it is declared as a setting."""
    for root in ROOTS:
        for file in sorted(root.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                for line in node.body if isinstance(node, ast.ClassDef) else ():
                    is_field = isinstance(line, ast.AnnAssign) and line.value is not None
                    if is_field and "ClassVar" not in ast.unparse(line.annotation):
                        text = ast.unparse(line.value)
                        yield ast.unparse(line.target), node.name, text.startswith("setting(")


def settings() -> set[str]:
    """Names of settings: those that are declared, and all others of a configuration."""
    models = (RunConfig, *MODELS.values())
    names = {name for model in models for name in model.model_fields}
    return names | {name for name, _, is_setting in fields() if is_setting}


def second() -> dict[str, set[str]]:
    """Classes by setting, where several have a default for it."""
    classes = defaultdict(set)
    names = settings()
    for name, owner, _ in fields():
        if name in names:
            classes[name].add(owner)
    return {name: owners for name, owners in classes.items() if len(owners) > 1}


def test_no_setting_has_a_second_default() -> None:
    wrong = {
        name: owners
        for name, owners in second().items()
        if name not in OF_FAMILIES and len(owners - OF_CLASSES.keys()) > 1
    }
    assert wrong == {}


def test_every_excuse_is_needed() -> None:
    owners = second()
    assert OF_FAMILIES.keys() - owners.keys() == set()
    assert OF_CLASSES.keys() - set().union(*owners.values()) == set()


def test_no_constant_is_a_second_default_of_a_group() -> None:
    names = declared(GroupSettings)
    constants = {
        target.id
        for root in ROOTS
        for file in sorted(root.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Assign) and "DEFAULTS" not in ast.unparse(node.value)
        for target in ast.walk(node.targets[0])
        if isinstance(target, ast.Name) and target.id.endswith("_S")
    }
    assert {name for name in constants if name.lower() in names} == CONSTANTS.keys()
