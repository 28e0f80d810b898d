"""Machines on which Spark would fail with words that do not lead on."""

from __future__ import annotations

import os
import pwd
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.base.errors import InputError
from pipeline.warehouse.spark import machine_needs

pytestmark = pytest.mark.unit


def test_this_machine_can_run_spark() -> None:
    machine_needs.check()


def test_a_user_without_a_name_is_named_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1_000_660_000)

    def unknown(number: int) -> None:
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(InputError, match="user id 1000660000 has no entry in /etc/passwd"):
        machine_needs.check()


def test_a_missing_loopback_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_needs, "LOOPBACK", "192.0.2.1")
    with pytest.raises(InputError, match="needs the IPv4 loopback address"):
        machine_needs.check()


def _without_programs(monkeypatch: pytest.MonkeyPatch, *folders: str) -> None:
    usual = os.statvfs

    def statvfs(folder: str) -> object:
        if str(folder) in folders:
            return SimpleNamespace(f_flag=os.ST_NOEXEC)
        return usual(folder)

    monkeypatch.setattr(os, "statvfs", statvfs)


def test_java_loads_no_library_from_where_programs_may_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path))
    _without_programs(monkeypatch, tempfile.gettempdir())
    assert machine_needs.temporary_folder() == str(tmp_path / "tmp")
    _without_programs(monkeypatch, tempfile.gettempdir(), str(tmp_path / "tmp"))
    with pytest.raises(InputError, match="`TMPDIR` must allow programs"):
        machine_needs.temporary_folder()
