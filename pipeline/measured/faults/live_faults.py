"""The faults, each with its script and with what must be seen in the evidence afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.live import journal
from pipeline.live.consumer.loop_watchdog import STANDS_STILL
from pipeline.live.strategy_run import Script
from pipeline.measured.evidence import run_folder
from pipeline.measured.evidence.partition_integrity import integrity
from pipeline.measured.evidence.run_folder import Entry, RunFolder
from pipeline.measured.faults import controller_deaths, fault_scripts

DISK_MIB = 256
"""Size of the disk that fills: the logs of a run's first iterations fit on it."""

Check = Callable[[RunFolder, list[Entry]], list[str]]
"""Takes what the run has left and what the script has noted; returns what is wrong."""


@dataclass(frozen=True)
class Fault:
    """A fault of a live run.

    Attributes
    ----------
    name
        Its name on the command line.
    expected
        What must be seen.
    script
        What happens.
    check
        Finds what is wrong, beyond lost records and records processed too often.
    fails
        Words of the message with which the run must fail, where {brokers} stands for the folder of
        the brokers; empty if it must end well.
    disk_mib
        Size of a file system of their own for the brokers, MiB; 0 for none.
    nodes
        Brokers.
    delta
        Volatility of the rates, % of C.
    changes
        Settings of the run that differ from the usual ones.
    """

    name: str
    expected: str
    script: Script
    check: Check = field(default=lambda folder, notes: [])
    fails: str = ""
    disk_mib: int = 0
    nodes: int = 1
    delta: float = 15.0
    changes: Mapping[str, Any] = field(default_factory=dict)


class Seen(NamedTuple):
    """What the evidence of a run with a fault says.

    Attributes
    ----------
    wrong
        What was not as expected, one line each; empty if all was.
    answered_s
        Time until the victim's partitions were started elsewhere, s; None without a victim.
    skipped
        Why the fault cannot be injected here; empty if it was.
    """

    wrong: list[str]
    answered_s: float | None = None
    skipped: str = ""


def seen(fault: Fault, place: Path) -> Seen:
    """Read what a run has left after a fault that must end well."""
    folder = run_folder.read(place)
    notes: list[Entry] = list(journal.entries(place / "script.jsonl"))
    has_victim = any(note["what"] == "fault" and "consumer" in note for note in notes)
    answered_s = answered_after(folder, notes) if has_victim else None
    wrong = [*_integrity(folder), *fault.check(folder, notes)]
    return Seen([*wrong, *(_late_iterations(folder) if wrong else [])], answered_s)


def failed_as_expected(fault: Fault, place: Path, brokers: Path, error: str) -> list[str]:
    """What is wrong with the failure of a run, one line each.

    Parameters
    ----------
    fault
        What had happened to it.
    place, brokers
        Folders of the run and of its brokers.
    error
        Message of the failure.
    """
    wrong = []
    if not fault.fails or fault.fails.format(brokers=brokers) not in error:
        wrong.append(f"the run failed: {error}")
    if (place / run_folder.RUN).exists():
        wrong.append(f"{run_folder.RUN} says that it ended well")
    return wrong


def most_twice(folder: RunFolder) -> int:
    """Records of a partition that may be processed again after a fault.

    They are those since the last progress, and as many as a consumer buffers.
    """
    settings = folder.settings
    return round((settings.progress_s + 1.0) * settings.consumer_rate / settings.record_bytes)


def _integrity(folder: RunFolder) -> list[str]:
    rows = integrity(folder)
    lost = [f"partition {r.partition}: {r.lost} records lost" for r in rows if r.lost]
    limit = most_twice(folder)
    twice = [
        f"partition {r.partition}: {r.twice} records twice, more than {limit}"
        for r in rows
        if r.twice > limit
    ]
    drained = [] if folder.run["drained"] else ["not all records were processed"]
    return [*drained, *lost, *twice]


def _late_iterations(folder: RunFolder) -> list[str]:
    """What may explain that something else took too long."""
    late = [str(k) for k, is_sound in enumerate(folder.is_sound, 1) if not is_sound]
    text = (
        f"the producer was late in iterations {', '.join(late)}: a broker or this machine was busy"
    )
    return [text] if late else []


def answered_after(folder: RunFolder, notes: list[Entry]) -> float | None:
    """Time from the fault until the victim's partitions are all started elsewhere, s.

    None if they never are, or if the victim had no partitions.
    """
    fault_ns = int(_first(notes, "fault")["at_ns"])
    started = [e for e in folder.said("heard") if e["kind"] == "started"]
    owners = {e["partition"]: e["consumer"] for e in started if e["at_ns"] < fault_ns}
    orphans = {p for p, consumer in owners.items() if consumer == fault_scripts.VICTIM}
    after = [e for e in started if e["at_ns"] > fault_ns and e["partition"] in orphans]
    first = {e["partition"]: int(e["at_ns"]) for e in reversed(after)}
    if not orphans or set(first) != orphans:
        return None
    return (max(first.values()) - fault_ns) / 1e9


