"""Commands are quiet, and their reasons for failing are one line."""

import subprocess
import sys

import pytest

from tools import console
from tools.console import CommandFailed

pytestmark = pytest.mark.unit

ENV = {"PATH": "/usr/bin:/bin"}


def test_output_is_returned_and_kept(tmp_path):
    log = tmp_path / "logs" / "setup.log"
    assert console.logged(["echo", "one"], ENV, tmp_path, log) == "one\n"
    assert console.logged(["echo", "two"], ENV, tmp_path, log) == "two\n"
    assert log.read_text() == "$ echo one\none\n$ echo two\ntwo\n"


def test_a_failure_names_its_last_telling_line_and_the_log(tmp_path):
    log = tmp_path / "setup.log"
    script = "echo 'error: the disk is on fire' >&2; echo 'see above'; exit 3"
    with pytest.raises(CommandFailed, match=r"^error: the disk is on fire \(log: .*setup\.log\)$"):
        console.logged(["sh", "-c", script], ENV, tmp_path, log)


def test_a_failure_without_words_gives_its_status(tmp_path):
    with pytest.raises(CommandFailed, match="exit status 7"):
        console.logged(["sh", "-c", "exit 7"], ENV, tmp_path, tmp_path / "log")


def test_a_program_that_is_missing_is_a_failure(tmp_path):
    with pytest.raises(CommandFailed, match="No such file"):
        console.logged([str(tmp_path / "missing")], ENV, tmp_path, tmp_path / "log")


def test_a_command_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(console, "LIMIT_SECONDS", 0.2)
    with pytest.raises(CommandFailed, match="not finished after 0 s"):
        console.logged(["sleep", "60"], ENV, tmp_path, tmp_path / "log")


@pytest.mark.parametrize("shell", ["2>/dev/full", "2>&1 | true"])
def test_what_nobody_takes_changes_nothing(shell):
    code = "import time; time.sleep(0.2); from tools.console import say; say('a'); say('b')"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"{sys.executable}" -c "{code}" {shell}'],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
