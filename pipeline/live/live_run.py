"""One strategy on one stream, live: from empty topics to the evidence of all records."""

from __future__ import annotations

import importlib.metadata
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.errors import StageError
from pipeline.live import child_processes
from pipeline.live.broker import topics
from pipeline.live.broker.broker_cluster import Cluster
from pipeline.live.controller_link import ControllerLink
from pipeline.live.live_settings import LiveSettings
from pipeline.live.local_launcher import LocalLauncher
from pipeline.live.records import evidence_file, rates_file
from pipeline.live.records.run_clock import RunClock, offset_now

PRODUCER = "pipeline.live.records.producer_process"

READY_S = 60.0
"""Time for the consumers of the first iteration to start, seconds."""

LEAD_S = 1.0
"""Time for the producer to start, seconds."""

END_S = 30.0
"""Time for the consumers and the controller to end, seconds."""

TURN_S = 0.02


class RunFailed(StageError):
    """A process of the run has failed, or did not get ready in time."""


def measure_strategy(
    settings: LiveSettings, rates: Sequence[Sequence[float]], strategy: str, cluster: Cluster
) -> Path:
    """Run a strategy on a stream until all records are processed.

    Parameters
    ----------
    settings
        Settings of the run; bootstrap and clock are filled in here.
    rates
        Bytes/s by iteration and partition.
    strategy
        Name of a registered algorithm.
    cluster
        The brokers.

    Returns
    -------
    Path
        The run's folder: settings, rates, journal, evidence, and the reports of the producer and of
        the run.

    Raises
    ------
    RunFailed
        If a process fails or takes too long; the message names its log.
    InputError
        If topics of the same run exist.
    """
    folder = Path(settings.folder)
    (folder / "evidence").mkdir(parents=True)
    settings = replace(settings, bootstrap=cluster.bootstrap, clock_offset_ns=offset_now())
    topics.create(settings)
    try:
        run = _Run(settings, rates, strategy)
        try:
            run.measure()
            run.report(cluster.version)
        finally:
            run.stop()
    finally:
        topics.delete(settings.bootstrap, settings.run)
    return folder


class _Run:
    """The processes of a run."""

    def __init__(
        self, settings: LiveSettings, rates: Sequence[Sequence[float]], strategy: str
    ) -> None:
        self._settings = settings
        self._folder = Path(settings.folder)
        self._file, self._rates = self._folder / "settings.json", self._folder / "rates.bin"
        rates_file.write(self._rates, rates)
        settings.save(self._file)
        self._clock = RunClock(settings.clock_offset_ns)
        self._launcher = LocalLauncher(settings, self._file)
        self._controller = ControllerLink(
            settings, self._file, strategy, self._rates, self._launcher
        )
        self._producer: child_processes.Child | None = None
        self._is_drained = False

    def measure(self) -> None:
        """Begin when the consumers are ready, and end when they have processed everything."""
        if not self._until(lambda: self._controller.is_ready, READY_S):
            raise RunFailed(f"no consumers after {READY_S:g} s; see {self._folder / 'logs'}")
        self._begin()
        span = self._settings.iteration_s * self._settings.iterations
        if not self._until(self._has_produced, span + END_S):
            raise RunFailed(f"the producer has not ended; see {self._folder / 'logs'}")
        sent = self._sent()
        # A group that is too small may need as long again for what is left.
        self._is_drained = self._until(lambda: self._processed() >= sent, max(span, END_S))
        self._controller.finish()
        if not self._until(lambda: self._controller.status is not None, END_S):
            raise RunFailed(f"the consumers have not ended; see {self._folder / 'logs'}")

    def stop(self) -> None:
        """End all processes that still run."""
        if self._producer is not None:
            child_processes.stop([self._producer], 1.0)
        child_processes.stop([self._controller.child], 1.0)
        self._launcher.stop(1.0)
        self._controller.close()

    def _begin(self) -> None:
        began_ns = self._clock.now() + round(LEAD_S * 1e9)
        self._settings = replace(self._settings, began_ns=began_ns)
        self._settings.save(self._file)
        log = self._folder / "logs" / "producer.log"
        self._producer = child_processes.start_module(
            PRODUCER, [self._file, self._rates], "producer", log
        )
        self._controller.begin(began_ns)

    def _until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Serve the controller until a condition holds; False if it does not in time."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                return False
            self._controller.turn(TURN_S)
        return True

    def _has_produced(self) -> bool:
        status = None if self._producer is None else self._producer.status()
        if self._producer is not None and status not in (None, 0):
            raise RunFailed(f"the producer has failed: {self._producer.why()}")
        return status == 0

    def _sent(self) -> int:
        report = json.loads((self._folder / "producer.json").read_text(encoding="utf-8"))
        return int(report["sent"])

    def _processed(self) -> int:
        files = (self._folder / "evidence").glob("*.bin")
        return sum(map(_count, files))

    def report(self, kafka: str) -> None:
        """Write `run.json`: what the run's figures depend on besides its settings."""
        client = importlib.metadata.version("confluent-kafka")
        content = {
            "versions": {"kafka": kafka, "confluent-kafka": client},
            "nodes": self._settings.nodes,
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "ended_ns": self._clock.now(),
            "drained": self._is_drained,
            "status": 0,
        }
        partial = self._folder / "run.partial"
        partial.write_text(json.dumps(content, indent=1), encoding="utf-8")
        partial.replace(self._folder / "run.json")


def _count(file: Path) -> int:
    with file.open("rb") as stream:
        header = stream.read(evidence_file.HEADER.size)
    return evidence_file.counted(header, file.stat().st_size, file)