def _answered_in(seconds: float) -> Check:
    """Check for the time from the fault until the victim's partitions are started again."""

    def check(folder: RunFolder, notes: list[Entry]) -> list[str]:
        took = answered_after(folder, notes)
        if took is None:
            return ["the victim had no partitions, or not all were started again"]
        return [f"answered after {took:.2f} s, not {seconds:g} s"] if took > seconds else []

    return check


def _stopped_consumer(folder: RunFolder, notes: list[Entry]) -> list[str]:
    status = _first(notes, "status")["status"]
    wrong = [] if status == 3 else [f"the woken consumer ended with {status}, not 3"]
    return [*_answered_in(folder.settings.lease_s + 2.0)(folder, notes), *wrong]


def _hanging_consumer(folder: RunFolder, notes: list[Entry]) -> list[str]:
    lease_s, note = folder.settings.lease_s, _first(notes, "status")
    is_ended = note["status"] == STANDS_STILL
    late = [] if note["after_s"] <= lease_s + 1.0 else [f"it ended after {note['after_s']:.1f} s"]
    wrong = [] if is_ended else [f"it ended with {note['status']}, not {STANDS_STILL}"]
    return [*_answered_in(lease_s + 2.0)(folder, notes), *wrong, *late]


def _fenced_controller(folder: RunFolder, notes: list[Entry]) -> list[str]:
    status = _first(notes, "status")["status"]
    return [] if status == 3 else [f"the first controller ended with {status}, not 3"]


def _nothing_decided(folder: RunFolder, notes: list[Entry]) -> list[str]:
    """Check that measurements counted as stale, and that the owners stayed until the end."""
    settings = folder.settings
    stale_ns = _first(notes, "fault")["at_ns"] + 4 * settings.period_s * 1e9
    end_ns = settings.began_ns + settings.iterations * settings.iteration_s * 1e9
    is_stale = any(e["kind"] == "stale" for e in folder.said("fault"))
    decided = [e for e in folder.said("iteration") if stale_ns < e["at_ns"] < end_ns]
    return [
        *([] if is_stale else ["the controller did not notice"]),
        *(f"decided at {e['at_ns']} ns on old measurements" for e in decided),
    ]


def _succeeded_controllers(folder: RunFolder, notes: list[Entry]) -> list[str]:
    deaths = [note for note in notes if note["what"] == "fault"]
    return controller_deaths.wrong_after(folder, deaths, fault_scripts.TAKE_OVER_S)


def resumed_in(seconds: float) -> Check:
    """Check that no partition waits longer for its next record to be processed."""

    def check(folder: RunFolder, notes: list[Entry]) -> list[str]:
        return [
            f"partition {partition}: nothing was processed for {pause_s:.1f} s, not {seconds:g} s"
            for partition, pause_s in pauses(folder).items()
            if pause_s > seconds
        ]

    return check


def pauses(folder: RunFolder) -> dict[int, float]:
    """Longest time between two records that were taken up, s, of each partition with several."""
    records = folder.records
    read_ns = {
        p: records.read_ns[records.partition == p] for p in range(folder.settings.partitions)
    }
    return {
        partition: float(np.diff(np.sort(own)).max()) / 1e9
        for partition, own in read_ns.items()
        if len(own) > 1
    }


def _first(notes: list[Entry], what: str) -> Entry:
    return next(note for note in notes if note["what"] == what)


FAULTS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault(
            "consumer-killed",
            "its partitions are started elsewhere within 2 s",
            fault_scripts.kill_consumer,
            _answered_in(2.0),
        ),
        Fault(
            "consumer-stopped",
            "lost after one lease, its partitions started elsewhere; it ends with status 3 when it "
            "wakes up",
            fault_scripts.stop_consumer,
            _stopped_consumer,
            changes={"lease_s": 3.0},
        ),
        Fault(
            "consumer-hanging",
            "its watchdog ends it with status 4 within a lease, its partitions started elsewhere",
            fault_scripts.hang_consumer,
            _hanging_consumer,
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
            _fenced_controller,
            changes={"lease_s": 3.0},
        ),
        Fault(
            "monitor-killed",
            "the measurements count as stale, and the owners stay",
            fault_scripts.kill_monitor,
            _nothing_decided,
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
            "the run fails after three tries",
            fault_scripts.break_consumer,
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
