"""The loop: monitor, analyser, planner and executor of an application.

Measurements, estimates and policies are those of `algorithms.simulation`: the simulator asks the
same functions. Every change is in the journal before Pulsar is asked. A loop that takes over
replays the journal through the same functions, finds out whether the last change was made, and
carries out what is left of the last plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.simulation.application_estimates import Analysis, first_estimates, updated
from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_measures import Window
from algorithms.simulation.application_policies import Plan, start_policy
from live.pulsar import loop_journal
from live.pulsar.function_windows import FunctionMonitor
from live.pulsar.functions_admin import (
    FunctionFailed,
    FunctionMissing,
    FunctionsAdmin,
    FunctionSpec,
)
from live.pulsar.loop_journal import LoopJournal
from live.pulsar.real_application import found
from pipeline.base.errors import StageError

T = TypeVar("T")

LOOK_S = 1.0
"""Time between looks at what instances have recorded, s."""

CREATE_S = 60.0
"""Time in which a function that is gone must run again, s."""

MOST_CREATED = 5
"""Times in a run that the loop creates functions again before it fails."""


class Resizing(NamedTuple):
    """A change of the instances of a function that is made at a time, whatever is measured."""

    at_s: float
    function: str
    instances: int


@dataclass(frozen=True)
class LoopTask:
    """What a loop does."""

    application: Application
    specs: Sequence[FunctionSpec]
    jar: Path
    """JAR of the functions' class."""
    decision_s: float
    r_max: float
    policy: str
    """Name of the policy; decides every `decision_s` unless there are `resizings`."""
    arguments: Mapping[str, Any]
    resizings: Sequence[Resizing]


