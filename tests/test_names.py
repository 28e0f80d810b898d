"""Modules have names of their own: what a search or a traceback shows says where one is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pipeline.experiments.family_list import FAMILIES as FAMILY_LIST

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[1]
PACKAGES = ("algorithms", "dags", "live", "pipeline", "schemas", "tools")
OF_FAMILIES = ("family.py", "published.py")
"""Modules that a family of experiments has, and no others beside them."""

FAMILIES = ROOT / "pipeline" / "experiments"
LEAVES = {"live": {"live_settings", "strategy_kinds"}}
"""Modules at the root of a package, outside of its rooms."""


def modules() -> list[Path]:
    return [
        file.relative_to(ROOT)
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        if file.stem not in ("__init__", "__main__")
    ]


def test_no_two_modules_share_a_name() -> None:
    names = Counter(file.stem for file in modules() if file.name not in OF_FAMILIES)
    shared = {name for name, n in names.items() if n > 1}
    assert {str(file) for file in modules() if file.stem in shared} == set()


def test_rooms_hold_the_modules() -> None:
    for package in ("algorithms", "live", "pipeline"):
        roots = {
            file.stem for file in modules() if len(file.parts) == 2 and file.parts[0] == package
        }
        assert roots == LEAVES.get(package, set()), package


def test_a_family_has_no_loose_modules() -> None:
    families = [folder for folder in FAMILIES.iterdir() if (folder / "family.py").exists()]
    assert {folder.name for folder in families} == {family.name for family in FAMILY_LIST}
    for folder in families:
        loose = {file.name for file in folder.glob("*.py")} - {"__init__.py", *OF_FAMILIES}
        assert loose == set(), folder.name
