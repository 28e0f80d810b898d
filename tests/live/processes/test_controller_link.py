"""What a run tells its controllers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from live.processes import child_processes
from live.processes.line_channel import LineReader
from live.processes.local_launcher import LocalLauncher
from live.runs.group_manager import new_manager
from live.strategy_kinds import parse
from tests.pipeline.experiments.live.synthetic_folders import settings_for

pytestmark = pytest.mark.unit


def test_a_successor_learns_which_consumers_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may have ended after the death of the controller that had asked them to."""
    reading: list[int] = []

    def start(module: str, arguments: Any, name: str, log: Path, descriptors: Sequence[int]) -> Any:
        reading.append(os.dup(descriptors[0]))
        return SimpleNamespace(status=lambda: None)

    monkeypatch.setattr(child_processes, "start_module", start)
    settings = settings_for(tmp_path)
    launcher = LocalLauncher(settings, tmp_path / "settings.json")
    launcher.statuses = {(2, 1): -9, (0, 3): 0}
    manager = new_manager(settings, tmp_path, parse("MWF", settings.partitions), tmp_path, launcher)
    messages = LineReader(reading[0]).arrived()
    assert messages == [{"exited": [2, 1, -9]}, {"exited": [0, 3, 0]}]
    manager.close()
    os.close(reading[0])
