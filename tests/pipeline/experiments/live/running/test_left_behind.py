"""What dead live runs have left is found and removed, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from live.kafka import topics
from live.login.client_properties import ClientProperties
from live.processes import child_processes
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.live.running import left_behind
from pipeline.warehouse.runs import context, lock, scratch_folders
from tests.live.process_probe import eventually, is_gone

pytestmark = pytest.mark.unit


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A warehouse without tables, and a state folder of its own."""
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path / "state"))
    return Paths(tmp_path / "warehouse")


def begun(here: Paths, run_id: str, owner: str = "", family: str = "live") -> Path:
    """A run of a family that has begun; returns its folder."""
    home = here.state(run_id)
    (home / "live" / "brokers").mkdir(parents=True)
    (home / "live" / "brokers" / "server.properties").write_text("x" * 2**20)
    recorded = {
        "owner": owner or context.this_process(),
        "config": {"live": [], "pulsar": []} | {family: [{}]},
    }
    (home / "run.json").write_text(json.dumps(recorded))
    return home


@pytest.fixture
def process(here: Paths) -> Iterator[subprocess.Popen[bytes]]:
    """A process that works in the folder of run ``dead``."""
    log = here.state("dead") / "live" / "logs" / "broker.log"
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    child = child_processes.start(words, "broker", log).process
    # Until it has become the program asked for, its environment can be empty for a moment.
    assert eventually(lambda: psutil.Process(child.pid).cmdline() == words)
    yield child
    child.kill()
    child.wait()


@pytest.fixture
def reader(here: Paths) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the user that looks at a file in the folder of run ``dead``."""
    file = here.state("dead") / "live" / "brokers" / "server.properties"
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", file]) as child:
        yield child
        child.kill()


def test_a_process_that_only_reads_a_file_of_the_run_goes_on(
    here: Paths, reader: subprocess.Popen[bytes]
) -> None:
    begun(here, "dead")
    (remains,) = left_behind.find(here)
    assert remains.processes == {}
    left_behind.remove(remains)
    assert reader.poll() is None


def test_processes_and_folders_of_a_dead_run_go(
    here: Paths, process: subprocess.Popen[bytes]
) -> None:
    home = begun(here, "dead")
    (remains,) = left_behind.find(here)
    assert remains.name == "dead"
    assert list(remains.processes) == [process.pid]
    assert remains.folder == home / "live"
    assert left_behind.size_of(home / "live") == 2**20
    left_behind.remove(remains)
    assert is_gone(process.pid)
    assert not (home / "live").exists()
    assert (home / "run.json").exists()
    assert left_behind.find(here) == []


def test_a_dead_run_on_pulsar_goes(here: Paths, process: subprocess.Popen[bytes]) -> None:
    home = begun(here, "dead", family="pulsar")
    (remains,) = left_behind.find(here)
    assert (remains.folder, list(remains.processes)) == (home / "live", [process.pid])
    left_behind.remove(remains)
    assert is_gone(process.pid)
    assert left_behind.find(here) == []


@pytest.mark.parametrize("family", ["live", "brokers"])
def test_a_disk_that_a_killed_command_has_left_mounted_goes(here: Paths, family: str) -> None:
    folder = begun(here, "dead", family=family) / "live"
    disk = folder / "brokers" / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "groupscale", disk], check=False).returncode:
        pytest.skip("only root can mount a disk")
    (remains,) = left_behind.find(here)
    left_behind.remove(remains)
    assert not folder.exists()
    assert left_behind.find(here) == []


@pytest.mark.parametrize("owner", ["elsewhere:1", "scheduled__2025-01-01"])
def test_runs_of_other_machines_and_of_airflow_stay(here: Paths, owner: str) -> None:
    begun(here, "theirs", owner)
    assert left_behind.find(here) == []


def test_a_failed_run_of_airflow_goes(here: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(here, "night", "scheduled__2025-01-01")
    monkeypatch.setattr(left_behind, "_statuses", lambda *_: {"night": "failed"})
    assert [each.name for each in left_behind.find(here)] == ["night"]


def test_published_runs_and_runs_of_other_families_stay(
    here: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(here, "good")
    begun(here, "simulated", family="autoscaling")
    monkeypatch.setattr(left_behind, "_statuses", lambda *_: {"good": "published"})
    assert left_behind.find(here) == []


def test_a_run_at_work_stays_even_if_it_begins_after_the_look(here: Paths) -> None:
    home = begun(here, "busy")
    (remains,) = left_behind.find(here)
    lock.claim(home, "busy")
    try:
        assert left_behind.find(here) == []
        with pytest.raises(InputError, match="in use"):
            left_behind.remove(remains)
        assert (home / "live").is_dir()
    finally:
        lock.release(home)


def test_folders_of_commands_that_died_go(here: Paths) -> None:
    with scratch_folders.new("faults-") as folder:
        (folder / "brokers").mkdir()
        assert left_behind.find(here) == []
    # Something went wrong, so the folder has stayed.
    (remains,) = left_behind.find(here)
    assert remains.folder == folder
    left_behind.remove(remains)
    assert not folder.exists()
    with scratch_folders.new("faults-") as empty:
        pass
    assert not empty.exists()


def test_only_topics_of_dead_runs_go(here: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(here, "dead")
    on_cluster = ["dead.1", "dead.12", "dead", "dead.x", "deader.1", "orders", "other.1"]
    login = ClientProperties({"sasl.username": "u"})
    cluster = ("b:9092", login.confluent)
    monkeypatch.setattr(topics, "runs", lambda *address: on_cluster if address == cluster else [])
    deleted: list[tuple[object, ...]] = []
    monkeypatch.setattr(topics, "delete", lambda *names: deleted.append(names))
    (remains,) = left_behind.find(here, "b:9092", login)
    assert remains.topics == ("dead.1", "dead.12")
    left_behind.remove(remains, "b:9092", login)
    assert deleted == [("b:9092", run, login.confluent) for run in ("dead.1", "dead.12")]
