"""Folders of runs are read whole, or refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from live.records.evidence_file import EvidenceWriter
from pipeline.base.errors import StageError
from pipeline.experiments.live.evidence import processed_records, run_folder
from pipeline.experiments.live.evidence.processed_records import first_reads, read_folder
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic_folders.make(tmp_path_factory.mktemp("live") / "run")


def test_everything_is_there(folder: Path) -> None:
    run = run_folder.read(folder)
    assert run.rates.shape == (5, 4)
    assert run.records.size == run.producer["sent"] > 1000
    assert set(run.records.incarnation.tolist()) == {1}
    assert len(run.said("iteration")) == 6
    assert run.run["drained"] is True
    assert run.is_sound.tolist() == [True] * 5
    assert run.is_compared.tolist() == [False] + [True] * 4


def test_records_belong_to_the_iteration_in_which_they_are_due(folder: Path) -> None:
    run = run_folder.read(folder)
    counted = np.bincount(run.iterations_of(run.records.due_ns), minlength=5)
    assert counted.tolist() == [report["sent"] for report in run.producer["iterations"]]
    begin, span = run.settings.began_ns, 4 * synthetic_folders.SECOND
    ends = np.array([begin + 1, begin + span, begin + span + 1])
    assert run.iterations_of(ends).tolist() == [0, 0, 1]


def test_an_iteration_with_a_late_producer_is_not_sound(tmp_path: Path) -> None:
    late = {1: 100.0, 2: 100.5}
    run = run_folder.read(synthetic_folders.make(tmp_path / "run", late_ms=late))
    assert run.is_sound.tolist() == [True, True, False, True, True]
    assert run.is_compared.tolist() == [False, True, False, True, True]


@pytest.mark.parametrize(
    "name", ["settings.json", "rates.bin", "producer.json", "controller.jsonl", "run.json"]
)
def test_a_missing_or_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    place = synthetic_folders.make(tmp_path / "run")
    (place / name).write_text("{")
    if name != "controller.jsonl":  # its last line may be cut off
        with pytest.raises(StageError):
            run_folder.read(place)
    (place / name).unlink()
    with pytest.raises(StageError, match=name):
        run_folder.read(place)


def test_evidence_of_a_process_that_was_killed_early_is_empty(tmp_path: Path) -> None:
    for name, content in (("c0-1.bin", b""), ("c0-2.bin", bytes(8))):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "notes.bin").write_bytes(b"other")
    assert read_folder(tmp_path).size == 0
    writer = EvidenceWriter(tmp_path / "c12-4.bin")
    writer.append(3, 2, 7, 10, 20, 30)
    records = read_folder(tmp_path)
    writer.close()
    assert [column.tolist() for column in records] == [[3], [2], [7], [10], [20], [30], [12], [4]]


def test_first_reads_are_one_per_record() -> None:
    records = processed_records.NONE._replace(
        partition=np.array([1, 0, 1, 1], np.int32),
        sequence=np.array([5, 5, 5, 6]),
        read_ns=np.array([30, 10, 20, 40]),
    )
    spread = records._replace(
        **{name: np.arange(4) for name in ("epoch", "due_ns", "done_ns", "consumer")},
        incarnation=np.arange(4),
    )
    reads = first_reads(spread)
    assert reads.read_ns.tolist() == [10, 20, 40]
    assert reads.epoch.tolist() == [1, 2, 3]
    assert first_reads(processed_records.NONE).size == 0
