"""Evidence survives whatever happens to the process that writes it."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.live.records import evidence_file
from pipeline.live.records.evidence_file import (
    HEADER,
    RECORD,
    STEP_BYTES,
    DamagedEvidence,
    Evidence,
    EvidenceWriter,
    counted,
    read,
)
from pipeline.live.strategy_run import has_processed

pytestmark = pytest.mark.unit

WRITES_FOR_EVER = """
import sys
from pathlib import Path
from pipeline.live.records.evidence_file import EvidenceWriter
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


def stored(file: Path) -> int:
    """Number of records, without a look at them."""
    with file.open("rb") as content:
        return counted(content.read(HEADER.size), file.stat().st_size, file)


def test_records_have_40_bytes_of_which_numpy_needs_no_help() -> None:
    assert RECORD.size == 40
    assert HEADER.size % 8 == 0


@pytest.mark.parametrize("count", [0, 1, 1000, STEP_BYTES // 40 * 2 + 1])
def test_records_are_read_as_they_were_written(tmp_path: Path, count: int) -> None:
    file = tmp_path / "evidence" / "c0-1.bin"
    writer = written(file, count)
    assert read(file) == [sample(n) for n in range(count)]
    writer.close()
    writer.close()
    assert read(file) == [sample(n) for n in range(count)]
    assert file.stat().st_size == HEADER.size + count * RECORD.size


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
        while not file.exists() or (count and stored(file) < count):
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGKILL)
    records = read(file)
    assert records == [sample(n) for n in range(len(records))]
    assert len(records) >= count


def test_a_writer_killed_before_its_header_has_no_records(tmp_path: Path) -> None:
    file = tmp_path / "c0-1.bin"
    for content in (b"", bytes(STEP_BYTES)):
        file.write_bytes(content)
        assert read(file) == []


@pytest.mark.parametrize(
    "content",
    [
        b"GSEV",
        HEADER.pack(b"GSEX", 1, 0),
        HEADER.pack(b"GSEV", 2, 0),
        HEADER.pack(b"GSEV", 1, -1),
        HEADER.pack(b"GSEV", 1, 2) + bytes(79),
    ],
)
def test_damaged_files_are_reported(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "c0-1.bin"
    file.write_bytes(content)
    with pytest.raises(DamagedEvidence, match=r"c0-1\.bin"):
        read(file)


def test_a_full_disk_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = (STEP_BYTES - HEADER.size) // RECORD.size
    writer = written(tmp_path / "c0-1.bin", fit)
    monkeypatch.setattr(evidence_file.os, "posix_fallocate", _no_space)
    with pytest.raises(OSError, match="No space left"):
        writer.append(*sample(fit))
    writer.close()
    assert read(tmp_path / "c0-1.bin") == [sample(n) for n in range(fit)]


def _no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_the_count_is_where_readers_expect_it(tmp_path: Path) -> None:
    file = tmp_path / "c0-1.bin"
    written(file, 5).close()
    assert struct.unpack_from("<q", file.read_bytes(), evidence_file.COUNT_AT) == (5,)


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
