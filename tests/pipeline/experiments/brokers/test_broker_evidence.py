"""Rows from evidence: counts against a plain reference, windows, and what a journal says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.core.seeds import derive_seed
from live.brokers.scaling_journal import ScalingJournal
from live.records import evidence_file
from live.records.evidence_file import EvidenceWriter
from pipeline.base.errors import StageError
from pipeline.experiments.brokers.evidence import (
    broker_evidence,
    loss_rows,
    pause_rows,
    scaling_rows,
)
from pipeline.experiments.brokers.evidence.broker_evidence import Records

pytestmark = pytest.mark.unit

S = 10**9


def records(rows: Iterable[tuple[int, int]]) -> Records:
    """Records of partitions and sequences, in this order."""
    full = [(partition, 0, sequence, 0, 0, 0) for partition, sequence in rows]
    return np.array(full, evidence_file.STORED)


@pytest.mark.parametrize(
    ("sent", "read", "counts"),
    [
        ([(0, 0), (0, 1), (1, 0)], [(0, 0), (1, 0), (0, 1)], (3, 0, 0, 0)),
        ([(0, 0), (0, 1)], [(0, 1)], (2, 1, 0, 0)),
        # A record that was not acknowledged may be read.
        ([(0, 0)], [(0, 0), (0, 1)], (1, 0, 0, 0)),
        ([(0, 0), (0, 1)], [(0, 0), (0, 1), (0, 0)], (2, 0, 1, 0)),
        ([(0, 0), (0, 1), (0, 2)], [(0, 0), (0, 2), (0, 1)], (3, 0, 0, 1)),
        ([], [], (0, 0, 0, 0)),
    ],
)
def test_counts_by_hand(
    sent: list[tuple[int, int]], read: list[tuple[int, int]], counts: tuple[int, ...]
) -> None:
    assert loss_rows.counted(records(sent), records(read)) == counts


@pytest.mark.parametrize("case", range(30))
def test_counts_against_a_plain_reference(case: int) -> None:
    draws = np.random.default_rng(derive_seed(1, "counts", case))
    sent = [(int(p), int(s)) for p, s in draws.integers(0, (3, 12), (20, 2))]
    read = [(int(p), int(s)) for p, s in draws.integers(0, (3, 12), (25, 2))]
    seen: list[tuple[int, int]] = []
    disordered = 0
    for one in read:
        if one not in seen:
            disordered += any(p == one[0] and s > one[1] for p, s in seen)
            seen.append(one)
    lost = sum(1 for one in set(sent) if one not in seen)
    expected = (len(set(sent)), lost, len(read) - len(seen), disordered)
    assert loss_rows.counted(records(sent), records(read)) == expected


def test_waits_and_gaps_within_a_window() -> None:
    sent = np.array(
        [
            (0, 0, n, due * S, due * S, done * S)
            for n, (due, done) in enumerate([(1, 2), (2, 4), (5, 6), (7, 12)])
        ],
        evidence_file.STORED,
    )
    row = pause_rows.waited(sent, (1 * S, 8 * S))
    assert (row["records"], row["wait_max_s"]) == (4, 5.0)
    # Acknowledged at 2, 4 and 6 s; the window ends at 8 s.
    assert sorted(pause_rows.gaps(sent, (1 * S, 8 * S)) / S) == [1, 2, 2, 2]
    assert row["gap_max_s"] == 2.0
    empty = pause_rows.waited(sent, (8 * S, 9 * S))
    assert empty["records"] == 0
    assert empty["wait_max_s"] is None


def folder(tmp_path: Path, entries: list[dict[str, Any]], pauses: list[dict[str, Any]]) -> Path:
    """What a run leaves, with a record per client each second for 100 s."""
    for client in range(4):
        for name in ("sent", "read"):
            writer = EvidenceWriter(tmp_path / f"{name}-{client}.bin")
            for n in range(100):
                writer.append(client, client, n, n * S, n * S, n * S + S // 2)
            writer.close()
    ended = {"began_ns": 0, "refused": 0, "late": 2, "drained": True}
    (tmp_path / "ended.json").write_text(json.dumps(ended))
    (tmp_path / "journal.jsonl").write_text("".join(f"{json.dumps(e)}\n" for e in entries))
    (tmp_path / "pauses.jsonl").write_text("".join(f"{json.dumps(e)}\n" for e in pauses))
    return tmp_path


def phase(
    number: int, kind: str, broker: int, name: str, at_s: float, **content: Any
) -> dict[str, Any]:
    place = {"number": number, "kind": kind, "broker": broker}
    return {**place, "phase": name, "at_ns": round(at_s * S), **content}


PLAN = {"partitions": 20, "moves": 5, "bound": 5, "bytes": 100, "spread": 1}
LED = {"leader_spread": 1, "leaderless": 0}
JOURNAL = [
    phase(1, "up", 4, "begun", 10),
    phase(1, "up", 4, "started", 17),
    phase(1, "up", 4, "planned", 18, **PLAN),
    phase(1, "up", 4, "submitted", 20),
    # The controller was killed: another one orders the moves again.
    phase(1, "up", 4, "submitted", 25),
    phase(1, "up", 4, "moved", 30, restarts=0),
    # Its disk was full after the last move.
    phase(1, "up", 4, "verified", 31, restarts=1),
    phase(1, "up", 4, "elected", 32, **LED),
    phase(1, "up", 4, "done", 33),
    phase(2, "down", 2, "begun", 40),
    phase(2, "down", 2, "planned", 41, **PLAN),
    phase(2, "down", 2, "submitted", 42),
    phase(2, "down", 2, "cancelled", 44, moving=3, **LED),
    phase(3, "up", 5, "begun", 60),
    phase(3, "up", 5, "started", 61),
    phase(3, "up", 5, "planned", 62, **PLAN),
    phase(3, "up", 5, "submitted", 63),
    phase(3, "up", 5, "undoing", 75, restarts=2),
    phase(3, "up", 5, "withdrawn", 77, back=2),
    phase(3, "up", 5, "elected", 78, **LED),
    phase(3, "up", 5, "undone", 80),
]
PAUSES = [
    {"number": 1, "kind": "still", "begin_ns": 4 * S, "end_ns": 10 * S},
    {"number": 1, "kind": "fault", "fault": "controller", "at_ns": 21 * S},
    {"number": 2, "kind": "still", "begin_ns": 34 * S, "end_ns": 40 * S},
    {"number": 2, "kind": "fault", "fault": "cancelled", "at_ns": 43 * S},
    {"number": 3, "kind": "still", "begin_ns": 54 * S, "end_ns": 60 * S},
    {"number": 3, "kind": "fault", "fault": "disk-stays-full", "at_ns": 64 * S},
]


def test_scalings_of_a_journal(tmp_path: Path) -> None:
    evidence = broker_evidence.read(folder(tmp_path, JOURNAL, PAUSES))
    up, down, undone = scaling_rows.rows(evidence, 3)
    assert (up["before"], up["after"], up["outcome"], up["controllers"]) == (3, 4, "done", 2)
    assert (up["restarts"], down["restarts"]) == (1, 0)
    # From the first order on, also if another controller gave it.
    assert (up["start_s"], up["move_s"], up["total_s"]) == (7.0, 10.0, 23.0)
    assert (down["before"], down["after"], down["outcome"]) == (4, 4, "cancelled")
    assert (down["move_s"], down["leader_spread"], down["leaderless"]) == (None, 1, 0)
    assert (undone["before"], undone["after"], undone["outcome"]) == (4, 4, "undone")
    assert (undone["fault"], undone["restarts"]) == ("disk-stays-full", 2)
    assert (undone["move_s"], undone["total_s"], undone["leaderless"]) == (None, 20.0, 0)


def test_an_election_lasts_from_the_kill(tmp_path: Path) -> None:
    killed = {"number": 1, "kind": "fault", "fault": "kraft-controller-killed", "at_ns": 21 * S}
    elected = {"number": 1, "kind": "elected", "killed": 8, "active": 6, "moving": 3}
    lines = [PAUSES[0], killed, elected | {"at_ns": 24 * S}, *PAUSES[2:]]
    rows = list(scaling_rows.rows(broker_evidence.read(folder(tmp_path, JOURNAL, lines)), 3))
    assert [row["election_s"] for row in rows] == [3.0, None, None]
    # Our own controller lives on.
    assert (rows[0]["fault"], rows[0]["controllers"]) == ("kraft-controller-killed", 1)


def test_windows_match_the_move(tmp_path: Path) -> None:
    evidence = broker_evidence.read(folder(tmp_path, JOURNAL, PAUSES))
    rows = list(pause_rows.rows(evidence))
    assert len(rows) == 3 * 3 * 2
    by = {(r["scaling"], r["period"]): (r["begins_s"], r["seconds"]) for r in rows}
    # The move took 10 s, and 6 s without a change were kept before it.
    assert by[1, "still"] == (4.0, 6.0)
    assert by[1, "moving"] == (20.0, 10.0)
    assert by[1, "whole"] == (10.0, 23.0)
    assert by[2, "still"] == (38.0, 2.0)
    assert by[2, "moving"] == (42.0, 2.0)
    # Until all replicas had moved back.
    assert by[3, "moving"] == pytest.approx((63.0, 14.0))


def test_records_of_both_kinds(tmp_path: Path) -> None:
    evidence = broker_evidence.read(folder(tmp_path, JOURNAL, PAUSES))
    rows = {row["producers"]: row for row in loss_rows.rows(evidence)}
    assert rows.keys() == {"plain", "idempotent"}
    assert all(row["acknowledged"] == 200 and row["lost"] == 0 for row in rows.values())
    assert rows["plain"]["lost_high"] == pytest.approx(0.015)


def test_the_journal_is_the_controllers(tmp_path: Path) -> None:
    """What the tests above write is what it reads."""
    journal = ScalingJournal(folder(tmp_path, JOURNAL, PAUSES) / "journal.jsonl")
    journal.close()
    assert journal.unfinished() is None


@pytest.mark.parametrize("name", ["ended.json", "journal.jsonl", "pauses.jsonl", "sent-0.bin"])
def test_missing_evidence_is_an_error(tmp_path: Path, name: str) -> None:
    place = folder(tmp_path, JOURNAL, PAUSES)
    (place / name).unlink()
    with pytest.raises(StageError, match="the evidence is incomplete"):
        broker_evidence.read(place)
