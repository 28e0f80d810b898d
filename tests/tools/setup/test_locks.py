"""Locks pin everything by hash, name no address, and agree with the requirements."""

import re
import subprocess

import pytest

from tools.layout import here
from tools.setup import requirements_lock

pytestmark = pytest.mark.unit

REQUIREMENTS = here().requirements
PINNED = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", re.MULTILINE)
ASKED = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:==(\S+))?$", re.MULTILINE)


def pinned(name):
    return dict(PINNED.findall((REQUIREMENTS / f"{name}.txt").read_text()))


@pytest.mark.parametrize("name", requirements_lock.NAMES)
def test_every_pin_has_hashes(name):
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert blocks
    assert [b.splitlines()[0] for b in blocks if "--hash=sha256:" not in b] == []


@pytest.mark.parametrize("name", requirements_lock.NAMES)
def test_what_is_asked_for_is_pinned(name):
    locked = pinned(name)
    for package, version in ASKED.findall((REQUIREMENTS / f"{name}.in").read_text()):
        assert package in locked
        assert version in ("", locked[package])


@pytest.mark.parametrize("file", sorted(REQUIREMENTS.iterdir()), ids=lambda file: file.name)
def test_no_address_is_recorded(file):
    assert re.findall(r"https?://|--index-url|--find-links", file.read_text()) == []


def test_tools_follow_the_packages():
    packages, tools = pinned("requirements"), pinned("dev")
    assert {n: v for n, v in tools.items() if packages.get(n, v) != v} == {}


def test_the_package_that_overwrites_pyspark_is_not_there():
    assert "pyspark-client" not in pinned("requirements")


def test_make_help_lists_every_target():
    root = here().root
    makefile = (root / "Makefile").read_text()
    targets = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split()
    command = ["make", "help"]
    shown = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  make (\S+)", shown, re.MULTILINE) == targets
