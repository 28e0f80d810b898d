"""The run's side of a group, with processes and a lag that the test plays."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from live.groups import own_group
from live.groups.group_consumer import journal_file
from live.groups.own_group import MOST_STARTS, GroupFailed, OwnGroup
from live.live_settings import LiveSettings
from live.processes.local_launcher import LocalLauncher
from live.records import journal
from live.strategy_kinds import CLASSIC, FixedGroup, KedaGroup
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.unit


class FakeLag:
    """The lag that the test has set."""

    lag: int | None = 0
    deleted = 0

    def __init__(self, *_: object) -> None:
        type(self).lag, type(self).deleted = 0, 0

    def read(self) -> int | None:
        return self.lag

    def delete_group(self) -> None:
        type(self).deleted += 1


class FakeLauncher:
    """Notes what is asked for; processes end when the test says so."""

    def __init__(self) -> None:
        self.running: list[tuple[int, int]] = []
        self.signals: list[tuple[int, int, signal.Signals]] = []
        self.over: list[tuple[int, int, int]] = []

    def launch(self, slot: int, incarnation: int) -> None:
        self.running.append((slot, incarnation))

    def send(self, slot: int, incarnation: int, number: signal.Signals) -> None:
        if (slot, incarnation) not in self.running:
            raise KeyError(slot)
        self.signals.append((slot, incarnation, number))

    def end(self, slot: int, incarnation: int, status: int = 0) -> None:
        self.running.remove((slot, incarnation))
        self.over.append((slot, incarnation, status))

    def ended(self) -> list[tuple[int, int, int]]:
        ends, self.over = self.over, []
        return ends


class Group:
    """A group with four partitions, whose clock the test turns."""

    def __init__(self, folder: Path, kind: FixedGroup | KedaGroup) -> None:
        self.settings = run_settings("", folder, partitions=4)
        self.launcher = FakeLauncher()
        self.own = OwnGroup(self.settings, kind, cast(LocalLauncher, self.launcher))
        self.now_ns = 0
        cast(Any, self.own)._clock = self

    def now(self) -> int:
        return self.now_ns

    def is_ready(self) -> bool:
        return self.own.is_ready

    def status(self) -> int | None:
        return self.own.status

    def note(self, slot: int, incarnation: int, what: str, *partitions: int) -> None:
        file = journal_file(self.settings, slot, incarnation)
        file.parent.mkdir(exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            entry = {"what": what, "at_ns": 7, "partitions": partitions}
            stream.write(json.dumps(entry) + "\n")

    def turn(self, seconds: float = 0.0, lag: int | None = 0) -> None:
        self.now_ns += round(seconds * 1e9)
        FakeLag.lag = lag
        self.own.turn(0.0)

    def entries(self, what: str, *names: str) -> list[tuple[Any, ...]]:
        file = Path(self.settings.folder) / "controller.jsonl"
        entries = [entry for entry in journal.entries(file) if entry["what"] == what]
        return [tuple(entry[name] for name in names) for entry in entries]


@pytest.fixture
def fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Group]:
    monkeypatch.setattr(own_group, "GroupLag", FakeLag)
    made = Group(tmp_path, FixedGroup(CLASSIC, 2))
    yield made
    made.own.close()


@pytest.fixture
def keda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Group]:
    monkeypatch.setattr(own_group, "GroupLag", FakeLag)
    made = Group(tmp_path, KedaGroup())
    made.own.begin(0)
    yield made
    made.own.close()


def test_a_group_is_ready_when_its_members_have_shared_the_partitions(fixed: Group) -> None:
    assert fixed.launcher.running == [(0, 1), (1, 1)]
    fixed.note(0, 1, "assigned", 0, 1, 2, 3)
    fixed.turn()
    assert not fixed.is_ready()
    fixed.note(0, 1, "revoked", 2, 3)
    fixed.note(1, 1, "assigned", 2, 3)
    fixed.turn()
    assert fixed.is_ready()
    members = fixed.entries("member", "kind", "consumer", "noted_ns", "partitions")
    assert members == [
        ("assigned", 0, 7, [0, 1, 2, 3]),
        ("revoked", 0, 7, [2, 3]),
        ("assigned", 1, 7, [2, 3]),
    ]


def test_a_run_is_over_when_all_members_have_ended(fixed: Group) -> None:
    fixed.turn()
    assert fixed.status() is None
    fixed.own.finish()
    assert [(slot, number) for slot, _, number in fixed.launcher.signals] == [
        (1, signal.SIGTERM),
        (0, signal.SIGTERM),
    ]
    fixed.launcher.end(0, 1)
    fixed.turn()
    assert fixed.status() is None
    fixed.launcher.end(1, 1, -signal.SIGTERM)
    fixed.turn()
    assert fixed.status() == 0
    assert fixed.entries("scale", "before", "after", "lag") == [(0, 2, None), (2, 0, None)]
    assert fixed.entries("fault") == []


def test_a_member_that_dies_is_started_again(fixed: Group) -> None:
    for incarnation in range(1, 6):
        fixed.note(1, incarnation, "assigned", 0)
        fixed.launcher.end(1, incarnation, -9)
        fixed.turn()
    assert (1, 6) in fixed.launcher.running
    faults = fixed.entries("fault", "kind", "consumer", "incarnation", "message")
    assert faults[0] == ("exited", 1, 1, "exit status -9")
    assert len(faults) == 5


def test_a_member_that_gets_no_partition_fails_the_run(fixed: Group) -> None:
    for incarnation in range(1, MOST_STARTS):
        fixed.launcher.end(1, incarnation, 1)
        fixed.turn()
    fixed.launcher.end(1, MOST_STARTS, 1)
    with pytest.raises(GroupFailed, match=r"member 1 has ended 3 times: exit status 1.*c1-3\.log"):
        fixed.turn()


def test_keda_starts_members_by_lag_and_ends_the_last_ones_after_the_hold(keda: Group) -> None:
    span = keda.settings.iteration_s
    keda.turn(span / 2, lag=1000)
    assert keda.launcher.running == [(0, 1)]
    keda.turn(span / 2, lag=2 * keda.settings.lag_threshold + 1)
    assert keda.launcher.running == [(0, 1), (1, 1), (2, 1)]
    for _ in range(10):
        keda.turn(span, lag=0)
    assert keda.launcher.signals == []
    keda.turn(span, lag=1)
    assert [(slot, n) for slot, n, _ in keda.launcher.signals] == [(2, 1), (1, 1)]
    keda.launcher.end(2, 1)
    keda.turn(span, lag=10**6)
    assert keda.launcher.running == [(0, 1), (1, 1), (1, 2), (2, 2), (3, 1)]
    assert keda.entries("scale", "before", "after", "lag") == [
        (0, 1, None),
        (1, 3, 201),
        (3, 1, 1),
        (1, 4, 10**6),
    ]
    assert keda.entries("lag", "wanted", "members")[-2:] == [(1, 1), (4, 4)]


def test_without_an_answer_the_group_stays(keda: Group) -> None:
    keda.turn(keda.settings.iteration_s, lag=None)
    assert keda.launcher.running == [(0, 1)]
    assert keda.entries("fault", "kind") == [("lag",)]
    keda.own.finish()
    keda.turn(keda.settings.iteration_s, lag=10**6)
    assert keda.launcher.running == [(0, 1)]


def test_a_group_has_caught_up_when_everything_is_committed(
    fixed: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_group, "DRAINED_S", 0.0)
    for lag, answer in [(3, False), (None, False), (0, True), (3, True)]:
        FakeLag.lag = lag
        # One record was committed and not processed: no more will come.
        assert fixed.own.has_caught_up(counted=False) is answer


def test_the_group_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_group, "GroupLag", FakeLag)
    Group(tmp_path, KedaGroup()).own.close()
    assert FakeLag.deleted == 1


def test_settings_have_a_threshold_of_their_own() -> None:
    assert LiveSettings("r", "", "", 1, 1.0, 1.0, 1.0, 1).lag_threshold == 100
