"""A group of consumers that run a user's own program, under the controller."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from live.kafka import topics
from live.live_settings import MEASURED, LiveSettings
from live.processes import child_processes
from live.processes.child_processes import Child
from live.processes.consumer_launcher import Launcher
from live.processes.controller_link import ControllerLink
from live.processes.local_launcher import LocalLauncher
from live.records.run_clock import RunClock, offset_now
from live.strategy_kinds import Controlled, Scaled, parse
from live.user_cluster import controlled_strategy
from live.user_cluster.take_over import TakeOver
from live.user_cluster.taken_topic import TakenTopic
from pipeline.base.errors import InputError, StageError, Stopped
from pipeline.base.process import signals

MONITOR = "live.speeds.monitor_process"

TURN_S = 0.02
"""Longest wait for the controller, seconds."""

END_S = 30.0
"""Time for the consumers to write their progress and end, seconds."""


class GroupFailed(StageError):
    """The monitor has ended, or the consumers did not in time."""


class GroupStopped(Stopped):
    """The topic that was taken over cannot be read any longer."""


class ProgramGroup:
    """Monitor, controller and consumers; a context manager, which ends them in order.

    The group reads topic ``gs.<run>.data``. Topics of the run are created if there are none, and
    stay: a later group with the same name goes on where this one has ended. With `take_over` it
    reads `LiveSettings.data_topic` from a group's offsets on, and gives them back as it ends.

    settings: Settings of the group; the strategy decides on measured speeds.
    strategy: An assignment algorithm, or one of `controlled_strategy`.
    consumers: What the consumers run, as ``python -m MODULE SETTINGS.json SLOT INCARNATION``; or
        what starts consumers on other machines, which go on when this group ends.
    take_over: Group of the user whose topic is read in its place.
    Raises InputError if the strategy is not one that the controller carries out, or a topic is to
        be taken over by consumers that go on, or without a group.
    """

    def __init__(
        self,
        settings: LiveSettings,
        strategy: str,
        consumers: str | Launcher,
        take_over: TakeOver | None = None,
    ) -> None:
        kind = parse(strategy, settings.partitions)
        self._is_scaled = isinstance(kind, Scaled) and controlled_strategy.is_controlled(kind.label)
        if not isinstance(kind, Controlled) and not self._is_scaled:
            raise InputError(f"strategy {strategy}: choose an algorithm; Kafka manages this group")
        _check_take_over(settings, consumers, take_over)
        self._settings = replace(settings, speeds=MEASURED)
        if self._is_scaled:
            if take_over is not None:
                raise InputError(
                    f"strategy {strategy}: choose an algorithm for a topic that is taken over; "
                    "lags of a strategy that scales are counted from the topic's start"
                )
            controlled_strategy.check(strategy, settings)
            self._settings = controlled_strategy.endless(settings)
        if isinstance(consumers, str) and not settings.clock_offset_ns:
            # Processes of one machine agree on the distance of its two clocks.
            self._settings = replace(self._settings, clock_offset_ns=offset_now())
        self._strategy, self._consumers = strategy, consumers
        self._has_begun = False
        self._resources = ExitStack()
        self._monitor: Child | None = None
        self._controller: ControllerLink | None = None
        self._take_over = take_over
        self._taken: TakenTopic | None = None

    def __enter__(self) -> Self:
        with ExitStack() as begun:
            self._start(begun)
            self._resources = begun.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if error is not None:
            self._resources.__exit__(kind, error, at)
            return
        with self._resources:
            self._finish()

    @property
    def is_ready(self) -> bool:
        """Whether all partitions have an owner."""
        return self._controller is not None and self._controller.is_ready

    def serve(self, seconds: float | None = None) -> None:
        """Let the group work for a time, or until signalled.

        Raises StageError, with the log, or GroupStopped if a topic must be left to others.
        """
        try:
            with signals.taken():
                self._until(lambda: bool(self._fault), seconds)
        except signals.Interrupted:
            return
        if self._fault:
            # Those that do not end in order are killed as the group closes.
            with suppress(StageError):
                self._finish()
            raise GroupStopped(self._fault)

    @property
    def _fault(self) -> str:
        """Why a topic that was taken over cannot be read any longer; empty if it can."""
        return "" if self._taken is None else self._taken.fault

    def _start(self, begun: ExitStack) -> None:
        if self._take_over is not None:
            self._taken = TakenTopic(self._settings, self._take_over)
            self._settings = self._taken.settings
            # Left last, when no consumer is at work any more.
            begun.enter_context(self._taken)
        settings, folder = self._settings, Path(self._settings.folder)
        (folder / "evidence").mkdir(parents=True, exist_ok=True)
        file = folder / "settings.json"
        settings.save(file)
        if not topics.of_run(settings.bootstrap, settings.run, settings.security.confluent):
            topics.create(settings)
        launcher = self._consumers
        if isinstance(launcher, str):
            launcher = LocalLauncher(settings, file, launcher)
        begun.callback(launcher.stop, 1.0)
        log = folder / "logs" / "monitor.log"
        self._monitor = child_processes.start_module(MONITOR, [file], "monitor", log)
        begun.callback(child_processes.stop, [self._monitor], 1.0)
        # A stream of rates is for strategies that are given them.
        unused = folder / "rates.bin"
        self._controller = ControllerLink(settings, file, self._strategy, unused, launcher)
        begun.callback(self._controller.close)
        begun.callback(child_processes.stop, self._controller.children, 1.0)

    def _finish(self) -> None:
        """End the consumers of this machine in order, which write their progress."""
        if self._controller is None or not isinstance(self._consumers, str):
            return
        controller = self._controller
        controller.finish()
        if not self._until(lambda: controller.status is not None, END_S):
            raise GroupFailed(f"the consumers have not ended; see {self._settings.folder}/logs")

    def _until(self, holds: Callable[[], bool], seconds: float | None) -> bool:
        end = None if seconds is None else time.monotonic() + seconds
        while not holds():
            if end is not None and time.monotonic() > end:
                return False
            if self._monitor is not None and self._monitor.status() is not None:
                raise GroupFailed(f"the monitor has ended: {self._monitor.why()}")
            if self._controller is not None:
                self._controller.turn(TURN_S)
                self._begin(self._controller)
        return True

    def _begin(self, controller: ControllerLink) -> None:
        """Let a strategy with a clock decide, once its first consumers have all partitions."""
        if self._is_scaled and controller.is_ready and not self._has_begun:
            controller.begin(RunClock(self._settings.clock_offset_ns).now())
            self._has_begun = True


def _check_take_over(
    settings: LiveSettings, consumers: str | Launcher, take_over: TakeOver | None
) -> None:
    if bool(settings.data_topic) != (take_over is not None):
        raise InputError("a topic and its group are taken over together; give both")
    if take_over is not None and not isinstance(consumers, str):
        raise InputError(
            f"topic {settings.data_topic!r} can be taken over by consumers of this machine only: "
            "others go on when the group ends, and its offsets would not be handed back"
        )
