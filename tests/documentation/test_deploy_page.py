"""The guide to deployment names files, objects, ports and options that are written."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pipeline.experiments.autoscaling.recommendation import (
    cluster_versions,
    recommended_files,
    scaler_files,
    scaler_place,
    scaler_tls,
    scaler_workload,
)
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from tests import guides
from tools.layout import here

pytestmark = pytest.mark.unit

PAGE = (here().root / "docs/deploy.md").read_text(encoding="utf-8")
EXAMPLES = "\n".join(each.code for each in guides.examples() if each.page == "docs/deploy.md")
READER = Target("reader", "shop")
OWN = {"old.yaml"}
"""Copies of the reader's own."""

WITH_OBJECT = {"apply", "annotate", "create", "delete", "describe", "get", "logs", "port-forward"}
BARE = {"kustomize", "rollout"}


def scaler() -> tuple[Any, Any]:
    """Deployment of the scaler, and its container."""
    deployment, *_ = scaler_workload.scaler_objects(READER)
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return deployment, container


def test_files_are_written() -> None:
    named = set(re.findall(r"[\w-]+\.yaml|consumer\.properties", PAGE))
    assert scaler_files.OBJECTS in named
    assert named - OWN <= set(recommended_files.NAMES)


def test_objects_are_in_the_files() -> None:
    deployment, container = scaler()
    assert set(re.findall(r"deployment/([\w-]+)", EXAMPLES)) == {deployment["metadata"]["name"]}
    (made,) = scaler_files.kustomization(READER)["configMapGenerator"]
    assert set(re.findall(r"configmap (?:--namespace shop )?([\w-]+)", PAGE)) == {made["name"]}
    (port,) = re.findall(r"port-forward .* (\d+)\n", EXAMPLES)
    assert int(port) in {each["containerPort"] for each in container["ports"]}
    assert f"localhost:{port}/v1/shop/reader" in PAGE
    assert f"/{container['image']} " in EXAMPLES
    assert (here().root / "docker/Dockerfile").is_file()


def test_secrets_are_those_that_the_files_name() -> None:
    own, kedas = scaler_tls.own_secret(READER), scaler_tls.keda_secret(READER)
    made = dict(re.findall(r"secret generic ([\w-]+-tls) [^\n]*\n +(.*)", PAGE))
    assert made.keys() == {own, kedas}
    keys = [scaler_tls.CERT, scaler_tls.KEY, scaler_tls.CA]
    for files in made.values():
        assert re.findall(r"--from-file ([\w.]+)", files) == keys
    assert scaler_place.host(READER) in PAGE


def test_kubectl_is_told_the_namespace() -> None:
    lines = re.findall(r"^ *kubectl (.+)$", PAGE, re.MULTILINE)
    verbs = {line.split()[0] for line in lines}
    assert verbs == WITH_OBJECT | BARE
    for line in lines:
        assert line == "kustomize ." or "--namespace shop" in line


def test_versions_are_those_of_the_code() -> None:
    least = (cluster_versions.OLDEST_KEDA, cluster_versions.EXTERNAL_KEDA)
    needed = re.findall(r"[A-Z]\w+ [\d.]+", cluster_versions.TOLERANCE_NEEDS)
    assert len(needed) == 2
    words = " ".join(PAGE.split())
    for each in (*(f"KEDA {cluster_versions.text(version)}" for version in least), *needed):
        assert each in words
