"""Standard output that goes away: what is lost, and how a command ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pipeline.base.process import output

pytestmark = [pytest.mark.unit, pytest.mark.slow]


@pytest.fixture
def full() -> Iterator[int]:
    number = os.open("/dev/full", os.O_WRONLY)
    yield number
    os.close(number)


def test_what_cannot_be_written_is_dropped(full: int) -> None:
    stream = output.lenient(full)
    for _ in range(3):
        assert stream.write("line\n") == 5
        stream.flush()
    stream.close()


def test_what_can_be_written_is(tmp_path: Path) -> None:
    file = tmp_path / "out"
    number = os.open(file, os.O_WRONLY | os.O_CREAT)
    with output.lenient(number) as stream:
        stream.write("grün\n" * 10_000)
    os.close(number)
    assert file.read_text() == "grün\n" * 10_000


CLI = "from pipeline.cli.app import main; main()"


def ended(shell: str, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """How the command ends with its output redirected by a shell."""
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; "$@" {shell}', "-", sys.executable, "-c", CLI, *words],
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("shell", "status"),
    [("| true", 0), ("| head -1", 0), (">/dev/full", 1), (">&-", 0), (">&- 2>&- <&-", 0)],
)
def test_an_answer_that_nobody_takes(shell: str, status: int) -> None:
    done = ended(shell, ["algorithms"])
    assert done.returncode == status, done.stderr
    assert ("standard output (No space left on device)" in done.stderr) == (status == 1)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_help_page_that_nobody_reads() -> None:
    done = ended(">/dev/full", ["--help"])
    assert (done.returncode, done.stderr) == (0, "")
