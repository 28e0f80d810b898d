"""Airflow's commands under the environment of the repository."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.cli.commands import airflow_command
from tests.pipeline.cli.command import call

pytestmark = pytest.mark.unit


def test_all_words_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: calls.append(words))
    assert call("airflow", "dags", "list", "--output", "json", "-h").exit_code == 0
    (words,) = calls
    assert words[0] == sys.executable
    assert words[words.index("exec") :] == [
        *("exec", "airflow", "dags", "list", "--output", "json", "-h")
    ]


def test_an_installation_without_services_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = SimpleNamespace(__file__=str(tmp_path / "pipeline" / "__init__.py"))
    monkeypatch.setattr(airflow_command, "pipeline", package)
    result = call("airflow", "version")
    assert result.exit_code == 2
    assert "no checkout" in result.output
