"""Tools run before any package is installed: they need the standard library alone."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from tests.tools.setup.test_declared_imports import OURS, files_of, imports
from tools.layout import here

pytestmark = pytest.mark.unit

BENCHMARKS = "tools/bench/"
INSIDE = {
    "tools/airflow_plugins/groupscale_pages.py",
    "tools/services/mlflow_access.py",
    "tools/services/mlflow_internals.py",
    "tools/services/mlflow_requests.py",
}
"""What runs inside Airflow or MLflow, and imports their packages."""

IMPORT_ALL = """
import importlib, pkgutil, tools
for module in pkgutil.walk_packages(tools.__path__, "tools."):
    if not module.name.startswith(("tools.bench", "tools.airflow_plugins", "tools.__main__")):
        importlib.import_module(module.name)
        print(module.name)
"""


def test_only_what_runs_inside_airflow_or_mlflow_imports_packages() -> None:
    root, importing = here().root, set()
    for file in files_of("tools"):
        modules = {name.partition(".")[0] for name in imports(ast.parse(file.read_text()))}
        if modules - sys.stdlib_module_names - OURS:
            importing.add(str(file.relative_to(root)))
    assert {name for name in importing if not name.startswith(BENCHMARKS)} == INSIDE


def test_what_tools_import_of_the_pipeline_needs_no_package_either() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", IMPORT_ALL],
        cwd=here().root,
        env={**os.environ, "PYTHONPATH": str(here().root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {"tools.setup.all_steps", "tools.services.mlflow_access"} <= {*done.stdout.split()}
