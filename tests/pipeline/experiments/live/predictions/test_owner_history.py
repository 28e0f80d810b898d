"""Owners over time from a run's journal and evidence."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions.owner_history import ownership, wanted_owners
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    place = tmp_path_factory.mktemp("owners") / "run"
    settings = synthetic_folders.settings_for(place, partitions=6, iterations=6)
    return run_folder.read(synthetic_folders.make(place, settings=settings))


def rows(folder: RunFolder) -> list[tuple[int, int, float, float]]:
    return list(zip(*(column.tolist() for column in ownership(folder)), strict=True))


def test_each_epoch_is_a_tenure_that_ends_before_the_next_one(folder: RunFolder) -> None:
    tenures = rows(folder)
    starts = [entry for entry in folder.said("heard") if entry["kind"] == "started"]
    assert len(tenures) == len(starts) > 6
    for one, after in pairwise(tenures):
        if one[0] == after[0]:
            assert one[2] < one[3] <= after[2]
        else:
            assert one[3] == math.inf
    taken = {(p, c, round(at, 6)) for p, c, at, _ in tenures}
    for entry in starts:
        at_s = (entry["at_ns"] - folder.settings.began_ns) / 1e9
        assert (entry["partition"], entry["consumer"], round(at_s, 6)) in taken


def test_an_answer_to_a_stop_ends_a_tenure(folder: RunFolder) -> None:
    moved = next(p for (p, *_), (q, *_) in pairwise(rows(folder)) if p == q)
    last = max(
        folder.records.done_ns[(folder.records.partition == moved) & (folder.records.epoch == 1)]
    )
    stop = {"what": "heard", "kind": "stopped", "partition": moved, "epoch": 1, "consumer": 0}
    entry = {**stop, "at_ns": int(last) + 5 * synthetic_folders.MS}
    with_stop = folder._replace(entries=[*folder.entries, entry])
    ends = [next(row[3] for row in rows(one) if row[0] == moved) for one in (folder, with_stop)]
    assert ends[1] == pytest.approx(ends[0] + 0.005)


def test_without_a_journal_the_evidence_says_who_owned_what(folder: RunFolder) -> None:
    silent = folder._replace(entries=[])
    tenures, expected = rows(silent), rows(folder)
    assert [row[:2] for row in tenures] == [row[:2] for row in expected]
    assert all(one[2] >= other[2] for one, other in zip(tenures, expected, strict=True))


def test_a_late_answer_does_not_delay_what_was_read_before_it(folder: RunFolder) -> None:
    late = [
        {**entry, "at_ns": entry["at_ns"] + synthetic_folders.SECOND}
        for entry in folder.said("heard")
    ]
    first = {row[0]: row[2] for row in reversed(rows(folder._replace(entries=late)))}
    reads = folder.records.read_ns[folder.records.partition == 2].min()
    assert first[2] == pytest.approx((reads - folder.settings.began_ns) / 1e9)


def test_nothing_happened() -> None:
    settings = synthetic_folders.settings_for(Path())
    none = run_folder.RunFolder(
        settings, np.zeros((5, 4)), {}, [], {}, run_folder.ProcessedRecords(*[np.empty(0, int)] * 8)
    )
    assert [len(column) for column in ownership(none)] == [0, 0, 0, 0]
    assert (wanted_owners(none) == -1).all()


def test_wanted_owners_last_until_the_next_decision(folder: RunFolder) -> None:
    def decided(iteration: int, *owners: int) -> dict[str, object]:
        return {"what": "iteration", "iteration": iteration, "wanted": list(owners), "plan": None}

    entries = [decided(0, 0, 0), decided(2, 0, 1), decided(2, 1, 1), decided(-1, -1, -1)]
    settings = synthetic_folders.settings_for(Path(), partitions=2, iterations=4)
    by_iteration = wanted_owners(folder._replace(entries=entries, settings=settings))
    assert by_iteration.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]
