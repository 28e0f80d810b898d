"""Rows of `broker_scalings` from the journal of our controller."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from live.brokers.scaling_journal import (
    BEGUN,
    CANCELLED,
    DONE,
    ENDS,
    PLANNED,
    UNDOING,
    UNDONE,
    UP,
)
from pipeline.experiments.brokers.evidence.broker_evidence import Entry, Evidence

Row = dict[str, Any]


class Scaled(NamedTuple):
    """A scaling, as the journal has it."""

    number: int
    kind: str
    broker: int
    first: dict[str, Entry]
    """Phases as they were first stored; a resumed one is stored again."""
    last: dict[str, Entry]
    """Phases as they were last stored."""

    @property
    def end(self) -> Entry:
        """Its last entry."""
        return next(self.last[phase] for phase in ENDS if phase in self.last)

    @property
    def moving_ns(self) -> tuple[int, int]:
        """From the first order to move until no partition moved."""
        # A controller that was killed before it stored the order is followed by one that does.
        begin = self.first.get("submitted") or self.first[PLANNED]
        # Replicas move back while a scaling is undone.
        end = self.last.get("withdrawn") or self.last.get("moved") or self.end
        return begin["at_ns"], end["at_ns"]

    @property
    def restarts(self) -> int:
        """Of the broker that joins; each of these phases counts those of the ones before."""
        phases = (UNDOING, "verified", "moved")
        return next((int(self.last[one]["restarts"]) for one in phases if one in self.last), 0)


def scaled(evidence: Evidence) -> list[Scaled]:
    """All scalings, in order."""
    found: dict[int, Scaled] = {}
    for entry in evidence.journal:
        number, phase = entry["number"], entry["phase"]
        one = found.setdefault(number, Scaled(number, entry["kind"], entry["broker"], {}, {}))
        one.first.setdefault(phase, entry)
        one.last[phase] = entry
    return list(found.values())


def rows(evidence: Evidence, brokers: int) -> Iterator[Row]:
    """A row per scaling. brokers: Number at the start."""
    faults = {e["number"]: e for e in evidence.pauses if e["kind"] == "fault"}
    elections = {e["number"]: e for e in evidence.pauses if e["kind"] == "elected"}
    for one in scaled(evidence):
        fault, election = faults.get(one.number), elections.get(one.number)
        row = _row(one, evidence.began_ns, brokers, fault["fault"] if fault else None)
        if fault and election:
            row["election_s"] = _seconds(election["at_ns"] - fault["at_ns"])
        yield row
        brokers = row["after"]


def _row(one: Scaled, began_ns: int, before: int, fault: str | None) -> Row:
    outcome, is_up = str(one.end["phase"]), one.kind == UP
    is_done, planned = outcome == DONE, one.last[PLANNED]
    # A scaling that was cancelled counts leaders at its end.
    led = one.end if outcome == CANCELLED else one.last["elected"]
    begin_ns = one.first[BEGUN]["at_ns"]
    move = one.moving_ns
    return {
        "scaling": one.number,
        "kind": one.kind,
        "broker": one.broker,
        "before": before,
        "after": before + (outcome != UNDONE) if is_up else before - is_done,
        "fault": fault,
        "outcome": outcome,
        # Kills of the controller are the only faults that need another one.
        "controllers": 1 + (fault in ("controller", "cancelled")),
        "restarts": one.restarts,
        "partitions": planned["partitions"],
        "moves": planned["moves"],
        "bound": planned["bound"],
        "moved_bytes": planned["bytes"],
        "replica_spread": planned["spread"],
        "leader_spread": led["leader_spread"],
        "leaderless": led["leaderless"],
        "begins_s": _seconds(begin_ns - began_ns),
        "start_s": _seconds(one.last["started"]["at_ns"] - begin_ns) if is_up else None,
        "move_s": _seconds(move[1] - move[0]) if is_done else None,
        "election_s": None,
        "total_s": _seconds(one.end["at_ns"] - begin_ns),
    }


def _seconds(duration_ns: int) -> float:
    return duration_ns * 1e-9
