"""The faults, each with its script and with what must be seen in the evidence afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from live.records import journal
from live.runs.strategy_run import Script
from pipeline.base.errors import StageError
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder
from pipeline.experiments.live.faults import (
    consumer_checks,
    controller_deaths,
    fault_checks,
    fault_scripts,
    fenced_controllers,
)
from pipeline.experiments.live.faults.fault_checks import Check, answered_in, resumed_in

DISK_MIB = 256
"""Size of the disk that fills: the logs of a run's first iterations fit on it."""


@dataclass(frozen=True)
class Fault:
    """A fault of a live run."""

    name: str
    """Its name on the command line."""
    expected: str
    """What must be seen."""
    script: Script
    """What happens."""
    check: Check = field(default=lambda folder, notes: [])
    """Finds what is wrong, beyond lost records and records processed too often."""
    fails: str = ""
    """Words of the message with which the run must fail, where {brokers} stands for the folder of
    the brokers; empty if it must end well."""
    disk_mib: int = 0
    """Size of a file system of their own for the brokers, MiB; 0 for none."""
    nodes: int = 1
    """Brokers."""
    delta: float = 15.0
    """Volatility of the rates, % of C."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the run that differ from the usual ones."""


class Seen(NamedTuple):
    """What the evidence of a run with a fault says."""

    wrong: list[str]
    """What was not as expected, one line each; empty if all was."""
    answered_s: float | None = None
    """Time until the victim's partitions were started elsewhere, s; None without a victim."""
    skipped: str = ""
    """Why the fault cannot be injected here; empty if it was."""


def seen(fault: Fault, place: Path) -> Seen:
    """Read what a run has left after a fault that must end well."""
    folder, notes = run_folder.read(place), _notes(place)
    has_victim = any(note["what"] == "fault" and "consumer" in note for note in notes)
    answered_s = fault_checks.answered_after(folder, notes) if has_victim else None
    drained = [] if folder.run["drained"] else ["not all records were processed"]
    wrong = [*drained, *fault_checks.damaged(folder), *fault.check(folder, notes)]
    return Seen([*wrong, *(fault_checks.late_iterations(folder) if wrong else [])], answered_s)


def seen_in_failure(fault: Fault, place: Path, brokers: Path, error: str) -> Seen:
    """Read what a failed run has left in its folder and in that of its brokers."""
    wrong = failed_as_expected(fault, place, brokers, error)
    try:
        folder = run_folder.read_unfinished(place)
    except StageError as damage:
        return Seen([*wrong, str(damage)])
    if not fault.fails:
        return Seen(wrong)
    return Seen([*wrong, *fault_checks.damaged(folder), *fault.check(folder, _notes(place))])


def failed_as_expected(fault: Fault, place: Path, brokers: Path, error: str) -> list[str]:
    """What is wrong with the failure of a run, one line each; see `seen_in_failure`."""
    wrong = []
    if not fault.fails or fault.fails.format(brokers=brokers) not in error:
        wrong.append(f"the run failed: {error}")
    if (place / run_folder.RUN).exists():
        wrong.append(f"{run_folder.RUN} says that it ended well")
    return wrong


def _notes(place: Path) -> list[Entry]:
    return list(journal.entries(place / "script.jsonl"))


def _succeeded_controllers(folder: RunFolder, notes: list[Entry]) -> list[str]:
    deaths = [note for note in notes if note["what"] == "fault"]
    return controller_deaths.wrong_after(folder, deaths, fault_scripts.TAKE_OVER_S)


FAULTS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault(
            "consumer-killed",
            "its partitions are started elsewhere within 2 s",
            fault_scripts.kill_consumer,
            answered_in(consumer_checks.ANSWER_S),
        ),
        Fault(
            "consumer-stopped",
            "lost after one lease, its partitions started elsewhere; its progress is refused when "
            "it wakes up, and it ends with status 3",
            fault_scripts.stop_consumer,
            consumer_checks.stopped,
            changes={"lease_s": 3.0},
        ),
        Fault(
            "consumer-hanging",
            "its watchdog ends it with status 4 within a lease, its partitions started elsewhere",
            fault_scripts.hang_consumer,
            consumer_checks.hanging,
            changes={"lease_s": 3.0},
        ),
        Fault(
            "controller-killed",
            "in every state: consumers go on; the successor completes a plan within 5 s",
            fault_scripts.kill_controller,
            _succeeded_controllers,
            # Consumers begin and end often.
            delta=50.0,
            changes={"iterations": 20},
        ),
        Fault(
            "two-controllers",
            "the older one ends with status 3 and commands nothing any more",
            fault_scripts.second_controller,
            fenced_controllers.fenced,
            changes={"lease_s": 3.0},
        ),
        Fault(
            "monitor-killed",
            "the measurements count as stale, and the owners stay",
            fault_scripts.kill_monitor,
            fault_checks.nothing_decided,
            changes={"speeds": "measured", "decide_s": 3.0},
        ),
        Fault(
            "broker-restarted",
            "all go on by themselves within 60 s",
            fault_scripts.restart_broker,
            resumed_in(60.0),
        ),
        Fault(
            "broker-killed",
            "all go on by themselves within 60 s",
            fault_scripts.kill_broker,
            resumed_in(60.0),
        ),
        Fault(
            "node-killed",
            "all go on by themselves within 30 s",
            fault_scripts.kill_node,
            resumed_in(30.0),
            nodes=3,
        ),
        Fault(
            "consumer-broken",
            "its moves wait, others proceed; the run fails after three tries",
            fault_scripts.break_consumer,
            consumer_checks.broken,
            fails="does not start",
        ),
        Fault(
            "disk-full",
            "the run fails, and the message names the folder",
            fault_scripts.fill_disk,
            fails="no space left in {brokers}",
            disk_mib=DISK_MIB,
        ),
        Fault(
            "producer-killed",
            "the run fails, and nothing of it counts as measured",
            fault_scripts.kill_producer,
            fails="the producer has failed: exit status -9",
        ),
    )
}
"""All faults by name."""
