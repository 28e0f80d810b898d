"""The list of faults, what they need, and their messages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.measured.faults.live_faults import FAULTS
from pipeline.measured.faults.small_disks import NoSmallDisk, small_disk
from tests.pipeline.live.process_probe import checkout

pytestmark = pytest.mark.unit

PAGE = Path(__file__).parents[4] / "docs" / "live.md"


def test_the_documentation_lists_every_fault() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name in listed if name in FAULTS] == list(FAULTS)


def test_a_disk_that_cannot_be_mounted_is_a_reason_to_skip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(command: tuple[str, ...], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 32, "", "mount: must be superuser\n")

    monkeypatch.setattr(subprocess, "run", refuse)
    with (
        pytest.raises(NoSmallDisk, match="cannot mount a small disk: mount: must be superuser"),
        small_disk(tmp_path / "brokers", 16),
    ):
        raise AssertionError
    with small_disk(tmp_path / "none", 0):
        assert not (tmp_path / "none").exists()


def test_a_hanging_consumer_lets_other_threads_end_it() -> None:
    code = (
        "import signal, os, threading, time\n"
        "from pipeline.live.consumer.loop_watchdog import LoopWatchdog\n"
        "from pipeline.measured.faults.hanging_consumer import hang\n"
        "signal.signal(signal.SIGUSR1, hang)\n"
        "LoopWatchdog(0.5).start()\n"
        "os.kill(os.getpid(), signal.SIGUSR1)\n"
        "time.sleep(0.1)\n"
        "print('it went on')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=checkout(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (4, "")
