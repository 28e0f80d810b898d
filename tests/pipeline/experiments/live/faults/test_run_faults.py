"""Faults are refused where a live run would be: without disk space or memory for them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.base.errors import InputError
from pipeline.experiments.live.faults import run_faults
from pipeline.experiments.live.faults.live_faults import FAULTS
from pipeline.warehouse.runs import live_needs

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which all faults may run, and none does."""
    monkeypatch.setattr(live_needs.shutil, "disk_usage", lambda place: SimpleNamespace(free=2**39))
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 64.0)
    monkeypatch.setattr(run_faults, "_seen", lambda fault, place: ([], None, ""))


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        next(run_faults.run(["node-killed"], folder))
    return str(caught.value)


def test_faults_run_where_there_is_room(tmp_path: Path) -> None:
    assert [outcome.wrong for outcome in run_faults.run(["node-killed"], tmp_path)] == [[]]


def test_disk_and_memory_must_suffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 2.0)
    assert "GiB of memory, but 2.0 GiB are available" in refusal(tmp_path)
    monkeypatch.setattr(live_needs.shutil, "disk_usage", lambda place: SimpleNamespace(free=2**29))
    assert "choose fewer faults, or another folder with GROUPSCALE_STATE" in refusal(tmp_path)


def test_all_faults_need_more_disk_space_than_one_but_no_more_memory() -> None:
    one, each = run_faults.needs(["node-killed"]), run_faults.needs(list(FAULTS))
    assert 0 < one.disk_gib < each.disk_gib < 3
    assert one.memory_gib == each.memory_gib
    assert each.seconds > 12 * one.seconds / 2
