"""The image has pinned packages, and nothing of this machine."""

from __future__ import annotations

import re

import pytest

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


def test_airflow_loads_the_plugins_of_make_up() -> None:
    assert f"AIRFLOW__CORE__PLUGINS_FOLDER=/opt/groupscale/{PLUGINS} " in DOCKERFILE
    assert list((here().root / PLUGINS).glob("groupscale_*.py"))


def test_it_does_not_run_as_root() -> None:
    assert [line for line in LINES if line.startswith("USER")][-1] == "USER 10001:10001"


def test_images_are_pinned_by_version() -> None:
    assert f"PYTHON_IMAGE={PYTHON_IMAGE}\n" in DOCKERFILE
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


def test_packages_are_installed_by_hash() -> None:
    assert DOCKERFILE.count("--require-hashes") == DOCKERFILE.count(" -r requirements/") >= 1


def test_it_copies_what_exists_and_ignores_the_rest() -> None:
    words = [line.split()[1:-1] for line in LINES if line.startswith("COPY")]
    sources = {source for line in words for source in line}
    assert all((here().root / source).exists() for source in sources)
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == sources
