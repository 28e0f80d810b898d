"""The page about the command line is current."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tools.layout import here

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def test_the_page_is_current() -> None:
    words = ("pipeline.cli.app", "utils", "docs", "--name", "groupscale")
    command = [sys.executable, "-m", "typer", *words]
    made = subprocess.run(
        command, cwd=here().root, capture_output=True, text=True, check=True
    ).stdout
    page = (here().root / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert made.strip() == page.strip(), "the page is older than the commands; run: make docs"
    assert not re.search(r"^\* .*\.\.\.$", page, re.MULTILINE), "what a command does is cut off"
