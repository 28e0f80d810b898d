"""The processes of one strategy on one stream, from their start to their end."""

from __future__ import annotations

import importlib.metadata
import json
import os
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from live.kafka.broker_cluster import Cluster
from live.live_settings import GIVEN, LiveSettings
from live.processes import child_processes
from live.processes.controller_link import CONTROLLER, ControllerLink
from live.records import evidence_file, rates_file
from live.records.journal import Journal
from live.records.run_clock import RunClock
from live.runs.group_manager import GroupManager, new_launcher, new_manager
from live.strategy_kinds import parse
from pipeline.base.errors import StageError
from pipeline.base.process import replaced_file

PRODUCER = "live.records.producer_process"
MONITOR = "live.speeds.monitor_process"

READY_S = 120.0
"""Time for the first consumers to start, and for a strategy that was never used to be compiled,
seconds."""

LEAD_S = 1.0
"""Time for the producer to start, seconds."""

END_S = 30.0
"""Time for the consumers and the controller to end, seconds."""

TURN_S = 0.02


class RunFailed(StageError):
    """A process of the run has failed, or did not get ready in time."""


class Brokers(Protocol):
    """What a run needs to know of its brokers."""

    @property
    def bootstrap(self) -> str:
        """Addresses, ``host:port,…``."""

    @property
    def version(self) -> str:
        """Version of Kafka."""

    @property
    def client_file(self) -> str:
        """Client properties file that they have made for their clients; empty for none."""

    def outage(self) -> str:
        """Why no broker is left; empty while there is one, or where that is not known."""


Script = Callable[["StrategyRun"], Generator[float, None, None]]
"""What happens to a run from outside: it yields when it goes on, in seconds since the beginning."""


