"""A process is found again by number, start and boot; it is stopped with its children alone."""

import dataclasses
import os
import signal
import subprocess
import sys
import time

import pytest

from pipeline.base.process import process_table
from tools.console import SetupError
from tools.services import processes

pytestmark = [pytest.mark.unit, pytest.mark.slow]

ENV = {"PATH": "/usr/bin:/bin"}
# Two children: one in a process group of its own, as Airflow's tasks and Spark's workers are, and
# one that does not want to end.
FAMILY = """
import os, signal, sys, time
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)
open(sys.argv[1], "w").close()
time.sleep(60)
"""


@pytest.fixture
def start(tmp_path):
    """Function that starts a command; what is left of it ends with the test."""
    started = []

    def launch(*command):
        leader = processes.start(command, ENV, tmp_path, tmp_path / "x.log")
        started.append(leader)
        return leader

    yield launch
    for leader in started:
        processes.stop(leader, signal.SIGKILL, alone=False, seconds=5)


def wait_until(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def members(leader):
    return processes.family(leader, process_table.everything())


def test_a_process_is_alive_until_it_ends(start):
    leader = start("sleep", "60")
    assert processes.is_alive(leader)
    os.kill(leader.pid, signal.SIGKILL)
    wait_until(lambda: not processes.is_alive(leader))


def test_it_leads_a_session_and_says_into_a_log(start, tmp_path):
    (tmp_path / "x.log").write_text("of last time")
    leader = start("sh", "-c", "echo hello; exec sleep 60")
    wait_until(lambda: (tmp_path / "x.log").read_text() == "hello\n")
    assert os.getsid(leader.pid) == leader.pid
    assert (tmp_path / "x.log.1").read_text() == "of last time"


def test_stopping_ends_all_descendants(start, tmp_path):
    leader = start(sys.executable, "-c", FAMILY, str(tmp_path / "ready"))
    wait_until(lambda: (tmp_path / "ready").exists() and len(members(leader)) == 3)
    mine = members(leader)
    processes.stop(leader, signal.SIGTERM, alone=False, seconds=0.3)
    seen = process_table.everything()
    assert [p for p in mine if p.pid in seen] == []


def test_children_whose_leader_is_gone_are_found(start, tmp_path):
    leader = start(sys.executable, "-c", FAMILY, str(tmp_path / "ready"))
    wait_until(lambda: (tmp_path / "ready").exists() and len(members(leader)) == 3)
    os.kill(leader.pid, signal.SIGKILL)
    wait_until(lambda: not processes.is_alive(leader))
    assert len(members(leader)) == 2
    elsewhere = dataclasses.replace(leader, folder="/elsewhere")
    assert members(elsewhere) == []
    processes.stop(leader, signal.SIGTERM, alone=False, seconds=0.3)
    assert members(leader) == []


@pytest.mark.parametrize("change", [{"started": 1}, {"boot": "another"}])
def test_another_process_of_the_same_number_is_left_alone(change):
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        mine = process_table.everything()[other.pid]
        leader = processes.Leader(other.pid, mine.started, process_table.boot(), "/")
        assert members(leader) == [mine]
        recycled = dataclasses.replace(leader, **change)
        assert not processes.is_alive(recycled)
        processes.stop(recycled, signal.SIGKILL, alone=False, seconds=1)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_only_the_leader_is_asked_where_it_ends_its_children_itself(start, tmp_path):
    script = (
        f"trap '' TERM; (trap 'touch {tmp_path}/asked' TERM; sleep 60) & touch {tmp_path}/on; wait"
    )
    leader = start("sh", "-c", script)
    wait_until(lambda: (tmp_path / "on").exists() and len(members(leader)) == 3)
    processes.stop(leader, signal.SIGTERM, alone=True, seconds=0.2)
    assert not (tmp_path / "asked").exists()
    assert members(leader) == []


def test_a_program_that_is_missing_is_said(tmp_path):
    with pytest.raises(SetupError, match="cannot start /no/such"):
        processes.start(["/no/such"], ENV, tmp_path, tmp_path / "x.log")
