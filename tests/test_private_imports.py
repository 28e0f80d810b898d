"""Private interfaces of other packages are used in named modules only, each with its versions."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[1]
PACKAGES = ("algorithms", "dags", "live", "pipeline", "schemas", "tools")
NAMED = {
    "pipeline/orchestration/airflow_internals.py": {"airflow.sdk._shared.secrets_masker.redact"},
    "tools/services/mlflow_internals.py": {"mlflow.server.handlers._get_request_message"},
}
"""Imports; `test_internals.py` and `test_compiled.py` are about attributes and options."""

STUBS = "_typeshed"


def imported(tree: ast.AST) -> Iterator[str]:
    """Full names of what a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_private(name: str) -> bool:
    """Whether another package's name, or that of a module it is in, begins with one underscore."""
    parts = name.split(".")
    theirs = parts[0] not in (*PACKAGES, "__future__", STUBS)
    return theirs and any(part.startswith("_") and not part.startswith("__") for part in parts)


@pytest.mark.slow
def test_private_names_are_imported_in_their_places_only() -> None:
    by_file: dict[str, set[str]] = {}
    for file in (file for package in PACKAGES for file in (ROOT / package).rglob("*.py")):
        private = set(filter(is_private, imported(ast.parse(file.read_text()))))
        if private:
            by_file[file.relative_to(ROOT).as_posix()] = private
    assert by_file == NAMED


def foreign_names(tree: ast.AST) -> set[str]:
    """Names that a module imports from other packages than the project and Python itself."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        if node.module.split(".")[0] not in {*PACKAGES, *sys.stdlib_module_names}
        for alias in node.names
    }


def inherited(tree: ast.AST) -> Iterator[str]:
    """Private attributes of `self` that a class with a base of another package does not define."""
    foreign = foreign_names(tree)
    for statement in ast.walk(tree):
        bases = statement.bases if isinstance(statement, ast.ClassDef) else []
        if foreign.isdisjoint(base.id for base in bases if isinstance(base, ast.Name)):
            continue
        nodes = list(ast.walk(statement))
        defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        defined |= {node.id for node in nodes if isinstance(node, ast.Name)}
        attributes = [
            node
            for node in nodes
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if node.value.id == "self" and re.match("_[^_]", node.attr)
        ]
        defined |= {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
        yield from (node.attr for node in attributes if node.attr not in defined)


@pytest.mark.slow
def test_private_methods_of_foreign_bases_are_called_in_their_places_only() -> None:
    by_file = {
        file.relative_to(ROOT).as_posix(): names
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        if (names := set(inherited(ast.parse(file.read_text()))))
    }
    assert by_file == {"pipeline/warehouse/spark/remote_session.py": {"_insecure_channel"}}


def test_each_place_says_the_versions_it_was_tried_on() -> None:
    attributes = [
        "pipeline/warehouse/spark/internals.py",
        *("algorithms/core/compiled.py", "live/groups/client_internals.py"),
    ]
    places = [*NAMED, *attributes]
    assert [name for name in places if "TRIED" not in (ROOT / name).read_text()] == []
