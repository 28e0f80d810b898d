"""README shows the answer that ``make demo`` prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests import guides
from tests.pipeline.cli.command import call
from tools.layout import here

pytestmark = pytest.mark.long


def test_the_answer_of_the_demo(tmp_path: Path) -> None:
    makefile = (here().root / "Makefile").read_text().replace("\\\n", "")
    match = re.search(r"groupscale (recommend build/demo\.txt .*)", makefile)
    assert match is not None
    words = [word.replace("build", str(tmp_path)) for word in shlex.split(match[1])]
    assert call("demo-data", "-o", tmp_path / "demo.txt").exit_code == 0
    result = call(*words)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "demo" / "recommendation.html").is_file()
    printed = " ".join(result.stdout.split())
    shown = guides.block("README.md", "Deploy keda_hpa")
    for sentence in re.split(r"(?<=\.)\n", shown.strip()):
        assert " ".join(sentence.split()) in printed
