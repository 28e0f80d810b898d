"""The script that kills controllers, on a run that is not one."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from live.runs.strategy_run import StrategyRun
from pipeline.experiments.live.faults import fault_scripts
from pipeline.experiments.live.faults.halt_point import MOMENTS, HaltPoint
from tests.pipeline.experiments.live.synthetic_folders import settings_for

pytestmark = pytest.mark.unit

REACHES_S = 0.5
"""How long a controller works before it comes to a moment."""


class Run:
    """A run whose controllers come to a moment soon after they were started, or never."""

    def __init__(self, folder: Path, never: str = "") -> None:
        self.settings = settings_for(folder, iterations=20)
        self.point, self.never = HaltPoint(folder), never
        self.controller_module = ""
        self.notes: list[str] = []
        self.killed, self.time_s = 0, 0.0
        self.controller = SimpleNamespace(child=self, is_ready=True)

    def seconds(self) -> float:
        return self.time_s

    def note(self, what: str, moment: str) -> None:
        assert what == "fault"
        self.notes.append(moment)

    def send(self, number: signal.Signals) -> None:
        assert number is signal.SIGKILL
        self.killed += 1

    def status_within(self, seconds: float) -> None: ...

    def succeed_controller(self) -> None:
        self.time_s += REACHES_S

    def follow(self) -> None:
        """Have the script kill controllers."""
        for at_s in fault_scripts.kill_controller(cast(StrategyRun, self)):
            self.time_s = max(self.time_s, at_s) + 0.02
            for moment in MOMENTS:
                if moment != self.never:
                    self.point.passed(moment)


@pytest.fixture(autouse=True)
def _halts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "kill", lambda *_: None)


def test_controllers_are_killed_at_every_moment(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.follow()
    assert run.controller_module == fault_scripts.HALTING
    assert run.notes == list(MOMENTS)
    # One that does not stop is replaced by one that recovers.
    assert run.killed == len(MOMENTS) + 1


def test_a_moment_that_never_comes_is_not_waited_for_beyond_the_run(tmp_path: Path) -> None:
    run = Run(tmp_path, never="ask")
    run.follow()
    assert run.notes == list(MOMENTS)[: list(MOMENTS).index("ask")]
    settings = run.settings
    assert run.time_s < (settings.iterations - 1) * settings.iteration_s
    # A controller that comes to it at the end of the run does not stop.
    assert not run.point.is_requested("ask")
