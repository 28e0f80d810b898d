"""A controller recovers from errors, but not for ever."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from live.controller import controller_process
from live.controller.group_controller import LaunchFailed
from live.controller.launcher_channel import LauncherGone
from live.controller.recoveries import MOST_RECOVERIES, Recoveries
from live.controller.transactions import BrokerSilent, Fenced
from pipeline.base.errors import InputError
from tests.pipeline.experiments.live.synthetic_folders import settings_for

pytestmark = pytest.mark.unit

QUIET_S = 20.0


def errors_until_the_end(recoveries: Recoveries) -> int:
    """Errors in a row from which a controller recovers."""
    return next(n for n in range(100) if recoveries.failed() is None)


def test_recoveries_in_a_row_are_limited() -> None:
    assert errors_until_the_end(Recoveries(QUIET_S)) == MOST_RECOVERIES == 5


def test_the_pauses_before_recoveries_grow() -> None:
    recoveries = Recoveries(QUIET_S)
    pauses = [recoveries.failed() or 0.0 for _ in range(MOST_RECOVERIES)]
    assert pauses == sorted(set(pauses))
    assert pauses[0] < 0.5
    # A broker that restarts takes up to 14 s.
    assert 15 < sum(pauses) < 60


@pytest.mark.parametrize(
    ("turns", "is_over"),
    [
        ([(True, 100.0), (True, 119.0)], False),
        ([(True, 100.0), (True, 120.0)], True),
        # Partitions move again and again.
        ([(False, 90.0), (True, 100.0), (False, 110.0), (False, 121.0)], True),
        # What it was to do after the recovery never was.
        ([(False, 100.0), (False, 500.0)], False),
        ([(False, 100.0), (True, 499.0), (True, 500.0)], False),
    ],
)
def test_a_row_is_over_when_the_controller_has_worked(
    turns: list[tuple[bool, float]], is_over: bool
) -> None:
    recoveries = Recoveries(QUIET_S)
    for _ in range(3):
        recoveries.failed()
    for is_settled, now_s in turns:
        recoveries.worked(is_settled, now_s)
    assert errors_until_the_end(recoveries) == (MOST_RECOVERIES if is_over else 2)


def test_each_recovery_has_to_prove_itself() -> None:
    recoveries = Recoveries(QUIET_S)
    recoveries.worked(True, 100.0)
    recoveries.failed()
    recoveries.worked(True, 130.0)
    assert errors_until_the_end(recoveries) == MOST_RECOVERIES - 1


class TooOften(BaseException):
    """The controller does not give up."""


class Process:
    """A controller process whose controllers do what a test says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pauses: list[float] = []
        self.failures: list[str] = []
        self.controllers = 0
        self.turn: Callable[[int], None] = lambda _: None
        # Threads of other tests sleep, too.
        clock = SimpleNamespace(sleep=self.pauses.append, monotonic=time.monotonic)
        monkeypatch.setattr(controller_process, "time", clock)
        monkeypatch.setattr(controller_process, "_decisions", lambda *_: None)
        monkeypatch.setattr(controller_process, "GroupController", self._controller)
        monkeypatch.setattr(controller_process, "LauncherChannel", lambda *_: self)
        settings = settings_for(folder)
        folder.mkdir()
        settings.save(folder / "settings.json")
        self._file, self._journal = folder / "settings.json", folder / "controller.jsonl"
        self.began_ns, self.is_over = 0, True

    def ready(self) -> None: ...

    def failed(self, message: str) -> None:
        self.failures.append(message)

    def run(self, turn: Callable[[int], None]) -> int:
        """Exit status, if the n-th controller does something in its only turn."""
        self.turn = turn
        return controller_process.main([str(self._file), "MWF", "rates.bin", "0", "1"])

    def journaled(self) -> list[str]:
        """Messages of the errors that it has recovered from."""
        return [json.loads(line)["message"] for line in self._journal.read_text().splitlines()]

    def _controller(self, *_: Any) -> Any:
        self.controllers += 1
        if self.controllers > 50:
            raise TooOften
        return _Controller(self.turn, self.controllers)


class _Controller:
    is_settled = is_empty = True

    def __init__(self, turn: Callable[[int], None], number: int) -> None:
        self._turn, self._number = turn, number

    def turn(self, _: int) -> None:
        self._turn(self._number)

    def end(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Process:
    return Process(tmp_path / "run", monkeypatch)


def raising(error: BaseException, times: int = 1000) -> Callable[[int], None]:
    """Turns that fail, of the first controllers."""

    def turn(number: int) -> None:
        if number <= times:
            raise error

    return turn


@pytest.mark.parametrize("error", [BrokerSilent("no answer"), KeyError("a bug"), OSError("gone")])
def test_a_controller_recovers_from_any_error(process: Process, error: Exception) -> None:
    assert process.run(raising(error, MOST_RECOVERIES)) == 0
    assert process.controllers == MOST_RECOVERIES + 1
    assert len(process.pauses) == len(process.journaled()) == MOST_RECOVERIES
    assert process.failures == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BrokerSilent("no answer"), "BrokerSilent: no answer (after 5 recoveries in a row)"),
        (KeyError("a bug"), "KeyError: 'a bug' (after 5 recoveries in a row)"),
    ],
)
def test_a_controller_fails_after_five_recoveries(
    process: Process, error: Exception, words: str
) -> None:
    assert process.run(raising(error)) == 1
    assert process.controllers == MOST_RECOVERIES + 1
    assert process.failures == [words]


@pytest.mark.parametrize(
    ("error", "status", "failures"),
    [
        (Fenced("a newer one"), 3, []),
        (LauncherGone(), 1, []),
        (LaunchFailed("consumer 2 does not start"), 1, ["consumer 2 does not start"]),
        (InputError("unknown strategy"), 1, ["unknown strategy"]),
    ],
)
def test_what_no_recovery_helps_against_ends_the_controller(
    process: Process, error: Exception, status: int, failures: list[str]
) -> None:
    assert process.run(raising(error)) == status
    assert (process.controllers, process.pauses) == (1, [])
    assert process.failures == failures
