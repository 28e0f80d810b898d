"""Processes of a run, without a Pulsar: what is started again, and what ends the run in a line."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from live.pulsar import loop_process, scaled_application
from live.pulsar.scaled_application import MOST_RESTARTS
from live.pulsar.standalone import PulsarFailed

pytestmark = [pytest.mark.unit, pytest.mark.slow]

DYING = """\
import os, sys
with open(sys.argv[1] + "/starts", "a") as starts:
    starts.write("x")
if os.stat(starts.name).st_size < LAST:
    os.kill(os.getpid(), 9)
open(sys.argv[1] + "/ready", "w").close()
THEN
"""


class Pulsar:
    """One that runs until a test says otherwise."""

    reason = ""

    def check(self) -> None:
        if self.reason:
            raise PulsarFailed(self.reason)


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """File of a module in place of the loop's."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(scaled_application, "LOOP", "loop_that_dies")
    return tmp_path / "loop_that_dies.py"


def processes(folder: Path, pulsar: Pulsar) -> scaled_application._Processes:
    return scaled_application._Processes(pulsar, folder)  # type: ignore[arg-type]


def command(process: psutil.Process) -> list[str]:
    """Command line of a process; one that has just ended has none."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_loop_that_is_killed_is_started_again_five_times(tmp_path: Path, loop: Path) -> None:
    loop.write_text(DYING.replace("LAST", str(MOST_RESTARTS + 2)).replace("THEN", ""))
    with (
        processes(tmp_path, Pulsar()) as both,
        pytest.raises(PulsarFailed, match=r"^the loop ended early: exit status -9 \(log: .*\)$"),
    ):
        both.begin()
    assert (tmp_path / "starts").read_text() == "x" * (MOST_RESTARTS + 1)


def test_a_loop_that_fails_is_not_started_again(tmp_path: Path, loop: Path) -> None:
    loop.write_text("import sys\nsys.exit('error: no function a')\n")
    with (
        processes(tmp_path, Pulsar()) as both,
        pytest.raises(PulsarFailed, match=r"^the loop ended early: error: no function a \(log: "),
    ):
        both.begin()


def test_without_a_load_the_run_ends_and_its_loop_too(tmp_path: Path, loop: Path) -> None:
    text = DYING.replace("LAST", "3").replace("THEN", "import time; time.sleep(60)")
    loop.write_text(text)
    with (
        processes(tmp_path, Pulsar()) as both,
        pytest.raises(PulsarFailed, match=r"^the load ended early: FileNotFoundError: "),
    ):
        both.begin()
    assert (tmp_path / loop_process.READY).exists()
    children = psutil.Process().children(recursive=True)
    assert not [child for child in children if "loop_that_dies" in command(child)]


@pytest.mark.parametrize("late", ["load", "loop"])
def test_a_process_that_does_not_end_in_time_is_named(
    late: str, tmp_path: Path, loop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless, begun = "import time; time.sleep(60)", "open(sys.argv[1] + '/began.json', 'w')"
    then = {name: endless if name == late else "" for name in ("load", "loop")}
    loop.write_text(DYING.replace("LAST", "1").replace("THEN", then["loop"]))
    (tmp_path / "short_load.py").write_text(f"import sys\n{begun}\n{then['load']}\n")
    monkeypatch.setattr(scaled_application, "LOAD", "short_load")
    with processes(tmp_path, Pulsar()) as both:
        both.begin()
        ended = both._loop if late == "load" else both._load
        assert ended is not None
        assert ended.status_within(60.0) == 0
        with pytest.raises(PulsarFailed, match=rf"\b{late}\b.*\(log: .*{late}\.log\)$"):
            both.wait(0.0)


def test_a_pulsar_that_has_ended_is_the_reason(tmp_path: Path, loop: Path) -> None:
    loop.write_text("import sys\nsys.exit('error: Pulsar does not answer')\n")
    pulsar = Pulsar()
    pulsar.reason = "Pulsar has ended"
    with (
        processes(tmp_path, pulsar) as both,
        pytest.raises(PulsarFailed, match="Pulsar has ended"),
    ):
        both.begin()
