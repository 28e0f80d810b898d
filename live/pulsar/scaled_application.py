"""One run of a real application: its functions, its load and its loop, each watched to its end.

Load and loop are processes. A loop that is killed is started again and goes on where its journal
ends; without the load or Pulsar the run ends.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.simulation.application_draws import drawn_events
from algorithms.simulation.application_graph import Application
from live.processes import child_processes
from live.processes.child_processes import Child
from live.pulsar import load_process, loop_process
from live.pulsar.load_process import Load
from live.pulsar.real_application import READY_SECONDS, RealApplication, Work, specs_of
from live.pulsar.scaling_loop import LoopTask, Resizing
from live.pulsar.standalone import PulsarFailed, Standalone

START_S, DRAIN_S = 120.0, 60.0
"""Limits of the start of load or loop, and of the time until all events have come out, s."""

MOST_RESTARTS = 5
"""Times that a loop is started again before the run fails."""

LOOP, LOAD = "live.pulsar.loop_process", "live.pulsar.load_process"
"""Modules of their processes."""

_STOP_S, _LOOK_S = 10.0, 0.1


class ScaledRun(NamedTuple):
    """What is run."""

    application: Application
    exponential: bool
    seed: int
    decision_s: float
    r_max: float
    work: Work
    policy: str
    """Name of the policy; decides every `decision_s` unless there are `resizings`."""
    arguments: Mapping[str, Any]
    resizings: Sequence[Resizing]


def run(pulsar: Standalone, scaled: ScaledRun, folder: Path, prefix: str) -> None:
    """Run an application on a Pulsar; evidence is in the folder afterwards.

    folder: New folder. Files: ``sent.txt`` and ``read.txt`` of the load, and ``journal.jsonl``.
    prefix: Beginning of the names of functions and topics.
    Raises StageError if Pulsar, the load or the loop fails.
    """
    folder.mkdir(parents=True)
    application = scaled.application
    specs = specs_of(application, prefix, scaled.work)
    initial = [function.initial for function in application.functions.values()]
    ends = {start for start, _ in application.edges}
    outputs = [
        spec.output
        for spec, name in zip(specs, application.functions, strict=True)
        if name not in ends
    ]
    events = drawn_events(application, scaled.exponential, scaled.seed)
    # What is resized is not held.
    holds = np.where([spec.width > 0 for spec in specs], 0.0, events.services)
    load = Load(
        pulsar.service_url,
        str(pulsar.token_file),
        specs[0].source,
        tuple(outputs),
        DRAIN_S,
        scaled.work.image_width,
        scaled.seed,
    )
    load_process.write(folder, load, events.times, holds)
    task = LoopTask(
        application,
        specs,
        pulsar.files.function,
        scaled.decision_s,
        scaled.r_max,
        scaled.policy,
        scaled.arguments,
        scaled.resizings,
    )
    loop_process.write(folder, task, pulsar.admin_url, pulsar.token_file)
    with RealApplication(pulsar, specs, initial), _Processes(pulsar, folder) as processes:
        processes.begin()
        processes.wait(_load_s(application.seconds))


def longest_s(seconds: float) -> float:
    """Longest time that a run takes whose load lasts so long, s."""
    # Functions, loop and load start one after the other.
    return READY_SECONDS + 2.0 * START_S + _load_s(seconds)


def _load_s(seconds: float) -> float:
    """Time limit from the beginning of the load until both processes have ended, s."""
    return seconds + DRAIN_S + START_S


class _Processes:
    """Load and loop of a run; a context manager that ends them."""

    def __init__(self, pulsar: Standalone, folder: Path) -> None:
        self._pulsar, self._folder = pulsar, folder
        self._loop: Child | None = None
        self._load: Child | None = None
        self._restarts = 0

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, *_: object) -> None:
        child_processes.stop([child for child in (self._load, self._loop) if child], _STOP_S)

    def begin(self) -> None:
        """Start both. The loop comes first, since it takes seconds until it can decide."""
        self._loop = self._started(LOOP, "loop")
        self._until_there(loop_process.READY, "loop")
        self._load = self._started(LOAD, "load")
        self._until_there(loop_process.BEGAN, "load")

    def wait(self, seconds: float) -> None:
        """Wait until both have ended in order. Raises StageError if one does not, or in time."""
        until = time.monotonic() + seconds
        while not self._is_over():
            if time.monotonic() > until:
                late = "loop" if self._load and self._load.status() == 0 else "load"
                raise PulsarFailed(f"the {late} did not end in time (log: {self._log(late)})")
            time.sleep(_LOOK_S)

    def _started(self, module: str, name: str) -> Child:
        return child_processes.start_module(module, [self._folder], name, self._log(name))

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def _until_there(self, file: str, name: str) -> None:
        until = time.monotonic() + START_S
        while not (self._folder / file).exists():
            self._is_over()
            if time.monotonic() > until:
                raise PulsarFailed(f"the {name} does not start in time (log: {self._log(name)})")
            time.sleep(_LOOK_S / 2)

    def _is_over(self) -> bool:
        """Whether both have ended in order; a killed loop is started again."""
        load, loop = (
            None if child is None else child.status() for child in (self._load, self._loop)
        )
        # Looked at after them: if it has ended, that is why they have.
        self._pulsar.check()
        if load:
            raise PulsarFailed(f"the load ended early: {_why(self._load)}")
        if loop and (loop > 0 or self._restarts == MOST_RESTARTS):
            raise PulsarFailed(f"the loop ended early: {_why(self._loop)}")
        if loop:
            self._restarts += 1
            self._loop = self._started(LOOP, "loop")
        return load == loop == 0


def _why(child: Child | None) -> str:
    return "not started" if child is None else child.why()
