"""What the code imports is declared in `requirements/`, and not left to what others require."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tools.layout import here

pytestmark = pytest.mark.unit

RUN_TIME = ("algorithms", "dags", "live", "pipeline", "schemas", "tools")
TESTS = ("tests", "conftest.py")
OURS = {*RUN_TIME, "tests", "conftest"}
STUBS = {"_typeshed"}
"""Modules of type checkers alone."""

PARTS = {"apache-airflow": {"apache-airflow-core", "apache-airflow-task-sdk"}}
"""Packages that install no module themselves, with those that they are released as."""

NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*", re.MULTILINE)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(*files: str) -> set[str]:
    folder = here().requirements
    texts = [(folder / file).read_text() for file in files]
    names = {normal(name) for text in texts for name in NAME.findall(text)}
    return names.union(*(PARTS.get(name, ()) for name in names))


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def files_of(place: str) -> list[Path]:
    path = here().root / place
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@cache
def owners() -> dict[str, set[str]]:
    """Packages that install each module."""
    by_module = packages_distributions()
    return {module: {normal(name) for name in names} for module, names in by_module.items()}


def undeclared(places: tuple[str, ...], allowed: set[str]) -> set[tuple[str, str]]:
    """Modules that no declared package installs, each with a file that imports it."""
    wrong = {}
    for file in (file for place in places for file in files_of(place)):
        for name in imports(ast.parse(file.read_text())):
            module = name.partition(".")[0]
            if module in sys.stdlib_module_names or module in OURS | STUBS:
                continue
            if not owners().get(module, set()) & allowed:
                wrong[module] = str(file.relative_to(here().root))
    return set(wrong.items())


@pytest.mark.slow
def test_what_runs_is_declared_for_running() -> None:
    assert undeclared(RUN_TIME, declared("requirements.in")) == set()


@pytest.mark.slow
def test_what_tests_import_is_declared() -> None:
    assert undeclared(TESTS, declared("requirements.in", "dev.in")) == set()


@pytest.mark.slow
def test_an_undeclared_package_is_found() -> None:
    allowed = declared("requirements.in") - {"starlette"}
    assert undeclared(RUN_TIME, allowed) == {("starlette", "pipeline/orchestration/web_origins.py")}
