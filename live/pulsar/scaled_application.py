"""The loop on a real application: monitor, analyser, planner and executor.

Measurements, estimates and policies are those of `algorithms.simulation`: the simulator asks the
same functions. The loop runs in the process that calls it, and every change is written to the
journal before Pulsar is asked, so that a run that dies in between shows what it was about to do.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.simulation.application_draws import drawn_events
from algorithms.simulation.application_estimates import Analysis, first_estimates, updated
from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_policies import start_policy
from live.processes import child_processes
from live.processes.child_processes import Child
from live.pulsar import load_process
from live.pulsar.function_windows import FunctionMonitor
from live.pulsar.load_process import Load
from live.pulsar.real_application import RealApplication, specs_of
from live.pulsar.standalone import PulsarFailed, Standalone

LOOK_S = 1.0
"""Time between looks at what instances have recorded, s."""

START_S, DRAIN_S = 60.0, 60.0
"""Limits of the load's start, and of the time until all events have come out, s."""

_STOP_S = 10.0


class Resizing(NamedTuple):
    """A change of the instances of a function that is made at a time, whatever is measured."""

    at_s: float
    function: str
    instances: int


class ScaledRun(NamedTuple):
    """What is run."""

    application: Application
    exponential: bool
    seed: int
    decision_s: float
    r_max: float
    receiver_queue: int
    policy: str
    """Name of the policy; decides every `decision_s` unless there are `resizings`."""
    arguments: Mapping[str, Any]
    resizings: Sequence[Resizing]


def run(pulsar: Standalone, scaled: ScaledRun, folder: Path, prefix: str) -> None:
    """Run an application on a Pulsar; evidence is in the folder afterwards.

    folder: New folder. Files: ``sent.txt`` and ``read.txt`` of the load, and ``journal.jsonl``.
    prefix: Beginning of the names of functions and topics.
    Raises StageError if Pulsar or the load fails.
    """
    folder.mkdir(parents=True)
    specs = specs_of(scaled.application, prefix, scaled.receiver_queue)
    initial = [function.initial for function in scaled.application.functions.values()]
    ends = {start for start, _ in scaled.application.edges}
    names = list(scaled.application.functions)
    outputs = [spec.output for spec, name in zip(specs, names, strict=True) if name not in ends]
    events = drawn_events(scaled.application, scaled.exponential, scaled.seed)
    load = Load(pulsar.service_url, specs[0].source, tuple(outputs), DRAIN_S)
    load_process.write(folder, load, events.times, events.services)
    with RealApplication(pulsar, specs, initial) as real:
        child = child_processes.start_module(
            "live.pulsar.load_process", [folder], "load", folder / "load.log"
        )
        try:
            began_ns = _began(folder, child)
            _Loop(real, scaled, folder, began_ns, child).run()
            seconds = scaled.application.seconds + DRAIN_S + START_S
            left = began_ns * 1e-9 + seconds - time.monotonic()
            if child.status_within(left) != 0:
                raise PulsarFailed(f"the load did not end well: {child.why()}")
        finally:
            child_processes.stop([child], _STOP_S)


def _began(folder: Path, child: Child) -> int:
    """When the load's clock began, ns of the monotonic clock."""
    file, until = folder / "began.json", time.monotonic() + START_S
    while not file.exists():
        if child.status() is not None or time.monotonic() > until:
            raise PulsarFailed(f"the load did not start: {child.why()}")
        time.sleep(0.05)
    return int(json.loads(file.read_text(encoding="utf-8"))["began_ns"])


class _Loop:
    def __init__(
        self, real: RealApplication, scaled: ScaledRun, folder: Path, began_ns: int, child: Child
    ) -> None:
        self._real, self._scaled, self._began_ns, self._child = real, scaled, began_ns, child
        self._names = list(scaled.application.functions)
        self._instances = np.array(real.initial, dtype=np.int64)
        self._monitor = FunctionMonitor(real.admin, real.specs)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._journal = os.open(folder / "journal.jsonl", flags, 0o644)

    def run(self) -> None:
        """Decide, or resize as planned, until the source has ended."""
        try:
            if self._scaled.resizings:
                for resizing in self._scaled.resizings:
                    self._wait(resizing.at_s)
                    self._resize(self._names.index(resizing.function), resizing.instances)
                self._wait(self._scaled.application.seconds)
            else:
                self._decide_all()
        finally:
            os.close(self._journal)

    def _decide_all(self) -> None:
        scaled = self._scaled
        found = self._real.found(scaled.application)
        plan = start_policy(scaled.policy, found, scaled.r_max, scaled.arguments)
        sources = frozenset({self._real.specs[0].source})
        estimates = first_estimates(len(self._names))
        before = 0.0
        for at_s in self._decision_times():
            self._watch(at_s)
            now = self._now()
            window = self._monitor.window(now - before, sources)
            estimates = updated(estimates, window)
            self._write("window", window=_plain(window), instances=self._instances.tolist())
            if at_s < scaled.application.seconds:
                counts = plan(Analysis(now, window, estimates, self._instances.copy()))
                for f in np.flatnonzero(counts != self._instances):
                    self._resize(int(f), int(counts[f]))
            before = now

    def _decision_times(self) -> Iterator[float]:
        """Ends of the windows: every decision, and the end of the source."""
        end, number = self._scaled.application.seconds, 1
        while number * self._scaled.decision_s < end:
            yield number * self._scaled.decision_s
            number += 1
        yield end

    def _resize(self, f: int, instances: int) -> None:
        spec, before = self._real.specs[f], int(self._instances[f])
        change = {"function": self._names[f], "before": before, "after": instances}
        self._write("asked", **change)
        began = time.monotonic()
        self._real.admin.resize(spec, instances)
        self._instances[f] = instances
        self._write("resized", **change, call_s=time.monotonic() - began)

    def _watch(self, until_s: float) -> None:
        """Look at what instances record until a time."""
        while until_s - self._now() > LOOK_S:
            self._wait(self._now() + LOOK_S)
            self._monitor.look()
        self._wait(until_s)

    def _wait(self, until_s: float) -> None:
        while (left := until_s - self._now()) > 0:
            self._real.pulsar.check()
            # It ends in order once all has come out, which can be before the last window ends.
            if self._child.status() not in (None, 0):
                raise PulsarFailed(f"the load ended early: {self._child.why()}")
            time.sleep(min(left, LOOK_S))

    def _now(self) -> float:
        return (time.monotonic_ns() - self._began_ns) * 1e-9

    def _write(self, kind: str, **content: Any) -> None:
        line = json.dumps({"kind": kind, "at_s": self._now(), **content})
        os.write(self._journal, f"{line}\n".encode())


def _plain(window: NamedTuple) -> dict[str, Any]:
    return {name: np.asarray(value).tolist() for name, value in window._asdict().items()}
