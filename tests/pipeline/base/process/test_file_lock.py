"""Locks on files between processes; each opening of a file counts as a process."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import pipeline
import tools
from pipeline.base.process import file_lock

pytestmark = pytest.mark.unit


def test_one_holder_alone_or_several_together(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    alone = file_lock.take(file)
    assert alone is not None
    assert file_lock.take(file) is None
    assert file_lock.take(file, shared=True) is None
    file_lock.share(alone)
    beside = file_lock.take(file, shared=True)
    assert beside is not None
    assert file_lock.take(file) is None
    alone.close()
    beside.close()
    again = file_lock.take(file)
    assert again is not None
    again.close()


def test_a_second_one_waits(tmp_path: Path) -> None:
    file, inside = tmp_path / "lock", threading.Event()

    def wait() -> None:
        with file_lock.locked(file):
            inside.set()

    waiting = threading.Thread(target=wait)
    with file_lock.locked(file):
        waiting.start()
        assert not inside.wait(0.2)
    waiting.join(10.0)
    assert inside.is_set()


def test_no_other_module_locks_files() -> None:
    packages = [Path(package.__path__[0]) for package in (pipeline, tools)]
    modules = [file for package in packages for file in package.rglob("*.py")]
    names = [file.name for file in modules if "flock(" in file.read_text()]
    assert sorted(names) == ["file_lock.py", "waiting_lock.py"]
