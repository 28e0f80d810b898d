"""What must be seen after a consumer was stopped, hung, or did not start any more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from live.consumer.loop_watchdog import STANDS_STILL
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder
from pipeline.experiments.live.faults.fault_checks import answered_in, first
from pipeline.experiments.live.faults.fault_scripts import VICTIM

ANSWER_S = 2.0
"""Time from the loss of a consumer until its partitions are started elsewhere, s."""

BEAT_S = 1.0
"""Time between two signs of life of a consumer: its lease may have begun so long before a fault."""

REAP_S = 0.2
"""Time for the end of a process to be noticed, s."""

TRIES = 3
"""Launches after which a consumer counts as one that does not start."""

FENCED = "consumer: fenced:"
"""What a consumer says whose progress was refused because it was replaced."""


def stopped(folder: RunFolder, notes: list[Entry]) -> list[str]:
    """Check that a stopped consumer was lost after one lease, and fenced when it woke up."""
    lease_s, note = folder.settings.lease_s, first(notes, "status")
    status = note["status"]
    log = Path(folder.settings.folder) / "logs" / f"c{VICTIM}-{note['incarnation']}.log"
    is_refused = log.is_file() and FENCED in log.read_text(encoding="utf-8", errors="replace")
    return [
        *answered_in(lease_s + ANSWER_S, lease_s - BEAT_S)(folder, notes),
        *[f"the woken consumer ended with {status}, not 3"] * (status != 3),
        *[f"{log} does not say that its progress was refused: {FENCED!r}"] * (not is_refused),
    ]


def hanging(folder: RunFolder, notes: list[Entry]) -> list[str]:
    """Check that the watchdog ended a consumer within a lease."""
    lease_s, note = folder.settings.lease_s, first(notes, "status")
    status, after_s = note["status"], note["after_s"]
    return [
        *answered_in(lease_s + ANSWER_S)(folder, notes),
        *[f"it ended with {status}, not {STANDS_STILL}"] * (status != STANDS_STILL),
        *[f"it ended after {after_s:.2f} s, not {lease_s:g} s"] * (after_s > lease_s + REAP_S),
    ]


def broken(folder: RunFolder, notes: list[Entry]) -> list[str]:
    """Moves to a consumer that does not start must wait for its last trial, all others be made."""
    fault_ns = first(notes, "fault")["at_ns"]
    exits = {
        entry["incarnation"]: int(entry["at_ns"])
        for entry in folder.said("fault")
        if entry["kind"] == "exited" and entry["consumer"] == VICTIM and entry["at_ns"] > fault_ns
    }
    # The first one is that of the process that was killed.
    tries = len(exits) - 1
    plan = next((e for e in folder.said("iteration") if _wants_victim(e, fault_ns)), None)
    if plan is None or tries < 1:
        return ["no plan wanted the consumer that does not start, or it was not tried"]
    end_ns = max(exits.values())
    unread = _unread(folder, plan, end_ns)
    return [
        *[f"it was tried {tries} times, not {TRIES}"] * (tries != TRIES),
        *_moved_wrongly(folder, plan, end_ns),
        *(f"partition {p} was not read from while others moved" for p in unread),
    ]


def _wants_victim(entry: Entry, fault_ns: int) -> bool:
    return bool(entry["at_ns"] > fault_ns and VICTIM in entry["wanted"])


def _moved_wrongly(folder: RunFolder, plan: Entry, end_ns: int) -> list[str]:
    """Moves that did not wait for the consumer, and others that did."""
    owners = _owners(folder, plan["at_ns"])
    later = [e for e in folder.entries if plan["at_ns"] < e["at_ns"] <= end_ns]
    asked = {e["partition"] for e in later if e["what"] == "sent"}
    started = {e["partition"] for e in later if e["what"] == "heard" and e["kind"] == "started"}
    waiting = {p for p, consumer in enumerate(plan["wanted"]) if consumer == VICTIM}
    # Consumers that the plan creates need not be ready in time.
    present = set(owners.values()) - {VICTIM}
    moving = {p for p, c in enumerate(plan["wanted"]) if c in present and c != owners.get(p)}
    return [
        *(f"partition {p} did not wait" for p in sorted(waiting & asked)),
        *(f"partition {p} waited for another one's consumer" for p in sorted(moving - started)),
        *["the plan moves nothing else: choose another seed"] * (not moving),
    ]


def _owners(folder: RunFolder, at_ns: int) -> Mapping[int, int]:
    """Who had last started each partition before a time."""
    heard = [e for e in folder.said("heard") if e["kind"] == "started" and e["at_ns"] < at_ns]
    return {e["partition"]: e["consumer"] for e in heard}


def _unread(folder: RunFolder, plan: Entry, end_ns: int) -> list[int]:
    """Partitions without a record read from the beginning of a plan on, though several were due."""
    settings, records = folder.settings, folder.records
    seconds = (end_ns - plan["at_ns"]) / 1e9 - 1.0
    rates = folder.rates[plan["iteration"]]
    is_read = (records.read_ns > plan["at_ns"]) & (records.read_ns <= end_ns)
    read = set(records.partition[is_read].tolist())
    least = 2 * settings.record_bytes
    return [p for p, rate in enumerate(rates) if rate * seconds >= least and p not in read]
