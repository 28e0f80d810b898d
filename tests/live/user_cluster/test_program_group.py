"""A group that takes a topic over: what it starts, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from live.live_settings import LiveSettings, load
from live.user_cluster import program_group
from live.user_cluster.program_group import GroupStopped, ProgramGroup
from live.user_cluster.take_over import TakeOver
from pipeline.base.errors import InputError
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.unit

TAKE_OVER = TakeOver("billing", "earliest")
FAULT = "app-1 at 10.0.0.7 has joined group 'billing'"


class World:
    """Processes of a group, and its topic; what happens is in a list.

    fault: What the watch finds with the next turn of the controller.
    ends: Whether consumers end when they are asked to.
    """

    def __init__(self) -> None:
        self.events: list[str] = []
        self.fault, self.ends = "", True
        self.errors: list[BaseException | None] = []

    def did(self, event: str) -> Callable[..., Any]:
        return lambda *_: self.events.append(event)


class Taken:
    """The topic."""

    def __init__(self, world: World, settings: LiveSettings, wanted: TakeOver) -> None:
        assert wanted == TAKE_OVER
        self._world, self.fault = world, ""
        self.settings = replace(settings, first_offsets=(1, 2, 3, 4))

    def __enter__(self) -> Taken:
        self._world.events.append("taken over")
        return self

    def __exit__(self, kind: Any, error: BaseException | None, at: Any) -> None:
        self._world.events.append("left")
        self._world.errors.append(error)


class Link:
    """The controller; two turns after the start it has a fault, if there is one."""

    children = ()

    def __init__(self, world: World, group: ProgramGroup) -> None:
        self._world, self._group, self._turns = world, group, 0
        self.status: int | None = None
        self.is_ready = True

    def turn(self, wait_s: float) -> None:
        self._turns += 1
        if self._turns == 2:
            assert self._group._taken is not None
            self._group._taken.fault = self._world.fault  # type: ignore[misc]

    def finish(self) -> None:
        self._world.events.append("consumers end")
        self.status = 0 if self._world.ends else None

    def close(self) -> None:
        self._world.events.append("closed")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setattr(program_group, "TakenTopic", lambda *each: Taken(world, *each))
    monkeypatch.setattr(program_group.topics, "of_run", lambda *_: ["gs.r.state"])
    monkeypatch.setattr(program_group.topics, "create", world.did("create"))
    monkeypatch.setattr(program_group.child_processes, "stop", world.did("stopped"))
    monkeypatch.setattr(program_group.child_processes, "start_module", lambda *_: Monitor())
    monkeypatch.setattr(program_group, "END_S", 0.05)
    return world


class Monitor:
    def status(self) -> None:
        return None


def group(
    world: World, folder: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any
) -> ProgramGroup:
    settings = replace(run_settings("127.0.0.1:1", folder), data_topic="orders", **changes)
    made = ProgramGroup(settings, "MWF", "order_totals", TAKE_OVER)
    monkeypatch.setattr(program_group, "ControllerLink", lambda *_: Link(world, made))
    return made


def test_processes_begin_at_the_offsets_and_end_before_these_go_back(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with group(world, tmp_path, monkeypatch) as serving:
        settings = load(tmp_path / "settings.json")
        assert (settings.data_topic, settings.first_offsets) == ("orders", (1, 2, 3, 4))
        assert settings.speeds == "measured"
        serving.serve(0.01)
    assert world.events[:2] == ["taken over", "consumers end"]
    assert world.events[-1] == "left"
    assert world.errors == [None]


@pytest.mark.parametrize("ends", [True, False])
def test_a_fault_ends_the_consumers_and_is_the_error(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    world.fault, world.ends = FAULT, ends
    serving = group(world, tmp_path, monkeypatch).__enter__()
    with pytest.raises(GroupStopped) as stopped:
        serving.serve(60.0)
    assert str(stopped.value) == FAULT
    serving.__exit__(GroupStopped, stopped.value, None)
    assert world.events[:2] == ["taken over", "consumers end"]
    assert world.events.count("consumers end") == 1
    assert world.events[-1] == "left"
    assert world.errors == [stopped.value]


def test_a_topic_and_its_group_go_together(tmp_path: Path) -> None:
    settings = run_settings("127.0.0.1:1", tmp_path)
    with pytest.raises(InputError, match="taken over together"):
        ProgramGroup(settings, "MWF", "order_totals", TAKE_OVER)
    with pytest.raises(InputError, match="taken over together"):
        ProgramGroup(replace(settings, data_topic="orders"), "MWF", "order_totals")


def test_consumers_that_go_on_take_nothing_over(tmp_path: Path) -> None:
    settings = replace(run_settings("127.0.0.1:1", tmp_path), data_topic="orders")
    launcher: Any = object()
    with pytest.raises(InputError, match="'orders' can be taken over by consumers of this machine"):
        ProgramGroup(settings, "MWF", launcher, TAKE_OVER)


def test_a_strategy_that_scales_takes_nothing_over(tmp_path: Path) -> None:
    settings = replace(run_settings("127.0.0.1:1", tmp_path), data_topic="orders")
    with pytest.raises(InputError, match="choose an algorithm for a topic that is taken over"):
        ProgramGroup(settings, "controller:headroom+placement", "order_totals", TAKE_OVER)
