"""Replicas with several members: as hosts show them, and in the files to deploy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.candidates import candidate
from live.scaler import scaler_settings
from pipeline.base.text import yaml_text
from pipeline.experiments.autoscaling.recommendation import (
    manifests,
    prometheus_files,
    scaler_files,
    scaler_place,
    todays_group,
)
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.inputs.traces.recorded_group import NO_MEMBER, RecordedGroup

pytestmark = pytest.mark.unit

SETTINGS = {"mu": 100.0, "min_replicas": 3, "max_replicas": 9, "decision_s": 1.0, "step_s": 1.0}
ONE, TWO = (
    Target("billing", "shop", "b1:9092", "g", "orders", (("orders", 9),), members_per_replica=n)
    for n in (1, 2)
)


def hosts_of(*snapshots: str) -> int | None:
    """Members per replica, of the hosts of the members of each snapshot; `-` is an unknown one."""
    names = [host.replace("-", "") for snapshot in snapshots for host in snapshot.split()]
    most = max(len(snapshot.split()) for snapshot in snapshots)
    owners = np.full((len(snapshots), most), NO_MEMBER)
    first = 0
    for row, snapshot in zip(owners, snapshots, strict=True):
        row[: len(snapshot.split())] = np.arange(first, first + len(snapshot.split()))
        first += len(snapshot.split())
    nothing = np.zeros(owners.shape)
    partitions = tuple(map(str, range(most)))
    members = tuple(map(str, range(len(names))))
    times = np.arange(float(len(snapshots)))
    group = RecordedGroup("g", partitions, times, nothing, nothing, owners, members, tuple(names))
    return todays_group.members_per_replica(group)


@pytest.mark.parametrize(
    ("snapshots", "number"),
    [
        (["a b c"], 1),
        (["a a b b", "a a c c b b", ""], 2),
        # A rolling update, a tenth of the time; longer, and nothing is certain.
        (["a a b b"] * 9 + ["a a b"], 2),
        (["a a b b"] * 8 + ["a a b"] * 2, None),
        (["a a b b", "a b"], None),
        # An address of a NAT, or of one host that all replicas share.
        (["a a a"], None),
        (["- -"], None),
        (["- - a a"], None),
    ],
)
def test_hosts_show_the_members_of_a_replica(snapshots: list[str], number: int | None) -> None:
    assert hosts_of(*snapshots) == number


def scaled(name: str, target: Target, **arguments: Any) -> Any:
    one, settings = candidate(name, **arguments), {**SETTINGS, "decision_s": 15.0}
    if name == "keda_hpa":
        return manifests.scaled_object(one, settings, target)["spec"]
    return scaler_files.scaled_object(one, settings, target, KAFKAS_DEFAULT, 9, 6.2)["spec"]


@pytest.mark.parametrize("name", ["keda_hpa", "keda_http:linear"])
def test_bounds_are_rounded_up_to_whole_replicas(name: str) -> None:
    bounds = [
        (spec["minReplicaCount"], spec["maxReplicaCount"])
        for spec in (scaled(name, ONE), scaled(name, TWO))
    ]
    assert bounds == [(3, 9), (2, 5)]


def test_the_fallback_has_the_peak_of_members() -> None:
    peaks = [scaled("keda_http:linear", each)["fallback"]["replicas"] for each in (ONE, TWO)]
    assert peaks == [7, 4]


def test_a_replica_may_have_the_lag_of_its_members() -> None:
    (trigger,) = scaled("keda_hpa", TWO, threshold=70)["triggers"]
    assert trigger["metadata"]["lagThreshold"] == "140"


def test_constant_replicas_are_enough_for_the_members() -> None:
    found = [manifests.deployment_patch(7, each)["spec"]["replicas"] for each in (ONE, TWO)]
    assert found == [7, 4]


def test_the_scaler_is_told_of_replicas(tmp_path: Path) -> None:
    """It decides on members, of which each serves what one was simulated to serve."""
    config = scaler_files.scaler_config(candidate("keda_http:linear"), SETTINGS, TWO, 5)
    file = tmp_path / scaler_place.CONFIG
    file.write_text(yaml_text.document(config), encoding="utf-8")
    target = scaler_settings.read(file).targets["shop/billing"]
    assert (target.members_per_replica, target.mu) == (2, 200.0)
    assert (target.min_replicas, target.max_replicas) == (2, 5)


def replicas_at(rate: float, target: Target) -> int:
    one = candidate("keda_prometheus", h=1.0)
    settings = {**SETTINGS, "min_replicas": 1}
    made = prometheus_files.scaled_object(one, settings, target, KAFKAS_DEFAULT, [1.0] * 9, 9.0)
    assert made["spec"]["maxReplicaCount"] == (9 if target is ONE else 5)
    formula = made["spec"]["advanced"]["scalingModifiers"]["formula"]
    for bound, count in re.findall(r"m > (\S+) \? (\d+)", formula):
        if rate > float(bound):
            return int(count)
    return int(formula.rpartition(" ")[2])


def test_the_formula_counts_whole_replicas() -> None:
    for rate in np.linspace(0.0, 1000.0, 41):
        members = replicas_at(float(rate), ONE)
        assert replicas_at(float(rate), TWO) == -(-members // 2)