class ScalingLoop:
    """A loop, for one call of `run`.

    folder: Of the journal.
    """

    def __init__(self, task: LoopTask, admin: FunctionsAdmin, folder: Path) -> None:
        self._task, self._admin, self._began_ns = task, admin, 0
        self._names = list(task.application.functions)
        self._journal = LoopJournal(folder)
        self._monitor = FunctionMonitor(admin, task.specs)
        self._estimates = first_estimates(len(self._names))
        self._before_s = 0.0
        past = self._journal.past
        self._created = sum(entry["kind"] == loop_journal.CREATED for entry in past)
        self._resized = 0
        initial = [function.initial for function in task.application.functions.values()]
        self._instances = np.array(initial, dtype=np.int64)
        for entry in past:
            if entry["kind"] == loop_journal.RESIZED:
                self._set(self._names.index(entry["function"]), int(entry["after"]))

    def run(self, began_ns: int) -> None:
        """Decide, or resize as planned, until the source has ended.

        began_ns: When the load began, ns of the monotonic clock.
        Raises StageError if Pulsar fails, or functions are deleted too often.
        """
        self._began_ns = began_ns
        try:
            if self._journal.past:
                self._take_over()
            if self._task.resizings:
                self._resize_all()
            else:
                self._decide_all()
        finally:
            self._journal.close()

    def _take_over(self) -> None:
        """Find out whether the last change was made."""
        self._write(loop_journal.RESTARTED)
        change = loop_journal.unfinished(self._journal.past)
        if change is None:
            return
        f, after = self._names.index(change["function"]), int(change["after"])
        name = self._task.specs[f].name
        if self._mending(lambda: self._admin.instances(name)) == after:
            self._set(f, after)
            known = {key: change[key] for key in ("function", "before", "after")}
            self._write(loop_journal.RESIZED, **known, call_s=self._now() - change["at_s"])

    def _resize_all(self) -> None:
        for resizing in self._task.resizings[self._resized :]:
            self._wait(resizing.at_s)
            self._resize(self._names.index(resizing.function), resizing.instances)
        self._wait(self._task.application.seconds)

    def _decide_all(self) -> None:
        task = self._task
        graph = self._mending(lambda: found(self._admin, task.specs, task.application))
        plan = start_policy(task.policy, graph, task.r_max, task.arguments)
        self._replay(plan)
        sources = frozenset({task.specs[0].source})
        for at_s in self._decision_times():
            self._watch(at_s)
            now, window = self._mending(partial(self._window, sources))
            decides = at_s < task.application.seconds
            self._write(
                loop_journal.WINDOW,
                until_s=now,
                window=_plain(window),
                entries=list(self._monitor.entries()),
                instances=self._instances.tolist(),
                monitor=self._monitor.state(),
                decides=decides,
            )
            self._estimates, self._before_s = updated(self._estimates, window), now
            if decides:
                self._carry_out(plan(self._analysis(now, window, self._instances)))

    def _window(self, sources: frozenset[str]) -> tuple[float, Window]:
        """When the window ends, s, and its measurements."""
        now = self._now()
        return now, self._monitor.window(now - self._before_s, sources)

    def _replay(self, plan: Plan) -> None:
        """Bring estimates and policy to where the loops before were, and end their last plan."""
        counts = None
        for entry in self._journal.past:
            if entry["kind"] != loop_journal.WINDOW:
                continue
            window = Window(**{name: _array(value) for name, value in entry["window"].items()})
            self._estimates, self._before_s = updated(self._estimates, window), entry["until_s"]
            instances = np.array(entry["instances"], dtype=np.int64)
            counts = None
            if entry["decides"]:
                counts = plan(self._analysis(entry["until_s"], window, instances))
            self._monitor.resume(entry["monitor"])
        if counts is not None:
            self._carry_out(counts)

    def _analysis(self, now: float, window: Window, instances: Longs) -> Analysis:
        return Analysis(now, window, self._estimates, instances.copy())

    def _decision_times(self) -> Iterator[float]:
        """Ends of the windows to come: every decision, and the end of the source.

        Of those that pass without a loop, or while one waits, the last is made up for, unless a
        window that ended late has it already.
        """
        end, step = self._task.application.seconds, self._task.decision_s
        number = 1
        while number * step < end:
            at_s, number = number * step, number + 1
            is_passed = number * step < end and number * step <= self._now()
            if at_s > self._before_s and not is_passed:
                yield at_s
        if self._before_s < end:
            yield end

    def _carry_out(self, counts: Longs) -> None:
        for f in np.flatnonzero(counts != self._instances):
            self._resize(int(f), int(counts[f]))

    def _resize(self, f: int, instances: int) -> None:
        spec = self._task.specs[f]
        change = {
            "function": self._names[f],
            "before": int(self._instances[f]),
            "after": instances,
        }
        self._write(loop_journal.ASKED, **change)
        began = time.monotonic()
        self._mending(lambda: self._admin.resize(spec, self._task.jar, instances))
        self._set(f, instances)
        self._write(loop_journal.RESIZED, **change, call_s=time.monotonic() - began)

    def _set(self, f: int, instances: int) -> None:
        self._instances[f] = instances
        self._resized += 1

    def _mending(self, ask: Callable[[], T]) -> T:
        """Result of a call; a function that it finds missing is created again first."""
        while True:
            try:
                return ask()
            except FunctionMissing as missing:
                self._create_again(missing.name)

    def _create_again(self, name: str) -> None:
        """Create a function that is gone; its subscription is still there, and what waits in it."""
        f = [spec.name for spec in self._task.specs].index(name)
        if self._created == MOST_CREATED:
            raise StageError(
                f"the function {self._names[f]} is gone, and the loop has created functions again "
                f"{MOST_CREATED} times; find out what deletes them"
            )
        self._created += 1
        began, instances = time.monotonic(), int(self._instances[f])
        while not self._is_created(f, instances):
            if time.monotonic() - began > CREATE_S:
                raise StageError(f"the function {self._names[f]} does not run again in time")
            time.sleep(LOOK_S / 4)
        self._write(
            loop_journal.CREATED,
            function=self._names[f],
            instances=instances,
            seconds=time.monotonic() - began,
        )

    def _is_created(self, f: int, instances: int) -> bool:
        """Whether a function runs; it is created if Pulsar does not have it."""
        spec = self._task.specs[f]
        # Statistics are refused while instances start, and functions while one is being removed.
        with suppress(FunctionFailed):
            if spec.name in self._admin.names():
                return self._admin.running(spec.name) >= instances
            self._admin.create(spec, self._task.jar, instances)
        return False

    def _watch(self, until_s: float) -> None:
        """Look at what instances record until a time."""
        while until_s - self._now() > LOOK_S:
            time.sleep(LOOK_S)
            self._mending(self._monitor.look)
        self._wait(until_s)

    def _wait(self, until_s: float) -> None:
        time.sleep(max(until_s - self._now(), 0.0))

    def _now(self) -> float:
        return (time.monotonic_ns() - self._began_ns) * 1e-9

    def _write(self, kind: str, **content: Any) -> None:
        self._journal.write(kind, self._now(), **content)


def _plain(window: Window) -> dict[str, Any]:
    return {name: np.asarray(value).tolist() for name, value in window._asdict().items()}


def _array(value: Any) -> Any:
    return np.array(value) if isinstance(value, list) else value
