"""Memory that is available on a machine, and in a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.process import machine

pytestmark = pytest.mark.unit

GIB = 2**30


@pytest.fixture
def info(tmp_path: Path) -> Path:
    """A machine with 16 GiB, of which 6 are available."""
    file = tmp_path / "meminfo"
    file.write_text(
        f"MemTotal:       {16 * 2**20} kB\nMemFree:         {2**20} kB\n"
        f"MemAvailable:    {6 * 2**20} kB\nHugePages_Total:       0\n"
    )
    return file


def container(folder: Path, limit: str, used: float = 0.0, cached: float = 0.0) -> Path:
    folder.mkdir()
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{int(used * GIB)}\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {int(cached * GIB)}\n")
    return folder


def test_what_others_use_is_not_available(info: Path, tmp_path: Path) -> None:
    assert machine.available_gib(info, tmp_path / "none") == 6.0
    assert machine.available_gib(info, container(tmp_path / "free", "max", 9.0)) == 6.0


def test_a_container_has_what_is_left_of_its_limit(info: Path, tmp_path: Path) -> None:
    limit = str(4 * GIB)
    assert machine.available_gib(info, container(tmp_path / "half", limit, 3.0, 1.5)) == 2.5
    assert machine.available_gib(info, container(tmp_path / "full", limit, 4.5)) == 0.0
    assert machine.available_gib(info, container(tmp_path / "wide", str(64 * GIB))) == 6.0


def test_a_system_that_does_not_say(tmp_path: Path) -> None:
    available = machine.available_gib(tmp_path / "none", tmp_path / "none")
    assert available == pytest.approx(machine.memory_gib(tmp_path / "none"))


def test_here_no_more_is_available_than_there_is() -> None:
    assert 0 < machine.available_gib() <= machine.memory_gib()
