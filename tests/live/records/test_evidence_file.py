"""Evidence survives whatever happens to the process that writes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from live.records import evidence_file
from live.records.evidence_file import RECORD, STORED, Evidence, EvidenceWriter, read
from live.runs.strategy_run import has_processed

pytestmark = pytest.mark.unit

WRITES_FOR_EVER = """
import sys
from pathlib import Path
from live.records.evidence_file import EvidenceWriter
writer = EvidenceWriter(Path(sys.argv[1]))
n = 0
while True:
    writer.append(n % 7, 1, n, n * 2, n * 3, n * 4)
    n += 1
"""


def sample(n: int) -> Evidence:
    return Evidence(n % 7, 1, n, n * 2, n * 3, n * 4)


def written(file: Path, count: int) -> EvidenceWriter:
    writer = EvidenceWriter(file)
    for n in range(count):
        writer.append(*sample(n))
    return writer


def test_records_have_40_bytes_of_which_numpy_needs_no_help() -> None:
    assert RECORD.size == STORED.itemsize == 40


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_records_are_read_as_they_were_written(tmp_path: Path, count: int) -> None:
    file = tmp_path / "evidence" / "c0-1.bin"
    writer = written(file, count)
    assert read(file) == [sample(n) for n in range(count)]
    writer.close()
    writer.close()
    assert read(file) == [sample(n) for n in range(count)]
    assert evidence_file.counted(file) == count


def test_an_incarnation_does_not_overwrite_evidence(tmp_path: Path) -> None:
    file = tmp_path / "c0-1.bin"
    written(file, 3).close()
    with pytest.raises(FileExistsError):
        EvidenceWriter(file)
    assert len(read(file)) == 3


@pytest.mark.parametrize("count", [0, 1, 50_000])
def test_a_file_is_readable_after_kill_9(tmp_path: Path, count: int) -> None:
    file = tmp_path / "c0-1.bin"
    with subprocess.Popen([sys.executable, "-c", WRITES_FOR_EVER, str(file)]) as child:
        while not file.exists() or (count and evidence_file.counted(file) < count):
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGKILL)
    records = read(file)
    assert records == [sample(n) for n in range(len(records))]
    assert len(records) >= count


def test_a_record_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "c0-1.bin"
    written(file, 2).close()
    for more in (b"", bytes(39)):
        file.write_bytes(file.read_bytes() + more)
        assert read(file) == [sample(0), sample(1)]
        assert evidence_file.counted(file) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_raises_an_error(tmp_path: Path) -> None:
    writer = EvidenceWriter(tmp_path / "c0-1.bin")
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, writer._file)
    os.close(full)
    with pytest.raises(OSError, match="No space left"):
        writer.append(*sample(0))
    assert writer.count == 0
    writer.close()


def test_a_record_that_fits_in_part_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, write = tmp_path / "c0-1.bin", os.write
    writer = written(file, 2)
    monkeypatch.setattr("os.write", lambda place, data: write(place, data[:39]))
    with pytest.raises(OSError, match="No space left"):
        writer.append(*sample(2))
    monkeypatch.undo()
    writer.append(*sample(3))
    assert read(file) == [sample(0), sample(1), sample(3)]


def test_records_that_were_processed_again_count_once(tmp_path: Path) -> None:
    """A consumer was killed after sequence 2; another one begins again at 1."""
    for slot, epoch, sequences in ((0, 1, (0, 1, 2)), (1, 2, (1, 2))):
        writer = EvidenceWriter(tmp_path / f"{slot}.bin")
        for sequence in sequences:
            writer.append(5, epoch, sequence, 10, 20, 30)
        writer.append(6, epoch, slot, 10, 20, 30)
        writer.close()
    (tmp_path / "2.bin").write_bytes(b"")
    assert evidence_file.distinct(tmp_path.glob("*.bin")) == 3 + 2
    assert has_processed(tmp_path, sent=5)
    assert not has_processed(tmp_path, sent=6)  # Seven records are in the files.
    assert not has_processed(tmp_path, sent=8)
