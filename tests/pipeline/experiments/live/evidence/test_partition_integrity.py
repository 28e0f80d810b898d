"""What went wrong with records is counted, each kind by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.partition_integrity import (
    Integrity,
    integrity,
    owner_changes,
)
from pipeline.experiments.live.evidence.partition_tenures import gaps, tenures
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords, joined
from pipeline.experiments.live.evidence.run_folder import RunFolder
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    place = tmp_path_factory.mktemp("whole") / "run"
    settings = synthetic_folders.settings_for(place, partitions=6)
    return run_folder.read(synthetic_folders.make(place, settings=settings))


@pytest.fixture(scope="module")
def moved(folder: RunFolder) -> int:
    """A partition that moves."""
    return next(row.partition for row in integrity(folder) if row.epochs > 1)


def spoilt(folder: RunFolder, records: ProcessedRecords) -> dict[str, dict[int, Any]]:
    """What differs from the good run, by column and partition."""
    differences: dict[str, dict[int, Any]] = {}
    for good, bad in zip(
        integrity(folder), integrity(folder._replace(records=records)), strict=True
    ):
        for name in Integrity._fields:
            if getattr(good, name) != getattr(bad, name):
                differences.setdefault(name, {})[good.partition] = getattr(bad, name)
    return differences


def place_of(records: ProcessedRecords, partition: int, nth: int = 20) -> int:
    """Where the nth record of a partition is."""
    return int(np.flatnonzero(records.partition == partition)[nth])


def test_nothing_is_wrong_with_a_good_run(folder: RunFolder) -> None:
    rows = integrity(folder)
    assert [row.partition for row in rows] == list(range(6))
    assert [row.sent for row in rows] == folder.producer["sent_by_partition"]
    assert all(row.sent == row.read for row in rows)
    assert not any(
        row.lost or row.twice or row.out_of_order or row.overlapping_epochs for row in rows
    )
    assert any(row.epochs > 1 for row in rows)
    assert all(row.owner_changes == row.epochs - 1 for row in rows)
    assert all((row.longest_gap_s is None) == (row.epochs == 1) for row in rows)
    moves = sum(entry["moves"] for entry in folder.said("plan"))
    assert sum(row.owner_changes for row in rows) == moves > 0


def test_a_lost_record(folder: RunFolder, moved: int) -> None:
    keep = np.ones(folder.records.size, bool)
    keep[place_of(folder.records, moved)] = False
    differences = spoilt(folder, folder.records.at(keep))
    sent = folder.producer["sent_by_partition"][moved]
    assert differences == {"lost": {moved: 1}, "read": {moved: sent - 1}}


def test_the_last_records_are_lost_only_if_the_run_waited_for_them(folder: RunFolder) -> None:
    own = folder.records.partition == 0
    keep = ~own | (folder.records.sequence < folder.records.sequence[own].max() - 9)
    sent = folder.producer["sent_by_partition"][0]
    differences = spoilt(folder, folder.records.at(keep))
    assert differences == {"lost": {0: 10}, "read": {0: sent - 10}}
    early = folder._replace(records=folder.records.at(keep), run={**folder.run, "drained": False})
    assert integrity(early)[0].lost == 0
    assert integrity(early)[0].read == sent - 10


def test_a_record_processed_twice(folder: RunFolder, moved: int) -> None:
    place = place_of(folder.records, moved)
    again = folder.records.at(np.array([place]))
    again = again._replace(read_ns=again.read_ns + 1, done_ns=again.done_ns)
    assert spoilt(folder, joined([folder.records, again])) == {"twice": {moved: 1}}


def test_records_in_another_order(folder: RunFolder, moved: int) -> None:
    first, second = place_of(folder.records, moved), place_of(folder.records, moved, 21)
    sequence = folder.records.sequence.copy()
    sequence[[first, second]] = sequence[[second, first]]
    differences = spoilt(folder, folder.records._replace(sequence=sequence))
    assert differences == {"out_of_order": {moved: 1}}


def test_epochs_that_overlap(folder: RunFolder, moved: int) -> None:
    """The old owner finishes its last record after the new one has begun."""
    own = np.flatnonzero((folder.records.partition == moved) & (folder.records.epoch == 1))
    last = own[np.argmax(folder.records.read_ns[own])]
    done = folder.records.done_ns.copy()
    done[last] += synthetic_folders.SECOND
    differences = spoilt(folder, folder.records._replace(done_ns=done))
    assert differences == {"overlapping_epochs": {moved: 1}}


def test_nothing_was_read_at_all(folder: RunFolder) -> None:
    none = folder._replace(records=folder.records.at(np.array([], np.int64)))
    rows = integrity(none)
    assert [row.lost for row in rows] == folder.producer["sent_by_partition"]
    assert all(row.read == row.epochs == 0 and row.longest_gap_s is None for row in rows)


@pytest.mark.parametrize("late_ns", [0, 10**9, 10**10])
def test_gaps_are_those_between_different_owners(
    folder: RunFolder, moved: int, late_ns: int
) -> None:
    records = folder.records
    is_later = (records.partition == moved) & (records.epoch > 1)
    shift = np.where(is_later, late_ns, 0)
    shifted = records._replace(read_ns=records.read_ns + shift, done_ns=records.done_ns + shift)
    before, after = (_gap(history, moved) for history in (records, shifted))
    assert after == pytest.approx(before + late_ns / 1e9)
    assert before >= synthetic_folders.START_S - synthetic_folders.STOP_S


def _gap(records: ProcessedRecords, partition: int) -> float:
    all_gaps = gaps(tenures(records))
    return next(gap.gap_s for gap in all_gaps if (gap.partition, gap.epoch) == (partition, 2))


def test_gaps_of_a_partition_that_comes_back_to_its_owner_do_not_count() -> None:
    def column(*values: int) -> np.ndarray:
        return np.array(values, np.int64)

    records = ProcessedRecords(
        partition=column(0, 0, 0, 1).astype(np.int32),
        epoch=column(1, 2, 4, 1).astype(np.int32),
        sequence=column(0, 1, 2, 0),
        due_ns=column(0, 0, 0, 0),
        read_ns=column(10, 20, 40, 5),
        done_ns=column(12, 22, 42, 7),
        consumer=column(3, 3, 1, 2).astype(np.int32),
        incarnation=column(1, 1, 1, 1).astype(np.int32),
    )
    all_gaps = gaps(tenures(records))
    assert [(gap.partition, gap.epoch) for gap in all_gaps] == [(0, 4)]
    assert all_gaps[0].gap_s == pytest.approx(20e-9)


def test_changes_of_owners_follow_the_epochs(folder: RunFolder) -> None:
    def heard(kind: str, epoch: int, consumer: int) -> dict[str, Any]:
        own = {"kind": kind, "partition": 5, "epoch": epoch, "consumer": consumer}
        return {"what": "heard", **own}

    entries = [
        heard("started", 3, 1),
        heard("started", 1, 1),
        heard("started", 2, 0),
        heard("started", 2, 0),
        heard("stopped", 4, 7),
        heard("started", 5, 1),
    ]
    assert owner_changes(folder._replace(entries=entries)) == {5: 2}


def test_changes_of_owners_in_a_group_of_kafka_are_those_that_its_members_note(
    folder: RunFolder,
) -> None:
    def noted(at_s: float, epoch: int, consumer: int, *partitions: int) -> dict[str, Any]:
        at_ns = folder.settings.began_ns + round(at_s * synthetic_folders.SECOND)
        own = {"kind": "assigned", "epoch": epoch, "consumer": consumer, "noted_ns": at_ns}
        return {"what": "member", **own, "partitions": list(partitions)}

    entries = [
        noted(-3.0, 900, 0, 1, 2, 3),
        noted(-2.0, 2000, 1, 2, 3),  # before the run: the group is not complete yet
        noted(1.0, 5100, 2, 3),
        noted(2.0, 6100, 1, 3),
        noted(3.0, 7000, 0, 1),
        {"what": "member", "kind": "revoked", "noted_ns": 0, "consumer": 0, "partitions": [1]},
    ]
    assert owner_changes(folder._replace(entries=entries)) == {1: 0, 2: 0, 3: 2}
