"""The images have pinned packages, and nothing of this machine."""

from __future__ import annotations

import re

import pytest

from pipeline.experiments.autoscaling.recommendation import scaler_workload
from tools.layout import here
from tools.services.service_topology import (
    PLUGINS,
    POSTGRES_IMAGE,
    POSTGRES_SUPPORTED,
    PYTHON_IMAGE,
)

pytestmark = pytest.mark.unit

DOCKER = here().root / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
LINES = DOCKERFILE.splitlines()
EACH = pytest.mark.parametrize("name", ["Dockerfile", "scaler.Dockerfile"])


def text_of(name: str) -> str:
    return (DOCKER / name).read_text()


def test_airflow_loads_the_plugins_of_make_up() -> None:
    assert f"AIRFLOW__CORE__PLUGINS_FOLDER=/opt/groupscale/{PLUGINS} " in DOCKERFILE
    assert list((here().root / PLUGINS).glob("groupscale_*.py"))


@EACH
def test_it_does_not_run_as_root(name: str) -> None:
    lines = text_of(name).splitlines()
    assert [line for line in lines if line.startswith("USER")][-1] == "USER 10001:10001"


@EACH
def test_images_are_pinned_by_version(name: str) -> None:
    assert f"PYTHON_IMAGE={PYTHON_IMAGE}\n" in text_of(name)


def test_the_database_is_pinned_by_version() -> None:
    major = re.search(r":(\d+)\.\d+", POSTGRES_IMAGE)
    assert major is not None
    assert int(major[1]) in POSTGRES_SUPPORTED


def test_it_knows_the_version_of_its_code() -> None:
    number = LINES.index("ARG GROUPSCALE_CODE=")
    assert LINES[number + 1] == "ENV GROUPSCALE_CODE=${GROUPSCALE_CODE}"


def test_packages_of_the_system_have_a_version() -> None:
    """A build fails without them instead of taking others."""
    (names,) = re.findall(r"--no-install-recommends ((?:\\\n|[^&])+)", DOCKERFILE)
    packages = [word for word in names.split() if word != "\\"]
    assert packages
    assert all(re.fullmatch(r"[a-z0-9.+-]+=[0-9][\w.+:~-]*", package) for package in packages)


@EACH
def test_packages_are_installed_by_hash(name: str) -> None:
    text = text_of(name)
    assert text.count("--require-hashes") == text.count(" -r requirements/") >= 1
    assert text.count("pip install") == text.count("--require-hashes") + text.count("--no-deps")


@EACH
def test_it_copies_what_exists_and_ignores_the_rest(name: str) -> None:
    words = [line.split()[1:-1] for line in text_of(name).splitlines() if line.startswith("COPY")]
    sources = {source for line in words for source in line}
    assert all((here().root / source).exists() for source in sources)
    ignored = text_of(f"{name}.dockerignore").splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == sources


def test_the_scaler_has_a_user_and_folders_as_the_pod_expects() -> None:
    text = text_of("scaler.Dockerfile")
    assert f"--uid {scaler_workload.USER} " in text
    folders = re.search(r"install --directory .*? (/.*)", text)
    assert folders is not None
    assert {*folders[1].split(), "/tmp"} == set(scaler_workload.WRITTEN)
