"""Modules have names of their own: what a search or a traceback shows says where one is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[1]
PACKAGES = ("algorithms", "dags", "pipeline", "schemas", "tools")
LEAVES = 6
"""Modules at the root of `pipeline`, at most."""


def modules() -> list[Path]:
    return [
        file.relative_to(ROOT)
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        if file.stem not in ("__init__", "__main__")
    ]


def test_no_two_modules_share_a_name() -> None:
    shared = {name for name, n in Counter(file.stem for file in modules()).items() if n > 1}
    assert {str(file) for file in modules() if file.stem in shared} == set()


def test_rooms_hold_the_modules() -> None:
    roots = [file for file in modules() if len(file.parts) == 2]
    assert [file for file in roots if file.parts[0] == "algorithms"] == []
    assert len([file for file in roots if file.parts[0] == "pipeline"]) <= LEAVES
