"""File systems that fill: only root can mount one, and nothing of them is left."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from live.kafka import small_disks
from live.kafka.small_disks import NoSmallDisk

pytestmark = pytest.mark.unit


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB."""
    folder = tmp_path / "node" / "data"
    try:
        small_disks.mount(folder, 8)
    except NoSmallDisk:
        pytest.skip("only root can mount a disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=False, capture_output=True)


def test_a_disk_is_full_until_it_gets_space(disk: Path) -> None:
    (disk / "log").write_bytes(bytes(2**20))
    assert not small_disks.is_full(disk)
    small_disks.fill(disk)
    assert small_disks.is_full(disk)
    with pytest.raises(OSError, match="No space left"):
        (disk / "more").write_bytes(bytes(2**20))
    small_disks.grow(disk, 8)
    assert not small_disks.is_full(disk)
    (disk / "more").write_bytes(bytes(2**16))
    # What was stored is still there.
    assert (disk / "log").stat().st_size == 2**20


def test_a_disk_that_is_written_to_is_filled_all_the_same(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system refuses a size below what is used, and a broker writes between look and order."""
    tried: list[str] = []
    order = small_disks._call

    def late(*command: str) -> None:
        tried.append(command[2])
        if len(tried) < 3:
            (disk / f"{len(tried)}").write_bytes(bytes(2 * 2**20))
        order(*command)

    monkeypatch.setattr(small_disks, "_call", late)
    small_disks.fill(disk)
    assert len(tried) == 3
    with pytest.raises(OSError, match="No space left"):
        (disk / "more").write_bytes(bytes(4 * 2**20))


def test_an_empty_disk_can_be_filled(disk: Path) -> None:
    small_disks.fill(disk)
    assert small_disks.is_full(disk)
    with pytest.raises(OSError, match="No space left"):
        (disk / "log").write_bytes(bytes(2**20))


def test_only_its_owner_can_enter_it(disk: Path) -> None:
    assert disk.stat().st_mode & 0o777 == 0o700


def test_disks_below_a_folder_go(disk: Path, tmp_path: Path) -> None:
    small_disks.unmount_below(tmp_path)
    assert not disk.is_mount()
    small_disks.unmount_below(tmp_path / "missing")


def test_a_disk_ends_with_the_body(disk: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with suppress(KeyError), small_disks.small_disk(other, 1):
        assert other.is_mount()
        raise KeyError
    assert not other.is_mount()


def test_a_disk_that_does_not_exist_is_not_full(tmp_path: Path) -> None:
    assert not small_disks.is_full(tmp_path / "missing")


def test_a_refusal_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = SimpleNamespace(returncode=32, stderr="mount: permission denied\n")
    monkeypatch.setattr(small_disks.subprocess, "run", lambda *_, **__: refused)
    with pytest.raises(NoSmallDisk, match=r"^cannot mount a small disk: mount: permission denied$"):
        small_disks.mount(tmp_path / "disk", 8)
