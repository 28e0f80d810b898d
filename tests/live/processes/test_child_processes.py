"""Children end with their parent, in order or not; none is left, none becomes a zombie."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from live.processes import child_processes
from live.processes.child_processes import Child
from pipeline.base.errors import StageError
from tests.live.process_probe import checkout, content, eventually, is_gone

pytestmark = [pytest.mark.unit, pytest.mark.slow]

# Starts children as the first argument says, writes their ids, and goes on.
PARENT = """\
import sys, threading, time
from pathlib import Path
from live.processes import child_processes
folder, number = Path(sys.argv[1]), int(sys.argv[2])
def begin():
    for n in range(number):
        child = child_processes.start(["sleep", "600"], f"child {n}", folder / f"{n}.log")
        (folder / f"{n}.pid.new").write_text(str(child.pid))
        (folder / f"{n}.pid.new").rename(folder / f"{n}.pid")
thread = threading.Thread(target=begin)
thread.start()
thread.join()
if "die" in sys.argv:
    raise SystemExit(1)
time.sleep(600)
"""


@pytest.fixture
def started() -> Iterator[list[Child]]:
    """Children to kill at the end of a test, whatever happens."""
    children: list[Child] = []
    yield children
    child_processes.kill(children)


def shell(script: str, folder: Path, name: str = "shell") -> Child:
    return child_processes.start(["sh", "-c", script], name, folder / "logs" / f"{name}.log")


def test_output_is_appended_to_the_log(tmp_path: Path) -> None:
    for word in ("one", "two"):
        child = shell(f"echo {word}; echo {word} >&2", tmp_path)
        assert child.process.wait(10) == 0
    assert child.log.read_text() == "one\none\ntwo\ntwo\n"


def test_a_child_leads_a_session_and_reads_nothing(tmp_path: Path, started: list[Child]) -> None:
    started.append(shell("cat; echo end; exec sleep 600", tmp_path))
    assert eventually(lambda: content(started[0].log) == "end\n")
    assert os.getsid(started[0].pid) == os.getpgid(started[0].pid) == started[0].pid


def test_who_has_ended_is_named_with_status(tmp_path: Path, started: list[Child]) -> None:
    started += [shell("exit 3", tmp_path, "three"), shell("exec sleep 600", tmp_path, "sleeper")]
    assert eventually(lambda: child_processes.died(started) == {"three": 3})
    started[1].send(signal.SIGKILL)
    assert eventually(lambda: child_processes.died(started) == {"three": 3, "sleeper": -9})
    started[1].send(signal.SIGTERM)  # of no use, and no error


def test_why_a_child_has_ended(tmp_path: Path) -> None:
    child = shell("echo starting; echo 'ERROR: disk on fire'; echo bye; exit 3", tmp_path)
    child.process.wait(10)
    assert child.why() == f"ERROR: disk on fire (log: {child.log})"
    silent = shell("exit 3", tmp_path, "silent")
    silent.process.wait(10)
    assert silent.why() == f"exit status 3 (log: {silent.log})"
    silent.log.unlink()
    assert silent.why() == f"exit status 3 (log: {silent.log})"


def test_only_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("error: old\n" + "x" * 80 + "\n" * child_processes.TAIL_BYTES + "the end\n")
    assert child_processes.last_cause(log) == "the end"


def test_a_missing_program_is_said_in_the_log(tmp_path: Path) -> None:
    child = child_processes.start([tmp_path / "missing"], "missing", tmp_path / "log")
    assert child.process.wait(10) == 1
    assert child.why().startswith(f"error: cannot start {tmp_path}/missing: No such file or dir")


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "logs").touch()
    with pytest.raises(StageError, match=r"cannot start shell: .*logs"):
        shell("exit 0", tmp_path)


def test_modules_are_found_as_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "only_here.py").write_text("import sys, pytest; print(*sys.argv[1:])\n")
    monkeypatch.syspath_prepend(tmp_path)
    child = child_processes.start_module("only_here", ["1", Path("b")], "module", tmp_path / "log")
    assert (child.process.wait(20), child.log.read_text()) == (0, "1 b\n")


def test_descriptors_are_inherited_by_number(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    code = "import os, sys; os.write(int(sys.argv[1]), b'here')"
    command = [sys.executable, "-c", code, str(writing)]
    child = child_processes.start(command, "writer", tmp_path / "log", descriptors=[writing])
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"here"
    assert child.process.wait(10) == 0


def test_all_get_the_time_that_each_needs(tmp_path: Path, started: list[Child]) -> None:
    """The grace is for all together, and none waits for another one."""
    polite = "trap 'sleep 0.3; exit 5' TERM; echo ready; while :; do sleep 0.02; done"
    started += [shell(polite, tmp_path, f"polite {n}") for n in range(3)]
    deaf = "trap '' TERM; echo ready; while :; do sleep 0.02; done"
    started += [shell(deaf, tmp_path, f"deaf {n}") for n in range(2)]
    assert eventually(lambda: all(content(child.log) for child in started))
    began = time.monotonic()
    statuses = child_processes.stop(started, 2.0)
    assert time.monotonic() - began < 4.0
    assert statuses == {**{f"polite {n}": 5 for n in range(3)}, "deaf 0": -9, "deaf 1": -9}
    assert not any(psutil.pid_exists(child.pid) for child in started)


def test_stopped_processes_and_helpers_are_killed(tmp_path: Path, started: list[Child]) -> None:
    started.append(shell("sleep 600 & echo $!; kill -STOP $$", tmp_path))
    process = psutil.Process(started[0].pid)
    assert eventually(lambda: process.status() == psutil.STATUS_STOPPED)
    helper = int(started[0].log.read_text())
    assert child_processes.stop(started, 0.1) == {"shell": -9}
    assert eventually(lambda: is_gone(helper))


def test_stopping_again_returns_the_same(tmp_path: Path, started: list[Child]) -> None:
    started.append(shell("exec sleep 600", tmp_path))
    assert (
        child_processes.stop(started, 5.0) == child_processes.stop(started, 5.0) == {"shell": -15}
    )
    assert child_processes.stop([], 5.0) == {}


def test_children_outlive_the_thread_that_asked_for_them(
    tmp_path: Path, started: list[Child]
) -> None:
    thread = threading.Thread(target=lambda: started.append(shell("exec sleep 600", tmp_path)))
    thread.start()
    thread.join()
    time.sleep(0.3)
    assert child_processes.died(started) == {}


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, None])
def test_children_end_with_their_parent(tmp_path: Path, end: signal.Signals | None) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path), "4", *([] if end else ["die"])]
    with subprocess.Popen(command, env=checkout()) as parent:
        assert eventually(lambda: len(list(tmp_path.glob("*.pid"))) == 4)
        if end is not None:
            parent.send_signal(end)
        parent.wait(10)
    pids = [int(file.read_text()) for file in tmp_path.glob("*.pid")]
    assert eventually(lambda: all(map(is_gone, pids)), 5.0)


def test_a_parent_that_dies_while_it_starts_children_leaves_none(tmp_path: Path) -> None:
    """Whichever moment the parent dies in, none of its children goes on."""
    mark = f"60{os.getpid()}"
    script = PARENT.replace('"600"', f'"{mark}"')
    for delay in (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05):
        folder = tmp_path / str(delay)
        folder.mkdir()
        command = [sys.executable, "-c", script, str(folder), "50"]
        with subprocess.Popen(command, env=checkout()) as parent:
            assert eventually(lambda place=folder: any(place.iterdir()))  # type: ignore[misc]
            time.sleep(delay)
            parent.kill()
    assert eventually(lambda: not any(mark in line for line in _command_lines()), 5.0)


def _command_lines() -> list[str]:
    return [" ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])]


def test_elsewhere_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(Exception, match="require Linux"):
        shell("exit 0", tmp_path)