class StrategyRun:
    """The processes of a run.

    rates: Bytes/s by iteration and partition.
    strategy: Name of a live strategy; see `live.strategy_kinds`.
    script: What happens to the run from outside; None for nothing.
    launcher, producer, monitor: The processes, for scripts; ``producer`` is None before the
        beginning, ``monitor`` where speeds are given.
    controller_module: What controllers run from now on.
    """

    def __init__(
        self,
        settings: LiveSettings,
        rates: Sequence[Sequence[float]],
        strategy: str,
        cluster: Brokers,
        script: Script | None = None,
    ) -> None:
        self.settings, self._brokers = settings, cluster
        self._kind = parse(strategy, settings.partitions)
        self._folder = Path(settings.folder)
        self._file, self._rates = self._folder / "settings.json", self._folder / "rates.bin"
        rates_file.write(self._rates, rates)
        settings.save(self._file)
        self._clock = RunClock(settings.clock_offset_ns)
        self.launcher = new_launcher(settings, self._file, self._kind)
        self.controller_module = CONTROLLER
        # A script may change what the first processes run.
        self._script = None if script is None else script(self)
        self._manager = self._new_manager()
        self.producer: child_processes.Child | None = None
        self.monitor = self._new_monitor()
        self._former: list[GroupManager] = []
        self._is_drained = False
        self._next_s = 0.0
        self._journal = Journal(self._folder / "script.jsonl", self._clock.now)

    def measure(self) -> None:
        """Begin when the consumers are ready, and end when they have processed everything.

        Raises RunFailed if a process fails or takes too long; the message names its log.
        """
        logs = self._folder / "logs"
        if not self._until(lambda: self._manager.is_ready, READY_S):
            raise RunFailed(f"no consumers after {READY_S:g} s; see {logs}")
        self._begin()
        span = self.settings.iteration_s * self.settings.iterations
        if not self._until(self._has_produced, span + END_S):
            raise RunFailed(f"the producer has not ended; see {logs}")
        sent = self._sent()
        # A group that is too small may need as long again for what is left.
        self._is_drained = self._until(lambda: self._has_processed(sent), max(span, END_S))
        self._manager.finish()
        if not self._until(lambda: self._manager.status is not None, END_S):
            raise RunFailed(f"the consumers have not ended; see {logs}")

    def stop(self) -> None:
        """End all processes that still run."""
        links = [*self._former, self._manager]
        others = [child for child in (self.producer, self.monitor) if child is not None]
        child_processes.stop([*others, *(each for link in links for each in link.children)], 1.0)
        self.launcher.stop(1.0)
        for link in links:
            link.close()
        self._journal.close()

    def seconds(self) -> float:
        """Time since the beginning, for scripts."""
        return (self._clock.now() - self.settings.began_ns) / 1e9

    def note(self, what: str, **fields: object) -> None:
        """Write what a script does into the file ``script.jsonl``, with the time."""
        self._journal.write(what, **fields)

    @property
    def cluster(self) -> Cluster:
        """The brokers, for scripts. Raises RunFailed if they are not the run's own."""
        if isinstance(self._brokers, Cluster):
            return self._brokers
        raise RunFailed("the brokers of a user's cluster are not touched")

    @property
    def controller(self) -> ControllerLink:
        """The controller, for scripts. Raises RunFailed if Kafka itself manages the group."""
        return _controller(self._manager)

    @property
    def former_controllers(self) -> list[ControllerLink]:
        """Controllers that others have taken over from."""
        return list(map(_controller, self._former))

    def succeed_controller(self) -> None:
        """Start another controller, which takes over from the present one, dead or alive."""
        self._former.append(self.controller)
        self._manager = self._new_manager()
        self._manager.begin(self.settings.began_ns)

    def report(self) -> None:
        """Write `run.json`: what the run's figures depend on besides its settings."""
        client = importlib.metadata.version("confluent-kafka")
        content = {
            "versions": {"kafka": self._brokers.version, "confluent-kafka": client},
            "nodes": self.settings.nodes,
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "ended_ns": self._clock.now(),
            "drained": self._is_drained,
            "status": 0,
        }
        replaced_file.write_json(self._folder / "run.json", content, indent=1)

    def _new_manager(self) -> GroupManager:
        return new_manager(
            self.settings,
            self._file,
            self._kind,
            self._rates,
            self.launcher,
            self.controller_module,
        )

    def _new_monitor(self) -> child_processes.Child | None:
        if self.settings.speeds == GIVEN:
            return None
        log = self._folder / "logs" / "monitor.log"
        return child_processes.start_module(MONITOR, [self._file], "monitor", log)

    def _begin(self) -> None:
        began_ns = self._clock.now() + round(LEAD_S * 1e9)
        self.settings = replace(self.settings, began_ns=began_ns)
        self.settings.save(self._file)
        log = self._folder / "logs" / "producer.log"
        self.producer = child_processes.start_module(
            PRODUCER, [self._file, self._rates], "producer", log
        )
        self._manager.begin(began_ns)

    def _until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Serve the group's manager until a condition holds; False if it does not in time."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                return False
            self._check_brokers()
            self._manager.turn(TURN_S)
            self._follow_script()
        return True

    def _check_brokers(self) -> None:
        """Fail soon, and with the reason, if no broker is left."""
        outage = self._brokers.outage()
        if outage:
            raise RunFailed(outage)

    def _follow_script(self) -> None:
        if self._script is None or not self.settings.began_ns:
            return
        if self.seconds() >= self._next_s:
            self._next_s = next(self._script, float("inf"))

    def _has_produced(self) -> bool:
        status = None if self.producer is None else self.producer.status()
        if self.producer is not None and status not in (None, 0):
            raise RunFailed(f"the producer has failed: {self.producer.why()}")
        return status == 0

    def _sent(self) -> int:
        report = json.loads((self._folder / "producer.json").read_text(encoding="utf-8"))
        return int(report["sent"])

    def _has_processed(self, sent: int) -> bool:
        return self._manager.has_caught_up(has_processed(self._folder / "evidence", sent))


def _controller(manager: GroupManager) -> ControllerLink:
    if isinstance(manager, ControllerLink):
        return manager
    raise RunFailed("this strategy has no controller: Kafka itself manages the group")


def has_processed(evidence: Path, sent: int) -> bool:
    """Whether as many records as sent are processed; those repeated after a fault count once."""
    files = [*evidence.glob("*.bin")]
    # Files are read only when their sizes make it possible that this is the end.
    return sum(map(evidence_file.counted, files)) >= sent and evidence_file.distinct(files) >= sent
