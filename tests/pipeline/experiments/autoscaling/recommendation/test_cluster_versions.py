"""Versions of the cluster decide what is written, simulated and refused."""

from __future__ import annotations

from typing import Any

import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import (
    cluster_versions,
    obstacles,
    simulation_plan,
)
from pipeline.experiments.autoscaling.recommendation.cluster_versions import Cluster
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked, waves

pytestmark = pytest.mark.unit

NEW, OLD = Cluster((1, 35), (2, 18)), cluster_versions.DEFAULT
SETTINGS: dict[str, Any] = {"decision_s": 1.0}


def one(text: str) -> Candidate:
    (found,) = candidates.parse(text, 4, 200.0, 5.0)
    return found


@pytest.mark.parametrize(
    ("kubernetes", "keda", "has"),
    [
        ("1.33", "2.20", False),
        ("1.35", "2.17", False),
        ("1.34.9", "2.18", False),
        ("v1.35.1+k3s1", "2.18.0", True),
        ("2.0", "3.0", True),
    ],
)
def test_tolerances_need_both(kubernetes: str, keda: str, has: bool) -> None:
    assert cluster_versions.of_options(kubernetes, keda, "keda").has_tolerance == has


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("1.22", "2.20", "keda"), "`--kubernetes` must be at least 1.23, "),
        (("1.33", "2.16.1", "keda"), "`--keda` must be at least 2.17, .*fallback.behavior"),
        (("1.33", "2", "keda"), "`--keda` must be a version, such as 2.20 "),
        (("latest", "2.20", "keda"), "`--kubernetes` must be a version, such as 1.33 "),
        (("1.33", "2.20", "a.b"), "`--keda-namespace` must be lowercase letters"),
    ],
)
def test_what_is_refused(options: tuple[str, str, str], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        cluster_versions.of_options(*options)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("cluster", [NEW, OLD])
def test_records_say_what_was_simulated(cluster: Cluster) -> None:
    record = cluster_versions.recorded(cluster)
    assert cluster_versions.of_record({"mu": 1.0, **record}) == cluster
    assert cluster_versions.of_record({"mu": 1.0}) == OLD


def planned(cluster: Cluster, *texts: str) -> list[str]:
    question = asked(candidates=tuple(map(one, texts)), target=Target(cluster=cluster))
    plan = simulation_plan.plan(waves(), 1.0, question)
    return list(dict.fromkeys(run.candidate.label for run in plan.eligible))


def test_what_is_written_is_simulated() -> None:
    named = ("keda_http:headroom", "keda_http:headroom:tolerance_up=0.05", "keda_hpa", "headroom")
    assert planned(OLD, *named) == list(named)
    assert planned(NEW, *named) == [
        "keda_http:headroom:tolerance_up=0:tolerance_down=0",
        "keda_http:headroom:tolerance_up=0.05:tolerance_down=0",
        "keda_hpa",
        "headroom",
    ]


@pytest.mark.parametrize(
    ("text", "cluster", "needed"),
    [
        ("keda_http:headroom", OLD, None),
        ("keda_http:headroom:tolerance_up=0", OLD, "Kubernetes 1.35 and KEDA 2.18"),
        ("keda_http:headroom:tolerance_up=0", NEW, None),
        ("keda_external:headroom", OLD, None),
        ("keda_external:headroom", NEW, "needs KEDA 2.20"),
    ],
)
def test_what_a_cluster_lacks(text: str, cluster: Cluster, needed: str | None) -> None:
    found = obstacles.obstacle(one(text), SETTINGS, Target(cluster=cluster))
    assert found is None if needed is None else found is not None and needed in found


@pytest.mark.parametrize("text", ["keda_http:headroom", "keda_hpa:threshold=100"])
def test_names_that_keda_refuses(text: str) -> None:
    settings = {"decision_s": 1.0 if "http" in text else 15.0}
    assert obstacles.obstacle(one(text), settings, Target("b" * 54)) is None
    found = obstacles.obstacle(one(text), settings, Target("b" * 55))
    assert found is not None
    assert "at most 54 characters (got 55)" in found
    assert obstacles.obstacle(one("constant"), settings, Target("b" * 55)) is None
