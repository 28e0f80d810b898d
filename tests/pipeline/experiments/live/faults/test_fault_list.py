"""The list of faults, what they need, and their messages."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from live.kafka.small_disks import NoSmallDisk, small_disk
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.faults import fault_checks, live_faults
from pipeline.experiments.live.faults.live_faults import FAULTS
from tests.live.process_probe import checkout
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.unit


def test_partitions_that_wait_too_long_are_named(tmp_path: Path) -> None:
    """A pause counts at a consumer that stays the same, too."""
    folder = run_folder.read(synthetic_folders.make(tmp_path / "run", "kd_2"))
    records = folder.records
    # From the middle of the run on, everything is 8 s later at one partition.
    later = (records.partition == 1) & (records.due_ns > synthetic_folders.BEGAN_NS + 10**10)
    waited = records._replace(read_ns=records.read_ns + later * 8 * 10**9)
    paused = folder._replace(records=waited)
    assert fault_checks.resumed_in(8.0)(folder, []) == []
    assert fault_checks.resumed_in(10.0)(paused, []) == []
    (line,) = fault_checks.resumed_in(8.0)(paused, [])
    assert line.startswith("partition 1: nothing was processed for 8.")


def test_a_late_producer_is_named_where_something_is_wrong(tmp_path: Path) -> None:
    """It may be why, so it is no excuse, and no fault where all is as expected."""
    place = synthetic_folders.make(tmp_path / "run", late_ms={1: 100.0, 2: 595.0})
    (place / "script.jsonl").write_text('{"what":"fault","at_ns":0}\n')
    fault = dataclasses.replace(FAULTS["broker-killed"], check=lambda folder, notes: [])
    assert live_faults.seen(fault, place).wrong == []
    slow = dataclasses.replace(fault, check=lambda folder, notes: ["it took too long"])
    assert live_faults.seen(slow, place).wrong == [
        "it took too long",
        "the producer was late in iterations 3: a broker or this machine was busy",
    ]


def test_a_run_fails_with_its_reason_and_without_a_report(tmp_path: Path) -> None:
    fault, brokers = FAULTS["producer-killed"], tmp_path / "brokers"
    reason = "the producer has failed: exit status -9 (log: producer.log)"
    assert live_faults.failed_as_expected(fault, tmp_path, brokers, reason) == []
    other = "the producer has not ended; see logs"
    assert live_faults.failed_as_expected(fault, tmp_path, brokers, other) == [
        f"the run failed: {other}"
    ]
    # Faults that a run must survive have no words.
    survived = FAULTS["consumer-killed"]
    assert live_faults.failed_as_expected(survived, tmp_path, brokers, reason)
    (tmp_path / "run.json").touch()
    assert live_faults.failed_as_expected(fault, tmp_path, brokers, reason) == [
        "run.json says that it ended well"
    ]


def test_what_a_failed_run_has_lost_is_found(tmp_path: Path) -> None:
    """It has no reports, and may have been cut off anywhere."""
    place = synthetic_folders.make(tmp_path / "run", "kd_2")
    (place / "script.jsonl").write_text('{"what":"fault","at_ns":0}\n')
    for report in ("run.json", "producer.json"):
        (place / report).unlink()
    fault, reason = FAULTS["producer-killed"], "the producer has failed: exit status -9"
    assert live_faults.seen_in_failure(fault, place, place, reason).wrong == []
    whole = run_folder.read_unfinished(place)
    records = whole.records
    gap = records.at((records.partition != 1) | (records.sequence != 5))
    assert fault_checks.damaged(whole._replace(records=gap)) == ["partition 1: 1 records lost"]
    checked = dataclasses.replace(fault, check=lambda folder, notes: ["it was slow"])
    assert live_faults.seen_in_failure(checked, place, place, reason).wrong == ["it was slow"]
    (place / "controller.jsonl").unlink()
    (line,) = live_faults.seen_in_failure(fault, place, place, reason).wrong
    assert "cannot read what the run has left" in line


def test_a_full_disk_is_named_by_the_folder_of_the_brokers(tmp_path: Path) -> None:
    fault, brokers = FAULTS["disk-full"], tmp_path / "brokers"
    assert not live_faults.failed_as_expected(
        fault, tmp_path, brokers, f"no space left in {brokers}; node 1 has ended"
    )
    assert live_faults.failed_as_expected(fault, tmp_path, brokers, "no space left in /elsewhere")


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


@pytest.mark.slow
def test_a_hanging_consumer_lets_other_threads_end_it() -> None:
    code = (
        "import signal, os, threading, time\n"
        "from live.consumer.loop_watchdog import LoopWatchdog\n"
        "from pipeline.experiments.live.faults.hanging_consumer import hang\n"
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
